// SPDX-License-Identifier: Apache-2.0
#include "cli/common/completion.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

// What waits of an array is known by the array's number.
constexpr std::string_view kJobsCommand =
    "squeue -h -o %i 2>/dev/null | sed 's/_\\[.*//' | sort -u";
constexpr std::string_view kJobNamesCommand = "squeue -h -o %j 2>/dev/null | sort -u";
constexpr std::string_view kNodesCommand = "sinfo -h -N -o %N 2>/dev/null | sort -u";
constexpr std::string_view kPartitionsCommand = "sinfo -h -o %R 2>/dev/null | sort -u";
constexpr std::string_view kReservationsCommand =
    "scontrol -o show reservation 2>/dev/null | sed -n 's/^ReservationName=\\([^ ]*\\).*/\\1/p'";

std::string_view live_command(Values kind) {
  switch (kind) {
    case Values::Jobs: return kJobsCommand;
    case Values::JobNames: return kJobNamesCommand;
    case Values::Nodes: return kNodesCommand;
    case Values::Partitions: return kPartitionsCommand;
    case Values::Reservations: return kReservationsCommand;
    case Values::Unknown:
    case Values::Words: break;
  }
  return "";
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool shown(const OptionInfo& option) { return !option.hidden; }

// A command of sh that prints what is offered; nothing for what nobody knows.
std::string printing(const ValueSource& source) {
  if (source.kind == Values::Words)
    return fmt::format("printf '%s\\n' {}", join(source.words, " "));
  return std::string(live_command(source.kind));
}

// A pattern as case of sh takes it: only the stars are not literal.
std::string case_pattern(std::string_view command, std::string_view before) {
  std::string words = fmt::format("{}{}{}", command, before.empty() ? "" : " ", before), out = "\"";
  for (char c : words) out += c == '*' ? std::string("\"*\"") : std::string(1, c);
  return out + "\"";
}

// The grammar of all operands, for sh: $1 is the command with its operands so far. One text for the
// three shells.
std::string operand_cases(const std::vector<CompletedCommand>& commands) {
  std::string out = "  case \"$1\" in\n";
  for (const CompletedCommand& command : commands)
    for (const OperandRule& rule : command.operands)
      out += fmt::format("    {}) {} ;;\n", case_pattern(command.name, rule.before),
                         printing(rule.values));
  return out + "  esac\n";
}

// --- bash ---

// The shell splits --name=value and key=value at the sign, so that it is a word of its own. Of a
// list the last name is completed.
constexpr std::string_view kBashHead = R"(# Completion of Yardmaster's commands for bash.
_yardmaster_offer() {
  local list=
  [[ $cur == *,* ]] && list=${cur%,*},
  COMPREPLY=($(compgen -P "$list" -W "$1" -- "${cur##*,}"))
}
_yardmaster() {
  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[0]##*/}
  local path=$command at word key=
  if [ "$cur" = = ]; then
    cur= key=$before
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD-2]} key=$before
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    [[ $word == -* || $word == = ]] || path="$path ${word,,}"
  done
  [[ -n $key && $key != -* ]] && path="$command ${key,,}="
  COMPREPLY=()
  case "$command $before" in
)";
constexpr std::string_view kBashMiddle = R"(  esac
  case "$command $cur" in
)";
constexpr std::string_view kBashTail = R"sh(  esac
  _yardmaster_offer "$(_yardmaster_operands "$path")"
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
)sh";

std::string bash_words(const ValueSource& source) {
  if (source.kind == Values::Words) return join(source.words, " ");
  return fmt::format("$({})", live_command(source.kind));
}

std::string bash_script(const std::vector<CompletedCommand>& commands) {
  std::string values, options, names;
  for (const CompletedCommand& command : commands) {
    names += " " + command.name;
    std::string words;
    for (const OptionInfo& option : command.options) {
      if (!shown(option)) continue;
      if (!option.name.empty())
        words += fmt::format("{}--{}{}", words.empty() ? "" : " ", option.name,
                             option.takes == Takes::Value ? "=" : "");
      else
        words += fmt::format("{}-{}", words.empty() ? "" : " ", option.letter);
      ValueSource source = values_of(option);
      if (source.kind == Values::Unknown && option.takes != Takes::Value) continue;
      std::string forms = fmt::format("\"{} --{}\"", command.name, option.name);
      if (option.letter && option.takes == Takes::Value)
        forms += fmt::format("|\"{} -{}\"", command.name, option.letter);
      // What nobody knows is no operand either.
      values += source.kind == Values::Unknown
                    ? fmt::format("    {}) return ;;\n", forms)
                    : fmt::format("    {}) _yardmaster_offer \"{}\"; return ;;\n", forms,
                                  bash_words(source));
    }
    options += fmt::format("    \"{} -\"*)\n      _yardmaster_offer \"{}\"\n", command.name, words);
    options += "      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace; return ;;\n";
  }
  return fmt::format(
      "{}{}{}{}{}_yardmaster_operands() {{\n{}}}\ncomplete -o default -F _yardmaster{}\n",
      kBashHead, values, kBashMiddle, options, kBashTail, operand_cases(commands), names);
}

// --- zsh ---

std::string zsh_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const ValueSource& source) {
  if (source.kind == Values::Unknown) return "_files";
  if (source.kind == Values::Words) return fmt::format("({})", join(source.words, " "));
  return fmt::format("{{_yardmaster_offer \"$({})\"}}", live_command(source.kind));
}

std::string zsh_row(const OptionInfo& option) {
  std::string value;
  if (option.takes != Takes::Nothing)
    value = fmt::format("{}{}:{}", option.takes == Takes::Maybe ? "::" : ":",
                        zsh_text(option.argument), zsh_action(values_of(option)));
  std::string help = fmt::format("[{}]{}", zsh_text(option.help), value);
  std::string out;
  auto add = [&](std::string_view form) {
    out += fmt::format("        {} \\\n", single_quoted(fmt::format("{}{}", form, help)));
  };
  if (!option.name.empty())
    add(fmt::format("--{}{}", option.name,
                    option.takes == Takes::Value   ? "="
                    : option.takes == Takes::Maybe ? "=-"
                                                   : ""));
  if (option.letter)
    add(fmt::format("-{}{}", option.letter,
                    option.takes == Takes::Value   ? "+"
                    : option.takes == Takes::Maybe ? "-"
                                                   : ""));
  return out;
}

// The words before the cursor that are no options, and the key where there is one.
constexpr std::string_view kZshOperands = R"(_yardmaster_offer() {
  compset -P '*,'
  local -a all=(${(f)1})
  compadd -S '' -- ${(M)all:#*=}
  compadd -- ${all:#*=}
}
_yardmaster_operand() {
  local path_so_far=$service word
  for word in ${words[1,CURRENT-1]}; do
    [[ $word == -* || $word == $service ]] || path_so_far+=" ${(L)word}"
  done
  [[ $PREFIX == *=* ]] && path_so_far="$service ${(L)PREFIX%%=*}=" && compset -P '*='
  local found=$(_yardmaster_operands $path_so_far)
  if [[ -n $found ]]; then _yardmaster_offer $found; else _files; fi
}
)";

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += " " + command.name;
    cases += fmt::format("    {})\n      _arguments -s \\\n", command.name);
    for (const OptionInfo& option : command.options)
      if (shown(option)) cases += zsh_row(option);
    cases += fmt::format(
        "        {} ;;\n",
        single_quoted(command.operands.empty() ? "*:: :_files" : "*: :_yardmaster_operand"));
  }
  return fmt::format(
      "#compdef{}\n# Completion of Yardmaster's commands for zsh.\n_yardmaster_operands() "
      "{{\n{}}}\n{}"
      "_yardmaster() {{\n  case $service in\n{}  esac\n}}\n_yardmaster \"$@\"\n",
      names, operand_cases(commands), kZshOperands, cases);
}

// --- fish ---

// A live command within '…' within "…".
std::string fish_quoted(Values kind) {
  std::string out;
  for (char c : live_command(kind)) {
    if (c == '\'') out += "\\\\";  // of the inner quotes, and of the outer ones
    if (c == '\\') out += "\\\\\\";
    out += c;
  }
  return out;
}

// Of a list the last name is completed; of key=value, the value.
constexpr std::string_view kFishFunctions = R"(function _yardmaster_offer
  set -l typed (string replace -r '^--?[A-Za-z_-]+=' '' -- (commandline -ct))
  set -l list (string match -r '^.*,' -- $typed)
  for word in (sh -c $argv[1])
    echo "$list$word"
  end
end
function _yardmaster_operand
  set -l words (commandline -opc)
  set -l command (string replace -r '.*/' '' -- $words[1])
  set -l path $command
  for word in $words[2..-1]
    string match -q -- '-*' $word; or set path "$path "(string lower -- $word)
  end
  set -l key (string match -r '^[^=]*=' -- (commandline -ct))
  test -n "$key"; and set path "$command "(string lower -- $key)
  for word in (sh -c $_yardmaster_operands yardmaster $path)
    echo "$key$word"
  end
end
)";

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  // In fish a backslash quotes within single quotes.
  std::string cases;
  for (char c : operand_cases(commands))
    cases += c == '\\' || c == '\'' ? std::string("\\") + c : std::string(1, c);
  std::string out = fmt::format(
      "# Completion of Yardmaster's commands for fish.\nset -g _yardmaster_operands '{}'\n{}",
      cases, kFishFunctions);
  for (const CompletedCommand& command : commands) {
    for (const OptionInfo& option : command.options) {
      if (!shown(option)) continue;
      out += fmt::format("complete -c {}", command.name);
      if (!option.name.empty()) out += fmt::format(" -l {}", option.name);
      if (option.letter) out += fmt::format(" -s {}", option.letter);
      ValueSource source = values_of(option);
      if (source.kind == Values::Words)
        out += fmt::format(" -x -a {}", single_quoted(join(source.words, " ")));
      else if (source.kind != Values::Unknown)
        out += fmt::format(" -x -a \"(_yardmaster_offer '{}')\"", fish_quoted(source.kind));
      else if (option.takes == Takes::Value)
        out += " -r";
      out += fmt::format(" -d {}\n", single_quoted(option.help));
    }
    if (!command.operands.empty())
      out += fmt::format("complete -c {} -f -a '(_yardmaster_operand)'\n", command.name);
  }
  return out;
}

}  // namespace

std::optional<Shell> parse_shell(std::string_view name) {
  if (name == "bash") return Shell::Bash;
  if (name == "zsh") return Shell::Zsh;
  if (name == "fish") return Shell::Fish;
  return std::nullopt;
}

ValueSource values_of(const OptionInfo& option) {
  std::string_view name = option.name, argument = option.argument;
  if (option.takes == Takes::Nothing) return {};
  auto is_one_of = [name](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_one_of({"partition"})) return {.kind = Values::Partitions};
  if (is_one_of({"nodelist", "nodes", "exclude"}) && argument.find("MIN") == argument.npos)
    return {.kind = Values::Nodes};
  if (is_one_of({"jobid", "job", "jobs"})) return {.kind = Values::Jobs};
  if (is_one_of({"name", "jobname"}) && option.letter == 'n') return {.kind = Values::JobNames};
  if (is_one_of({"reservation"})) return {.kind = Values::Reservations};
  if (argument.find('|') == argument.npos || argument.find_first_of("[]=,.") != argument.npos)
    return {};
  ValueSource out{.kind = Values::Words};
  for (std::string_view word : split(argument, '|')) {
    // A word in capitals stands for something else.
    if (to_upper(word) == word && word.find_first_not_of("0123456789") != word.npos) return {};
    out.words.emplace_back(word);
  }
  return out;
}

std::string completion_script(Shell shell, const std::vector<CompletedCommand>& commands) {
  switch (shell) {
    case Shell::Bash: return bash_script(commands);
    case Shell::Zsh: return zsh_script(commands);
    case Shell::Fish: return fish_script(commands);
  }
  return {};
}

}  // namespace ym::cli
