// SPDX-License-Identifier: Apache-2.0
// What every command does alike: --help, --usage, --version, --man, errors, exit codes.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/common/options.h"

namespace ym::cli {

using Arguments = std::vector<std::string>;  // without the program's own name

// Rows of every command's table; parse_command answers these options itself. `h_is_help`: -h is not
// taken otherwise.
std::vector<OptionInfo> standard_options(bool h_is_help);
enum class StandardOption : std::uint8_t { None, Help, Usage, Version, Man };
StandardOption standard_option(const OptionInfo& info);

// Writes all of it; a closed pipe ends the process quietly.
void print(std::string_view text);
// The same on stderr, where nobody's absence matters.
void print_error(std::string_view text);
// "NAME: error: text" on stderr; each line of the text gets the prefix.
void complain(std::string_view program, std::string_view text);
// "NAME: text" on stderr.
void remark(std::string_view program, std::string_view text);

// Prints what the option asks for.
void answer_standard(StandardOption option, const CommandPage& page,
                     const std::vector<OptionInfo>& options);

// A parsed command line, or the exit code of a command that has nothing more to do.
template <class Settings>
struct Parsed {
  Settings settings;
  std::vector<std::string> operands;
  std::optional<int> exit_code;
};

// The variables that options are given by. A command looks for each of its hundred options, so the
// environment is gone through once. All their names begin with S: SLURM_, SBATCH_, SQUEUE_ …
class OwnVariables {
 public:
  OwnVariables();
  std::optional<std::string> of(const OptionInfo& info) const;

 private:
  std::optional<std::string> find(std::string_view prefix, std::string_view rest) const;

  std::vector<std::string_view> entries_;
};
// Whether a variable with this value gives an option that has none: nothing, "yes" or a number but
// zero.
bool switches_on(std::string_view value);
// A person reads what we complain about.
bool complaints_are_read();

template <class Settings>
void add_standard(std::vector<Option<Settings>>& table) {
  bool h_is_help = true;
  for (const auto& option : table) h_is_help = h_is_help && option.info.letter != 'h';
  for (const OptionInfo& info : standard_options(h_is_help))
    table.push_back({.info = info, .set = nullptr});
}

// The settings of `given`, in order. An error names the option; its code is the exit code.
template <class Settings>
Status apply_given(const OptionSet& set, const std::vector<Option<Settings>>& table,
                   const std::vector<GivenOption>& given, Settings& settings) {
  for (const GivenOption& one : given) {
    if (!table[one.option].set) continue;
    if (Status done = table[one.option].set(settings, one.value); !done)
      return std::unexpected(set.refusal(one, done.error(), complaints_are_read()));
  }
  return {};
}

template <class Settings>
Status apply_environment(const std::vector<Option<Settings>>& table, Settings& settings) {
  if constexpr (requires { settings.enter_environment(); }) settings.enter_environment();
  OwnVariables variables;
  for (const auto& option : table) {
    auto value = variables.of(option.info);
    if (!value || !option.set) continue;
    if constexpr (requires { settings.enter_environment(); })
      if (option.info.takes == Takes::Nothing && !switches_on(*value)) continue;
    if (Status done = option.set(settings, *value); !done)
      return fail("environment variable " + option.info.variable_name() + "=" + *value + ": " +
                  done.error().text);
  }
  if constexpr (requires { settings.leave_environment(); }) settings.leave_environment();
  return {};
}

// A command's rows with the standard ones, ready to parse with.
template <class Settings>
struct KnownOptions {
  std::vector<Option<Settings>> table;
  OptionSet set;

  KnownOptions(std::vector<Option<Settings>> own, Refusals refusals)
      : table(std::move(own)), set((add_standard(table), infos_of(table)), refusals) {}
};

// Sets what the environment gives, then what the line gives. Prints errors itself.
template <class Settings>
Parsed<Settings> parse_command(const CommandPage& page, const KnownOptions<Settings>& known,
                               const Arguments& arguments, Operands operands,
                               Settings settings = {}) {
  const auto& [table, set] = known;
  Parsed<Settings> out{.settings = std::move(settings)};
  auto refuse_line = [&](std::string_view text) {
    remark(page.name, with_hint(page.name, text));
    out.exit_code = page.refusals == Refusals::Slurm ? kBadLineExit : 1;
    return out;
  };
  auto line = set.parse(arguments, operands);
  if (!line) return refuse_line(line.error().text);
  for (const GivenOption& given : line->options)
    if (auto asked = standard_option(table[given.option].info); asked != StandardOption::None) {
      answer_standard(asked, page, set.options());
      out.exit_code = 0;
      return out;
    }
  Status applied = apply_environment(table, out.settings);
  if (applied) applied = apply_given(set, table, line->options, out.settings);
  if (!applied) {
    complain(page.name, applied.error().text);
    out.exit_code = applied.error().code ? static_cast<int>(applied.error().code) : 1;
  }
  out.operands = std::move(line->operands);
  return out;
}

template <class Settings>
Parsed<Settings> parse_command(const CommandPage& page, std::vector<Option<Settings>> table,
                               const Arguments& arguments, Operands operands,
                               Settings settings = {}) {
  return parse_command(page, KnownOptions<Settings>(std::move(table), page.refusals), arguments,
                       operands, std::move(settings));
}

}  // namespace ym::cli
