// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_json.h"

#include <array>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Status value(JsonValue& out, int depth) {
    if (depth > kJsonDepthMax) return wrong("it is nested too deeply");
    if (++values_ > kJsonValuesMax) return wrong("it has too many values");
    skip_space();
    if (at_ >= text_.size()) return wrong("it ends too early");
    switch (text_[at_]) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': return string(out.text);
      default: return word(out.text);
    }
  }
  std::size_t at() const { return at_; }

 private:
  std::unexpected<Error> wrong(std::string_view why) const {
    return fail(fmt::format("bad JSON at byte {}: {}", at_, why));
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status object(JsonValue& out, int depth) {
    ++at_;
    if (take('}')) return {};
    do {
      skip_space();
      std::string name;
      if (at_ >= text_.size() || text_[at_] != '"') return wrong("a name is missing");
      if (Status ok = string(name); !ok) return ok;
      if (!take(':')) return wrong("a colon is missing");
      out.names.push_back(std::move(name));
      out.items.emplace_back();
      if (Status ok = value(out.items.back(), depth + 1); !ok) return ok;
    } while (take(','));
    return take('}') ? Status() : wrong("an object does not end");
  }
  Status array(JsonValue& out, int depth) {
    ++at_;
    if (take(']')) return {};
    do {
      out.items.emplace_back();
      if (Status ok = value(out.items.back(), depth + 1); !ok) return ok;
    } while (take(','));
    return take(']') ? Status() : wrong("a list does not end");
  }
  Status string(std::string& out) {
    ++at_;
    for (;;) {
      std::size_t end = text_.find_first_of("\"\\", at_);
      if (end == std::string_view::npos) return wrong("a string does not end");
      out.append(text_.substr(at_, end - at_));
      at_ = end + 1;
      if (text_[end] == '"') return {};
      if (Status ok = escape(out); !ok) return ok;
    }
  }
  // Error texts have them; keys and values are base64. Beyond Latin-1 a question mark does.
  Status escape(std::string& out) {
    if (at_ >= text_.size()) return wrong("an escape is cut");
    char c = text_[at_++];
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    if (std::size_t i = kFrom.find(c); i != std::string_view::npos) {
      out += kTo[i];
      return {};
    }
    unsigned code = 0;
    if (c != 'u' || text_.size() - at_ < 4) return wrong("an unknown escape");
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) return wrong("an unknown escape");
    at_ += 4;
    out += code < 128 ? static_cast<char>(code) : '?';
    return {};
  }
  Status word(std::string& out) {
    std::size_t end = text_.find_first_of(",]} \t\r\n", at_);
    std::string_view found = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    if (found.empty() || found.size() > 64 ||
        found.find_first_of("{[\":") != std::string_view::npos)
      return wrong("a value is missing");
    out = found;
    at_ += found.size();
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

const JsonValue& JsonValue::at(std::string_view name) const {
  static const JsonValue kNone;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return items[i];
  return kNone;
}

std::uint64_t JsonValue::number() const { return parse_u64(text).value_or(0); }

std::int64_t JsonValue::signed_number() const {
  std::int64_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? out : 0;
}

Result<JsonRead> parse_json(std::string_view text) {
  Parser parser(text);
  JsonRead read;
  if (Status ok = parser.value(read.value, 0); !ok) return std::unexpected(ok.error());
  read.end = parser.at();
  return read;
}

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (j < n ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= n ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

Result<std::string> from_base64(std::string_view text) {
  static const std::array<std::int8_t, 256> kValues = [] {
    std::array<std::int8_t, 256> values;
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
      values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
    return values;
  }();
  if (text.size() % 4 != 0) return fail("base64 of a wrong length");
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    bool last = i + 4 == text.size();
    std::size_t padding =
        last ? (text[i + 3] == '=') + (text[i + 2] == '=' && text[i + 3] == '=') : 0;
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      int value = j >= 4 - padding ? 0 : kValues[static_cast<unsigned char>(text[i + j])];
      if (value < 0) return fail("base64 with a wrong character");
      word = word << 6 | static_cast<std::uint32_t>(value);
    }
    for (std::size_t j = 0; j < 3 - padding; ++j)
      out += static_cast<char>(word >> (16 - 8 * j) & 255);
  }
  return out;
}

}  // namespace ym
