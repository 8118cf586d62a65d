// SPDX-License-Identifier: Apache-2.0
#include "cli/common/hostfile.h"

#include "base/format.h"
#include "base/text.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

struct Entry {
  std::string_view hosts;
  std::uint32_t repeat = 1;
};

Result<Entry> entry_of(std::string_view word) {
  auto star = word.find('*');
  if (star == std::string_view::npos) return Entry{word};
  auto repeat = parse_unsigned<std::uint32_t>(word.substr(star + 1));
  if (!repeat || *repeat == 0 || *repeat > kHostfileTasksMax)
    return fail(fmt::format("'{}' has no number of repetitions", printable(word)));
  return Entry{word.substr(0, star), *repeat};
}

// The commas that are not within brackets.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    bool end = at == line.size() || (depth <= 0 && (line[at] == ',' || line[at] == ' '));
    if (end) {
      if (std::string_view word = trim(line.substr(start, at - start)); !word.empty())
        words.push_back(word);
      start = at + 1;
    } else {
      depth += line[at] == '[' ? 1 : line[at] == ']' ? -1 : 0;
    }
  }
  return words;
}

}  // namespace

Result<std::string> hosts_of_file(std::string_view text) {
  if (text.size() > kHostfileMax) return fail("the file is too long");
  Hostlist all;
  for (std::string_view line : split(text, '\n')) {
    for (std::string_view word : words_of(line.substr(0, line.find('#')))) {
      auto entry = entry_of(word);
      if (!entry) return std::unexpected(entry.error());
      auto hosts = Hostlist::parse(entry->hosts);
      if (!hosts) return std::unexpected(hosts.error());
      if (all.count() + hosts->count() * entry->repeat > kHostfileTasksMax)
        return fail("the file names too many hosts");
      for (std::uint32_t n = 0; n < entry->repeat; ++n) all.append(*hosts);
    }
  }
  if (all.empty()) return fail("the file names no hosts");
  return all.str();
}

}  // namespace ym::cli
