// SPDX-License-Identifier: Apache-2.0
#include "cli/common/completion.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

constexpr std::string_view kJobsCommand = "squeue -h -o %i 2>/dev/null";
constexpr std::string_view kNodesCommand = "sinfo -h -N -o %N 2>/dev/null";
constexpr std::string_view kPartitionsCommand = "sinfo -h -o %R 2>/dev/null";

std::string_view live_command(Values kind) {
  switch (kind) {
    case Values::Jobs: return kJobsCommand;
    case Values::Nodes: return kNodesCommand;
    case Values::Partitions: return kPartitionsCommand;
    default: return "";
  }
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool shown(const OptionInfo& option) { return !option.hidden; }

// --- bash ---

// The shell splits --name=value at the sign, so that it is a word of its own.
constexpr std::string_view kBashHead = R"(# Completion of Yardmaster's commands for bash.
_yardmaster_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_yardmaster() {
  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  if [ "$cur" = = ]; then
    cur=
  elif [ "$before" = = ]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case "${COMP_WORDS[0]##*/} $before" in
)";
constexpr std::string_view kBashMiddle = R"(  esac
  case "${COMP_WORDS[0]##*/} $cur" in
)";
constexpr std::string_view kBashTail = R"(  esac
}
)";

std::string bash_words(const ValueSource& source) {
  if (source.kind == Values::Words) return join(source.words, " ");
  return fmt::format("$({})", live_command(source.kind));
}

std::string bash_script(const std::vector<CompletedCommand>& commands) {
  std::string values, options, operands, names;
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
      if (source.kind == Values::Unknown) continue;
      std::string forms = fmt::format("\"{} --{}\"", command.name, option.name);
      if (option.letter && option.takes == Takes::Value)
        forms += fmt::format("|\"{} -{}\"", command.name, option.letter);
      values +=
          fmt::format("    {}) _yardmaster_offer \"{}\"; return ;;\n", forms, bash_words(source));
    }
    options += fmt::format("    \"{} -\"*)\n      _yardmaster_offer \"{}\"\n", command.name, words);
    options += "      [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace ;;\n";
    if (command.operands != Values::Unknown)
      operands += fmt::format("    \"{} \"*) _yardmaster_offer \"$({})\" ;;\n", command.name,
                              live_command(command.operands));
  }
  return fmt::format("{}{}{}{}{}{}complete -o default -F _yardmaster{}\n", kBashHead, values,
                     kBashMiddle, options, operands, kBashTail, names);
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
  return fmt::format("{{compadd -- $({})}}", live_command(source.kind));
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

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += " " + command.name;
    cases += fmt::format("    {})\n      _arguments -s \\\n", command.name);
    for (const OptionInfo& option : command.options)
      if (shown(option)) cases += zsh_row(option);
    cases += fmt::format("        {} ;;\n",
                         single_quoted("*::" + zsh_action({.kind = command.operands})));
  }
  return fmt::format(
      "#compdef{}\n# Completion of Yardmaster's commands for zsh.\n_yardmaster() {{\n"
      "  case $service in\n{}  esac\n}}\n_yardmaster \"$@\"\n",
      names, cases);
}

// --- fish ---

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  std::string out = "# Completion of Yardmaster's commands for fish.\n";
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
        out +=
            fmt::format(" -x -a {}", single_quoted(fmt::format("({})", live_command(source.kind))));
      else if (option.takes == Takes::Value)
        out += " -r";
      out += fmt::format(" -d {}\n", single_quoted(option.help));
    }
    if (command.operands != Values::Unknown)
      out += fmt::format("complete -c {} -f -a {}\n", command.name,
                         single_quoted(fmt::format("({})", live_command(command.operands))));
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
