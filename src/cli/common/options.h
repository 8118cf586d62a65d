// SPDX-License-Identifier: Apache-2.0
// One table per command is the truth about its options: parser, --help, --usage, manual page and
// tests are made of it.
//
//   const OptionTable<Settings> table = {{.name = "jobid", .letter = 'j', .takes = Takes::Value, …,
//   .set = …}};
//
// A table is scanned in order; names and letters stand once (a test of all commands checks it).
// Rows are constants without memory of their own: every command makes its table at each start.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

enum class Takes : std::uint8_t {
  Nothing,
  Value,
  Maybe
};  // Maybe: only as --name=value or -nVALUE

struct OptionInfo {
  std::string_view name;  // without the dashes; empty for an option that has a letter only
  char letter = 0;
  Takes takes = Takes::Nothing;
  std::string_view argument;           // how help calls the value
  std::string_view help;               // one sentence without a full stop
  std::string_view variable;           // environment variable that gives the value; may be empty
  std::string_view other_variable{};   // a second one, which counts less
  std::string_view group{};            // heading in --help; options of a group stand together
  bool in_script = false;              // may stand on an #SBATCH line
  bool hidden = false;                 // left out of --help: old names, and options for builders
  std::string_view variable_prefix{};  // that the variable's name begins with

  // Whole; empty if there is none.
  std::string variable_name() const {
    return variable.empty() ? "" : std::string(variable_prefix) + std::string(variable);
  }
};

// How a refused value is told about. Commands that scripts know by their error texts say what
// Slurm's say, and end with its exit codes.
enum class Refusals : std::uint8_t { Explained, Slurm };

// Codes of a setter's error, beside 0: "Invalid --name specification", exit code 255.
inline constexpr std::uint32_t kBadNumber = 0x59000001;     // "Invalid numeric value", exit code 1
inline constexpr std::uint32_t kWholeText = 0x59000002;     // nothing but the text, exit code 255
inline constexpr std::uint32_t kWholeTextOne = 0x59000003;  // nothing but the text, exit code 1
inline constexpr int kBadLineExit = 255;

template <class Settings>
struct Option {
  OptionInfo info;
  // `value` is empty for Takes::Nothing. The error's text says what is wrong with the value.
  Status (*set)(Settings&, std::string_view value);
};

// One option as it was found on a line.
struct GivenOption {
  std::size_t option = 0;  // index into the table
  std::string value;
};
struct GivenLine {
  std::vector<GivenOption> options;
  std::vector<std::string> operands;
};

// Where operands are: `srun -n2 prog -x` ends the options at prog, `scancel 7 -f` does not.
enum class Operands : std::uint8_t { EndOptions, Mix };

class OptionSet {
 public:
  explicit OptionSet(std::vector<OptionInfo> options, Refusals refusals = Refusals::Explained);

  // Unknown and ambiguous options and missing values are errors, with text as getopt_long's and a
  // suggestion.
  Result<GivenLine> parse(std::span<const std::string> arguments, Operands operands) const;
  // As the user would write it: "--name" or "-n".
  std::string shown(std::size_t option) const;
  const std::vector<OptionInfo>& options() const { return options_; }
  // What to say about a value that a setter has refused; its code is the command's exit code.
  // Reasons that Slurm does not give stand on a line of their own, if `explain`; so does what was
  // meant perhaps, always.
  Error refusal(const GivenOption& given, const Error& error, bool explain) const;

 private:
  struct Cursor;
  Result<std::size_t> find_long(std::string_view name) const;
  Status take_long(Cursor& at, GivenLine& line) const;
  Status take_letters(Cursor& at, GivenLine& line) const;

  std::vector<OptionInfo> options_;
  Refusals refusals_;
};

// What stands around the options in --help and in the manual page.
struct CommandPage {
  std::string name;                // "squeue"
  std::string summary;             // "show the jobs of the cluster"
  std::vector<std::string> usage;  // "[OPTION]... [FILE]"
  std::string description;         // paragraphs for the manual page, separated by empty lines
  Refusals refusals = Refusals::Explained;
};

inline constexpr std::size_t kHelpColumns = 80;
std::string help_text(const CommandPage& page, const std::vector<OptionInfo>& options);
std::string usage_text(const CommandPage& page, const std::vector<OptionInfo>& options);
// Text as it stands in a manual page.
std::string troff(std::string_view text);
// troff with the man macros.
std::string manual_page(const CommandPage& page, const std::vector<OptionInfo>& options);

// "unrecognized option '--foo'", with what to do next on lines of their own; for printing behind
// "NAME: ".
std::string with_hint(std::string_view program, std::string_view text);

template <class Settings>
std::vector<OptionInfo> infos_of(const std::vector<Option<Settings>>& table) {
  std::vector<OptionInfo> out;
  out.reserve(table.size());
  for (const auto& option : table) out.push_back(option.info);
  return out;
}

}  // namespace ym::cli
