// SPDX-License-Identifier: Apache-2.0
#include "config/lex.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// Where the comment of a line begins: at the first # that is neither escaped nor inside a quoted
// value. A quote opens a value only directly behind its =, so that a stray quote in a comment or a
// value means nothing.
std::size_t comment_start(std::string_view line) {
  bool quoted = false;
  char last = 0;  // the last character that is not blank
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quoted) {
      if (c == '"') quoted = false;
    } else if (c == '\\') {
      ++i;
      last = c;
      continue;
    } else if (c == '"' && last == '=') {
      quoted = line.find('"', i + 1) != std::string_view::npos;
    } else if (c == '#') {
      return i;
    }
    if (!is_blank(c)) last = c;
  }
  return line.size();
}

// Lines are joined without a blank between them, as in Slurm, so that a value may go on in the next
// line's first column. Takes a continuation's backslash, and what blanks follow it, off the line.
// An even number of them is escaped ones.
bool take_continuation(std::string_view& line) {
  std::string_view text = line;
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::size_t slashes = 0;
  while (slashes < text.size() && text[text.size() - 1 - slashes] == '\\') ++slashes;
  if (slashes % 2 == 0) return false;
  line = text.substr(0, text.size() - 1);
  return true;
}

std::string_view first_key(std::string_view line) {
  auto key = std::ranges::find_if_not(line, is_blank);
  return {key, std::find_if_not(key, line.end(), is_key_character)};
}

std::string_view folder_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

std::string_view file_of(std::string_view path) { return path.substr(folder_of(path).size()); }

class Reader {
 public:
  Reader(const ReadFile& read_file, Reading reading, Diagnostics& diagnostics,
         std::vector<std::string>& files)
      : read_file_(read_file), reading_(reading), diagnostics_(diagnostics), files_(files) {}

  void read(const std::string& path, std::string shown, Place from, std::size_t depth) {
    if (files_.size() >= kConfigFilesMax)
      return diagnostics_.error(from, "too many included files");
    auto text = read_file_(path);
    if (!text)
      return diagnostics_.error(from, fmt::format("cannot read {}: {}", path, text.error().text));
    bytes_ += text->size();
    if (bytes_ > kConfigBytesMax)
      return diagnostics_.error(
          from, fmt::format("the configuration is longer than {} bytes", kConfigBytesMax));
    files_.push_back(path);
    std::uint32_t file = depth == 0 ? 0 : diagnostics_.add_file(std::move(shown));
    split(*text, path, file, depth);
  }

  std::vector<ConfigLine> take() { return std::move(lines_); }

 private:
  bool passes_over(std::string_view line) const {
    return reading_ == Reading::MainKeys && opens_entity(first_key(line));
  }

  void split(std::string_view text, const std::string& path, std::uint32_t file,
             std::size_t depth) {
    std::string logical;
    Place place{file, 0};
    std::uint32_t number = 0;
    bool open = false;  // the line before ended in a backslash
    while (!text.empty() && !diagnostics_.full()) {
      std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++number;
      if (!open) {
        if (passes_over(line) && !line.contains('\\')) continue;
        logical.clear();
        place.line = number;
      }
      line = line.substr(0, comment_start(line));
      open = take_continuation(line);
      if (logical.size() + line.size() > kConfigLineBytesMax)
        return diagnostics_.error(
            place, fmt::format("the line is longer than {} bytes", kConfigLineBytesMax));
      logical += line;
      if (!open || text.empty()) add(logical, path, place, depth);
    }
  }

  void add(std::string_view line, const std::string& path, Place place, std::size_t depth) {
    line = trim(line);
    if (line.empty()) return;
    if (lines_.size() >= kConfigLinesMax) return diagnostics_.error(place, "too many lines");
    if (starts_with_ignoring_case(line, "include") && line.size() > 7 && is_blank(line[7]))
      return include(trim(line.substr(7)), path, place, depth);
    if (passes_over(line)) return;
    auto assignments = split_assignments(line);
    if (!assignments) return diagnostics_.error(place, assignments.error().text);
    for (const Assignment& assignment : *assignments)
      if (same_ignoring_case(assignment.key, "ClusterName")) cluster_name_ = assignment.value;
    lines_.push_back({place, std::move(*assignments)});
  }

  void include(std::string_view name, const std::string& path, Place place, std::size_t depth) {
    if (depth + 1 > kIncludeDepthMax)
      return diagnostics_.error(
          place, fmt::format("files include each other more than {} deep", kIncludeDepthMax));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
      name = name.substr(1, name.size() - 2);
    std::string file(name);
    for (std::size_t at; (at = file.find("%c")) != std::string::npos;) {
      if (cluster_name_.empty())
        return diagnostics_.error(place, "Include uses %c, but no ClusterName stands before it");
      // The value was read from a file: without this a name holding %c would never end.
      if (cluster_name_.find('%') != std::string::npos ||
          cluster_name_.find('/') != std::string::npos)
        return diagnostics_.error(
            place, "Include uses %c, but ClusterName cannot be part of a file's name");
      file.replace(at, 2, cluster_name_);
    }
    std::string full = file.starts_with('/') ? file : std::string(folder_of(path)) + file;
    read(full, file, place, depth + 1);
  }

  const ReadFile& read_file_;
  Reading reading_;
  Diagnostics& diagnostics_;
  std::vector<std::string>& files_;
  std::vector<ConfigLine> lines_;
  std::string cluster_name_;
  std::size_t bytes_ = 0;
};

// A value up to the next blank, its escapes resolved.
std::string take_word(std::string_view line, std::size_t& at) {
  std::string word;
  for (; at < line.size() && !is_blank(line[at]); ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    word += line[at];
  }
  return word;
}

bool bad_character(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

}  // namespace

Result<std::vector<Assignment>> split_assignments(std::string_view line) {
  std::vector<Assignment> out;
  std::size_t at = 0;
  auto skip_blanks = [&] {
    while (at < line.size() && is_blank(line[at])) ++at;
  };
  for (skip_blanks(); at < line.size(); skip_blanks()) {
    std::size_t start = at;
    while (at < line.size() && is_key_character(line[at])) ++at;
    std::string_view key = line.substr(start, at - start);
    skip_blanks();
    if (key.empty() || at >= line.size() || line[at] != '=')
      return fail(fmt::format("expected Key=Value at '{}'", printable(line.substr(start), 40)));
    ++at;
    skip_blanks();
    if (at >= line.size()) return fail(fmt::format("{} has no value", key));
    std::string value;
    if (line[at] == '"') {
      std::size_t end = line.find('"', at + 1);
      if (end == std::string_view::npos)
        return fail(fmt::format("the quote of {} is never closed", key));
      value = line.substr(at + 1, end - at - 1);
      at = end + 1;
      if (at < line.size() && !is_blank(line[at]))
        return fail(fmt::format("a blank must follow the quoted value of {}", key));
    } else {
      value = take_word(line, at);
    }
    if (std::any_of(value.begin(), value.end(), bad_character))
      return fail(fmt::format("the value of {} has a control character in it", key));
    out.push_back({std::string(key), std::move(value)});
  }
  return out;
}

bool opens_entity(std::string_view key) {
  constexpr std::string_view kOpeners[] = {"NodeName", "PartitionName", "NodeSet", "DownNodes"};
  return std::ranges::any_of(
      kOpeners, [&](std::string_view opener) { return same_ignoring_case(key, opener); });
}

std::vector<ConfigLine> read_lines(const std::string& path, const ReadFile& read_file,
                                   Diagnostics& diagnostics, std::vector<std::string>& files,
                                   Reading reading) {
  diagnostics.add_file(std::string(file_of(path)));
  Reader reader(read_file, reading, diagnostics, files);
  reader.read(path, "", Place{}, 0);
  return reader.take();
}

}  // namespace ym
