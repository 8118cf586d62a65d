// SPDX-License-Identifier: Apache-2.0
#include "cli/common/data_writer.h"

#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

struct Rune {
  std::uint32_t code = 0xfffd;
  std::size_t length = 1;
};

// The character that begins the text; U+FFFD of length 1 if it is not UTF-8.
Rune first_rune(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[length] || surrogate || code > 0x10ffff) return {};
  return {code, length};
}

// Characters that one of the notations does not take as they are, or takes for the end of a line.
bool must_escape(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0xfeff || code == 0xfffe || code == 0xffff;
}

bool plain_key(std::string_view key) {
  for (char c : key)
    if (!((c >= 'a' && c <= 'z') || c == '_')) return false;
  return !key.empty();
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    Rune rune = first_rune(text);
    if (rune.code == '"' || rune.code == '\\')
      out.append("\\").append(text.substr(0, 1));
    else if (rune.code == '\n')
      out += "\\n";
    else if (rune.code == '\t')
      out += "\\t";
    else if (must_escape(rune.code))
      out += fmt::format("\\u{:04x}", rune.code);
    else if (rune.code == 0xfffd)
      out += "\xef\xbf\xbd";
    else
      out += text.substr(0, rune.length);
    text.remove_prefix(rune.length);
  }
  return out + "\"";
}

DataWriter::DataWriter(Notation notation)
    : DataWriter(notation, environment_variable("SLURM_JSON") == "compact") {}

DataWriter::DataWriter(Notation notation, bool compact)
    : notation_(notation), compact_(compact && notation == Notation::Json) {
  if (notation_ == Notation::Yaml) out_ = "---";
}

void DataWriter::line() {
  if (compact_) return;
  out_ += '\n';
  out_.append(2 * (levels_.size() - (notation_ == Notation::Yaml ? 1 : 0)), ' ');
}

void DataWriter::place(std::string_view key) {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  YM_CHECK(level.list == key.empty());
  if (notation_ == Notation::Json && !level.empty) out_ += ',';
  level.empty = false;
  line();
  if (notation_ == Notation::Yaml) {
    out_ += level.list ? "-" : plain_key(key) ? std::string(key) + ":" : quoted(key) + ":";
  } else if (!level.list) {
    out_ += quoted(key);
    out_ += compact_ ? ":" : ": ";
  }
}

void DataWriter::scalar(std::string_view key, std::string_view value) {
  place(key);
  if (notation_ == Notation::Yaml) out_ += ' ';
  out_ += value;
}

void DataWriter::begin(std::string_view key, bool list) {
  place(key);
  if (notation_ == Notation::Json) out_ += list ? '[' : '{';
  levels_.push_back({.list = list});
}

DataWriter& DataWriter::begin_map(std::string_view key) {
  begin(key, false);
  return *this;
}
DataWriter& DataWriter::begin_list(std::string_view key) {
  begin(key, true);
  return *this;
}

DataWriter& DataWriter::end() {
  YM_CHECK(!levels_.empty());
  Level level = levels_.back();
  levels_.pop_back();
  if (notation_ == Notation::Yaml) {
    if (level.empty) out_ += level.list ? " []" : " {}";
    return *this;
  }
  if (!level.empty) line();
  out_ += level.list ? ']' : '}';
  return *this;
}

DataWriter& DataWriter::text(std::string_view key, std::string_view value) {
  scalar(key, quoted(value));
  return *this;
}
DataWriter& DataWriter::integer(std::string_view key, std::int64_t value) {
  scalar(key, fmt::format("{}", value));
  return *this;
}
DataWriter& DataWriter::real(std::string_view key, double value) {
  scalar(key, std::isfinite(value) ? fmt::format("{}", value) : "null");
  return *this;
}
DataWriter& DataWriter::flag(std::string_view key, bool value) {
  scalar(key, value ? "true" : "false");
  return *this;
}
DataWriter& DataWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  begin_list(key);
  for (const std::string& value : values) text({}, value);
  return end();
}

DataWriter& DataWriter::number(std::string_view key, std::optional<std::uint64_t> value) {
  begin_map(key).flag("set", value.has_value()).flag("infinite", false);
  return integer("number", static_cast<std::int64_t>(value.value_or(0))).end();
}
DataWriter& DataWriter::infinite(std::string_view key) {
  return begin_map(key).flag("set", false).flag("infinite", true).integer("number", 0).end();
}

std::string DataWriter::take() { return std::exchange(out_, {}); }

std::string DataWriter::finish() {
  YM_CHECK(levels_.empty());
  out_ += '\n';
  return take();
}

}  // namespace ym::cli
