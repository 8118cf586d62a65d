// SPDX-License-Identifier: Apache-2.0
// Texts made of an option table: --help, --usage and the manual page.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/options.h"

namespace ym::cli {
namespace {

constexpr std::size_t kHelpIndent = 28;

std::string synopsis(const OptionInfo& info) {
  std::string out = info.letter ? fmt::format("-{}", info.letter) : std::string("   ");
  if (!info.name.empty()) out += fmt::format("{}--{}", info.letter ? ", " : " ", info.name);
  if (info.takes == Takes::Value)
    out += fmt::format("{}{}", !info.name.empty() ? "=" : " ", info.argument);
  if (info.takes == Takes::Maybe)
    out += fmt::format("[{}{}]", !info.name.empty() ? "=" : "", info.argument);
  return out;
}

// Appends words of `text` from column `indent` on, the current line being `column` long already.
void wrap(std::string& out, std::size_t column, std::size_t indent, std::string_view text) {
  for (std::string_view word : split_words(text, ' ')) {
    if (column > indent && column + 1 + word.size() > kHelpColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  out += '\n';
}

}  // namespace

std::string troff(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string help_text(const CommandPage& page, const std::vector<OptionInfo>& options) {
  std::string out;
  bool first = true;
  for (const std::string& usage : page.usage) {
    out += fmt::format("{} {} {}\n", first ? "Usage:" : "      ", page.name, usage);
    first = false;
  }
  std::string summary = page.summary;
  if (!summary.empty() && summary[0] >= 'a' && summary[0] <= 'z')
    summary[0] = static_cast<char>(summary[0] - 32);
  wrap(out, 0, 0, summary + ".");
  out += "\n";
  std::string_view group;
  for (const OptionInfo& info : options) {
    if (info.hidden) continue;
    if (group != info.group) {
      if (!group.empty()) out += "\n";
      group = info.group;
      out += fmt::format("{}:\n", group.empty() ? "Help" : group);
    }
    std::string left = "  " + synopsis(info);
    out += left;
    std::size_t column = left.size();
    if (column + 2 > kHelpIndent) {
      out += "\n" + std::string(kHelpIndent, ' ');
    } else {
      out += std::string(kHelpIndent - column, ' ');
    }
    wrap(out, kHelpIndent, kHelpIndent, info.help);
  }
  return out;
}

std::string usage_text(const CommandPage& page, const std::vector<OptionInfo>& options) {
  std::string out = fmt::format("Usage: {}", page.name);
  std::string words;
  for (const OptionInfo& info : options) {
    if (info.hidden) continue;
    std::string word =
        !info.name.empty() ? fmt::format("--{}", info.name) : fmt::format("-{}", info.letter);
    if (info.takes == Takes::Value)
      word += fmt::format("{}{}", !info.name.empty() ? "=" : "", info.argument);
    if (info.takes == Takes::Maybe) word += fmt::format("[={}]", info.argument);
    words += fmt::format("[{}] ", word);
  }
  std::string_view operands = page.usage.empty() ? "" : std::string_view(page.usage[0]);
  if (operands.starts_with("[OPTION]...")) operands.remove_prefix(11);
  std::size_t indent = out.size() + 1;
  out += ' ';
  wrap(out, indent, indent, words + std::string(trim(operands)));
  return out;
}

std::string manual_page(const CommandPage& page, const std::vector<OptionInfo>& options) {
  std::string out = fmt::format(
      ".TH {} 1 \"\" \"Yardmaster {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
      to_upper(page.name), YM_VERSION, page.name, troff(page.summary));
  for (const std::string& usage : page.usage)
    out += fmt::format(".B {}\n{}\n.br\n", page.name, troff(usage));
  out += ".SH DESCRIPTION\n";
  for (std::string_view line : split(page.description, '\n'))
    out += line.empty() ? ".PP\n" : troff(line) + "\n";
  out += ".SH OPTIONS\n";
  std::string variables;
  std::string_view group;
  for (const OptionInfo& info : options) {
    if (info.hidden) continue;
    if (group != info.group) {
      group = info.group;
      out += fmt::format(".SS {}\n", group.empty() ? "Help" : group);
    }
    out += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", troff(trim(synopsis(info))), troff(info.help));
    if (info.in_script) out += "May stand on an #SBATCH line.\n";
    if (!info.variable.empty()) {
      out += fmt::format("Environment: \\fB{}\\fR.\n", info.variable_name());
      variables += fmt::format(".TP\n\\fB{}\\fR\nThe same as \\fB{}\\fR.\n", info.variable_name(),
                               troff(trim(synopsis(info))));
    }
    if (!info.other_variable.empty())
      variables += fmt::format(".TP\n\\fB{}\\fR\nThe same, if \\fB{}\\fR is not set.\n",
                               info.other_variable, info.variable_name());
  }
  if (!variables.empty())
    out += ".SH INPUT ENVIRONMENT VARIABLES\nOptions on the command line count more.\n" + variables;
  out += ".SH ENVIRONMENT\n.TP\n\\fBSLURM_CONF\\fR\nThe configuration file.\n";
  return out;
}

}  // namespace ym::cli
