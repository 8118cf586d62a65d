// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/script.h"

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

constexpr std::string_view kMagic = "#SBATCH";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// One word and where it ends. Double quotes keep backslashes but before " and \, single quotes keep
// everything.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> all() {
    std::vector<std::string> out;
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size() || text_[at_] == '#') return out;
      std::string word;
      if (Status taken = take(word); !taken) return std::unexpected(taken.error());
      out.push_back(std::move(word));
    }
  }

 private:
  Status take(std::string& word) {
    while (at_ < text_.size() && !is_blank(text_[at_])) {
      char c = text_[at_++];
      if (c == '\'' || c == '"') {
        if (Status quoted = take_quoted(c, word); !quoted) return quoted;
      } else if (c == '\\' && at_ < text_.size()) {
        word += text_[at_++];
      } else {
        word += c;
      }
    }
    return {};
  }

  Status take_quoted(char quote, std::string& word) {
    while (at_ < text_.size() && text_[at_] != quote) {
      bool escape = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                    (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (escape) ++at_;
      word += text_[at_++];
    }
    if (at_ == text_.size())
      return fail(fmt::format("the {} quote is not closed", quote == '"' ? "double" : "single"));
    ++at_;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Status check_script(std::string_view script) {
  if (script.empty()) return fail("Batch script is empty!");
  bool blank = true;
  for (char c : script) blank = blank && (is_blank(c) || c == '\n');
  if (blank) return fail("Batch script contains only whitespace!");
  if (script.size() > kScriptMax)
    return fail(fmt::format("Batch script is {} bytes long; at most {} are allowed", script.size(),
                            kScriptMax));
  if (!script.starts_with("#!"))
    return fail(
        "This does not look like a batch script.  The first\n"
        "line must start with #! followed by the path to an interpreter.\n"
        "For instance: #!/bin/sh");
  if (script.find('\0') != std::string_view::npos)
    return fail("The batch script contains a null character, which is not allowed");
  if (script.find("\r\n") != std::string_view::npos)
    return fail(
        "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks "
        "(\\n).");
  return {};
}

Result<std::vector<std::string>> shell_words(std::string_view line) { return Words(line).all(); }

Result<std::vector<std::vector<std::string>>> script_components(std::string_view script) {
  std::vector<std::vector<std::string>> out(1);
  std::size_t number = 0, count = 0;
  while (!script.empty()) {
    auto end = script.find('\n');
    std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    ++number;
    if (line.starts_with(kMagic) && line.size() > kMagic.size() && is_blank(line[kMagic.size()])) {
      auto words = shell_words(line.substr(kMagic.size()));
      if (!words) return fail(fmt::format("line {}: {}", number, words.error().text));
      count += words->size();
      if (words->size() == 1 && (words->front() == "hetjob" || words->front() == "packjob"))
        out.emplace_back();
      else
        for (std::string& word : *words) out.back().push_back(std::move(word));
      if (count > kScriptArgumentsMax)
        return fail(fmt::format("line {}: too many #SBATCH options", number));
    } else if (std::string_view rest = trim(line); !rest.empty() && rest[0] != '#') {
      break;
    }
  }
  return out;
}

}  // namespace ym::cli
