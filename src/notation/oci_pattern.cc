// SPDX-License-Identifier: Apache-2.0
#include "notation/oci_pattern.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kLetters = "%@bejmnrstuUZ";

std::string command_text(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += quoted_for_shell(word);
  }
  return out;
}

std::string value_of(char letter, const OciPatternValues& values) {
  switch (letter) {
    case '%': return "%";
    case '@': return command_text(values.command);
    case 'b': return values.bundle;
    case 'e': return values.environment_file;
    case 'j': return std::to_string(values.job);
    case 'm': return values.spool;
    case 'n': return values.node;
    case 'p': return std::to_string(values.pid);
    case 'r': return values.rootfs;
    case 's': return std::to_string(values.step);
    case 't': return std::to_string(values.task);
    case 'u': return values.user;
    case 'U': return std::to_string(values.uid);
    case 'Z': return values.work_dir;
    default: return {'%', letter};
  }
}

}  // namespace

std::string quoted_for_shell(std::string_view word) {
  std::string out = "'";
  for (char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  out += '\'';
  return out;
}

Status check_oci_pattern(std::string_view pattern, bool may_name_pid) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    if (++i == pattern.size()) return fail("a % at the end means nothing; %% is a percent sign");
    if (pattern[i] == 'p' && !may_name_pid) return fail("%p is for RunTimeKill and RunTimeDelete");
    if (pattern[i] != 'p' && kLetters.find(pattern[i]) == kLetters.npos)
      return fail(fmt::format("%{} means nothing", printable(pattern.substr(i, 1))));
  }
  return {};
}

std::string expand_oci_pattern(std::string_view pattern, const OciPatternValues& values) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size())
      out += value_of(pattern[++i], values);
    else
      out += pattern[i];
  }
  return out;
}

}  // namespace ym
