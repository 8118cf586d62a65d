// SPDX-License-Identifier: Apache-2.0
#include "cli/common/command.h"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

extern char** environ;  // NOLINT: the C library's name

namespace ym::cli {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (fd == STDOUT_FILENO) std::_Exit(1);
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void say(std::string_view prefix, std::string_view text) {
  std::string out;
  for (std::string_view line : split(text, '\n')) {
    // Slurm's own lines without a name before them.
    bool bare = line.starts_with("Try \"") || line.starts_with("Invalid time specification (pos=");
    std::string_view before = bare ? "" : prefix;
    if (line.starts_with("fatal: ") && before.ends_with("error: ")) before.remove_suffix(7);
    out += before;
    out += line;
    out += '\n';
  }
  write_all(STDERR_FILENO, out);
}

}  // namespace

std::vector<OptionInfo> standard_options(bool h_is_help) {
  return {
      {.name = "help", .letter = h_is_help ? 'h' : '\0', .help = "Show this text"},
      {.name = "usage", .help = "Show all options in short form"},
      {.name = "version", .letter = 'V', .help = "Show the version of Slurm that is spoken"},
      {.name = "man", .help = "Print the manual page's source", .hidden = true},
  };
}

StandardOption standard_option(const OptionInfo& info) {
  std::string_view name = info.name;
  if (name == "help") return StandardOption::Help;
  if (name == "usage") return StandardOption::Usage;
  if (name == "version") return StandardOption::Version;
  if (name == "man") return StandardOption::Man;
  return StandardOption::None;
}

void print(std::string_view text) { write_all(STDOUT_FILENO, text); }
void print_error(std::string_view text) { write_all(STDERR_FILENO, text); }
void complain(std::string_view program, std::string_view text) {
  say(fmt::format("{}: error: ", program), text);
}
void remark(std::string_view program, std::string_view text) {
  say(fmt::format("{}: ", program), text);
}

void answer_standard(StandardOption option, const CommandPage& page,
                     const std::vector<OptionInfo>& options) {
  switch (option) {
    case StandardOption::None: break;
    case StandardOption::Help: print(help_text(page, options)); break;
    case StandardOption::Usage: print(usage_text(page, options)); break;
    case StandardOption::Version: print("slurm " YM_SLURM_VERSION "\n"); break;
    case StandardOption::Man: print(manual_page(page, options)); break;
  }
}

OwnVariables::OwnVariables() {
  for (char** entry = environ; entry && *entry; ++entry)
    if (**entry == 'S') entries_.emplace_back(*entry);
}

// The value of a variable whose name is the two one after the other; nothing is put together.
std::optional<std::string> OwnVariables::find(std::string_view prefix,
                                              std::string_view rest) const {
  for (std::string_view text : entries_) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    if (text.size() > rest.size() && text.starts_with(rest) && text[rest.size()] == '=')
      return std::string(text.substr(rest.size() + 1));
  }
  return std::nullopt;
}

std::optional<std::string> OwnVariables::of(const OptionInfo& info) const {
  std::optional<std::string> found;
  if (!info.variable.empty()) found = find(info.variable_prefix, info.variable);
  if (!found && !info.other_variable.empty()) found = find({}, info.other_variable);
  return found;
}

bool switches_on(std::string_view value) {
  auto number = parse_unsigned<std::uint64_t>(value);
  return value.empty() || same_ignoring_case(value, "yes") || (number && *number != 0);
}

bool complaints_are_read() { return ::isatty(STDERR_FILENO) != 0; }

}  // namespace ym::cli
