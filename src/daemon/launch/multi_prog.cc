// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "daemon/launch/orders.h"

namespace ym {
namespace {

// Words separated by blanks; '…' and "…" hold blanks together, a backslash outside of '…' takes the
// next character.
Result<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t n = 0; n < line.size(); ++n) {
    char c = line[n];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && n + 1 < line.size()) {
      word += line[++n];
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return fail("a quote is not closed in the --multi-prog file");
  if (in_word) words.push_back(std::move(word));
  return words;
}

// A backslash at the end of a line goes on with the next one.
std::string joined(std::string_view text) {
  std::string out;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] == '\\' && n + 1 < text.size() && text[n + 1] == '\n') {
      out += ' ';
      ++n;
    } else {
      out += text[n];
    }
  }
  return out;
}

// The place of the task in a list like "0-3,7", or nothing if it is not in it.
std::optional<std::uint32_t> offset_in(std::string_view ranks, std::uint32_t task) {
  if (ranks == "*") return task;
  std::uint32_t before = 0;
  for (std::string_view part : split_words(ranks, ',')) {
    auto dash = part.find('-');
    auto low = parse_unsigned<std::uint32_t>(part.substr(0, dash));
    auto high =
        dash == std::string_view::npos ? low : parse_unsigned<std::uint32_t>(part.substr(dash + 1));
    if (!low || !high || *high < *low) continue;
    if (task >= *low && task <= *high) return before + task - *low;
    before += *high - *low + 1;
  }
  return std::nullopt;
}

std::string substitute(std::string_view word, std::uint32_t task, std::uint32_t offset) {
  std::string out;
  for (std::size_t n = 0; n < word.size(); ++n) {
    bool field =
        word[n] == '%' && n + 1 < word.size() && (word[n + 1] == 't' || word[n + 1] == 'o');
    if (field)
      out += std::to_string(word[++n] == 't' ? task : offset);
    else
      out += word[n];
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> multi_prog_arguments(std::string_view text, std::uint32_t task) {
  std::string whole = joined(text);
  for (std::string_view line : split(whole, '\n')) {
    line = trim(line);
    if (line.empty() || line.front() == '#') continue;
    auto words = words_of(line);
    if (!words) return std::unexpected(words.error());
    auto offset = offset_in(words->front(), task);
    if (!offset) continue;
    if (words->size() < 2)
      return fail(fmt::format("no program for task {} in the --multi-prog file", task));
    std::vector<std::string> arguments;
    for (std::size_t n = 1; n < words->size(); ++n)
      arguments.push_back(substitute((*words)[n], task, *offset));
    return arguments;
  }
  return fail(fmt::format("the --multi-prog file says nothing of task {}", task));
}

}  // namespace ym
