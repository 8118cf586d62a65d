// SPDX-License-Identifier: Apache-2.0
#include "net/json_object.h"

#include <charconv>
#include <optional>

#include "base/format.h"

namespace ym {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of the UTF-8 character at the front, 0 if it is broken (overlong and surrogates are).
std::size_t utf8_length(std::string_view text) {
  auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xc0 | code >> 6), add(0x80 | (code & 63));
  if (code < 0x10000)
    return add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 63)), add(0x80 | (code & 63));
  add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 63)), add(0x80 | (code >> 6 & 63)),
      add(0x80 | (code & 63));
}

// Every take_… advances past what it took, or returns nothing at the first wrong character.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // member(name, value) for each; false from it refuses.
  template <class F>
  bool take_object(int depth, F member) {
    if (depth > kJsonDepthMax || !take('{')) return false;
    if (take('}')) return true;
    do {
      auto name = take_string();
      if (!name || !take(':')) return false;
      auto value = take_value(depth + 1);
      if (!value || !member(std::move(*name), std::move(*value))) return false;
    } while (take(','));
    return take('}');
  }

  // element(value) for each; false from it refuses.
  template <class F>
  bool take_array(int depth, F element) {
    if (depth > kJsonDepthMax || !take('[')) return false;
    if (take(']')) return true;
    do {
      auto value = take_value(depth + 1);
      if (!value || !element(std::move(*value))) return false;
    } while (take(','));
    return take(']');
  }

  std::optional<JsonObject::Value> take_value(int depth) {
    skip_blanks();
    if (rest_.empty()) return std::nullopt;
    JsonObject::Value other = JsonObject::Other{};
    std::string_view begin = rest_;
    auto taken = [&](bool good) -> std::optional<JsonObject::Value> {
      if (!good) return std::nullopt;
      return JsonObject::Other{std::string(begin.substr(0, begin.size() - rest_.size()))};
    };
    switch (rest_[0]) {
      case '"': return take_string();
      case '{': return taken(take_object(depth, [](auto&&, auto&&) { return true; }));
      case '[': return taken(take_array(depth, [](auto&&) { return true; }));
      default: break;
    }
    for (std::string_view word : {"null", "true", "false"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return other;
      }
    return take_number();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() &&
           (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }

  std::optional<JsonObject::Value> take_number() {
    std::size_t n = 0;
    auto digits = [&] {
      std::size_t start = n;
      while (n < rest_.size() && is_digit(rest_[n])) ++n;
      return n - start;
    };
    auto have = [&](char c) { return n < rest_.size() && rest_[n] == c; };
    if (have('-')) ++n;
    bool zero = have('0');
    std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return std::nullopt;
    bool integer = true;
    if (have('.')) {
      integer = false;
      ++n;
      if (digits() == 0) return std::nullopt;
    }
    if (have('e') || have('E')) {
      integer = false;
      ++n;
      if (have('+') || have('-')) ++n;
      if (digits() == 0) return std::nullopt;
    }
    std::string_view text = rest_.substr(0, n);
    rest_.remove_prefix(n);
    std::int64_t exact = 0;
    if (integer && std::from_chars(text.begin(), text.end(), exact).ec == std::errc()) return exact;
    double real = 0;
    if (std::from_chars(text.begin(), text.end(), real).ec != std::errc())
      return JsonObject::Other{};  // out of range
    return real;
  }

  std::optional<std::uint32_t> take_hex4() {
    std::uint32_t code = 0;
    if (rest_.size() < 4) return std::nullopt;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
    if (error != std::errc() || end != rest_.data() + 4) return std::nullopt;
    rest_.remove_prefix(4);
    return code;
  }

  // After the backslash.
  bool take_escape(std::string& out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) return false;
    char name = rest_[0];
    rest_.remove_prefix(1);
    if (name != 'u') {
      std::size_t which = kNames.find(name);
      if (which != kNames.npos) out += kMeant[which];
      return which != kNames.npos;
    }
    auto code = take_hex4();
    if (!code || (*code >= 0xdc00 && *code <= 0xdfff)) return false;
    if (*code >= 0xd800 && *code <= 0xdbff) {
      if (!rest_.starts_with("\\u")) return false;
      rest_.remove_prefix(2);
      auto low = take_hex4();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(out, *code);
    return true;
  }

  std::optional<std::string> take_string() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (!rest_.empty()) {
      char c = rest_[0];
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      std::size_t n = utf8_length(rest_);
      if (n == 0) return std::nullopt;
      std::string_view character = rest_.substr(0, n);
      rest_.remove_prefix(n);
      if (c == '"') return out;
      if (c != '\\')
        out += character;
      else if (!take_escape(out))
        return std::nullopt;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

Result<JsonObject> JsonObject::parse(std::string_view text, std::size_t size_max) {
  if (text.size() > size_max) return fail("it is too long");
  JsonObject object;
  bool twice = false;
  Parser parser(text);
  bool good = parser.take_object(1, [&](std::string name, Value value) {
    twice = object.find(name) != nullptr;
    object.members_.emplace_back(std::move(name), std::move(value));
    return !twice;
  });
  if (twice) return fail("it has a name twice");
  if (!good || !parser.at_end()) return fail("it is no JSON object");
  return object;
}

Result<std::vector<JsonObject>> JsonObject::parse_array(std::string_view text,
                                                        std::size_t size_max) {
  if (text.size() > size_max) return fail("it is too long");
  std::vector<JsonObject> objects;
  Error why{.text = "it is no JSON array of objects"};
  Parser parser(text);
  bool good = parser.take_array(1, [&](Value value) {
    const Other* other = std::get_if<Other>(&value);
    if (!other || !other->text.starts_with('{')) return false;
    auto object = parse(other->text, size_max);
    if (!object) {
      why = object.error();
      return false;
    }
    objects.push_back(std::move(*object));
    return true;
  });
  if (!good || !parser.at_end()) return std::unexpected(why);
  return objects;
}

const JsonObject::Value* JsonObject::find(std::string_view name) const {
  for (const auto& [key, value] : members_)
    if (key == name) return &value;
  return nullptr;
}

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out += '"';
}

}  // namespace ym
