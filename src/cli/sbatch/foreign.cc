// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/foreign.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/sbatch/foreign_resources.h"
#include "cli/sbatch/script.h"

namespace ym::cli {
namespace {

// A batch system whose lines are read. A colon stands behind letters that have a value, as in
// getopt's lists.
struct System {
  std::string_view magic;
  std::string_view letters;
  Status (*take)(char letter, std::string_view value, ForeignLines& out);
};

void put(ForeignLines& out, std::string_view name, std::string_view value) {
  out.words.push_back(fmt::format("--{}={}", name, value));
}

// The letters of -m: abort, begin, end; n is for none.
std::string mail_types(std::string_view letters) {
  std::string out;
  for (char letter : letters) {
    std::string_view type = letter == 'a' ? "FAIL" : letter == 'b' ? "BEGIN" : "END";
    if (letter == 'n') continue;
    if (letter != 'a' && letter != 'b' && letter != 'e') return std::string(letters);
    out += fmt::format("{}{}", out.empty() ? "" : ",", type);
  }
  return out;
}

Status take_attributes(std::string_view value, ForeignLines& out) {
  constexpr std::string_view kDepend = "depend=", kUmask = "umask=";
  if (value.starts_with(kDepend)) put(out, "dependency", value.substr(kDepend.size()));
  if (!value.starts_with(kUmask)) return {};
  std::uint32_t umask = 0;
  for (char digit : value.substr(kUmask.size())) {
    if (digit < '0' || digit > '7' || umask > 0777)
      return fail(1, fmt::format("Invalid umask \"{}\".", printable(value.substr(kUmask.size()))));
    umask = umask * 8 + static_cast<std::uint32_t>(digit - '0');
  }
  if (umask != 0) out.umask = umask & 0777;
  return {};
}

Status take_pbs(char letter, std::string_view value, ForeignLines& out) {
  switch (letter) {
    case 'A': put(out, "account", value); break;
    case 'a': put(out, "begin", value); break;
    case 'e': put(out, "error", value); break;
    case 'h': out.words.emplace_back("--hold"); break;
    case 'J':
    case 't': put(out, "array", value); break;
    case 'l': {
      auto options = pbs_resources(value);
      if (!options) return std::unexpected(options.error());
      for (std::string& option : *options) out.words.push_back(std::move(option));
      break;
    }
    case 'M': put(out, "mail-user", value); break;
    case 'm':
      if (std::string types = mail_types(value); !types.empty()) put(out, "mail-type", types);
      break;
    case 'N': put(out, "job-name", value); break;
    case 'o': put(out, "output", value); break;
    case 'p': put(out, "nice", value); break;
    case 'q': put(out, "partition", value); break;
    case 'v': out.variables.emplace_back(value); break;
    case 'W': return take_attributes(value, out);
    default: break;  // c, C, I, j, k, r, S, u, V, z: what they ask for is not asked of Slurm
  }
  return {};
}

// Memory of LSF is in kilobytes.
std::string lsf_memory(std::string_view value) {
  return parse_unsigned<std::uint64_t>(value) ? fmt::format("{}K", value) : sbatch_size(value);
}

std::string commas_for_spaces(std::string_view names) {
  std::string out;
  for (std::string_view name : split_words(names, ' '))
    out += fmt::format("{}{}", out.empty() ? "" : ",", name);
  return out;
}

Status take_bsub(char letter, std::string_view value, ForeignLines& out) {
  switch (letter) {
    case 'c': put(out, "chdir", value); break;
    case 'e': put(out, "error", value); break;
    case 'J': put(out, "job-name", value); break;
    case 'M': put(out, "mem-per-cpu", lsf_memory(value)); break;
    case 'm': put(out, "nodelist", commas_for_spaces(value)); break;
    case 'n': put(out, "ntasks", value.substr(value.rfind(',') + 1)); break;  // "MIN,MAX"
    case 'o': put(out, "output", value); break;
    case 'q': put(out, "partition", value); break;
    case 'W': put(out, "time", value); break;
    case 'x': out.words.emplace_back("--exclusive"); break;
    default: break;
  }
  return {};
}

constexpr System kSystems[] = {
    {.magic = "#PBS",
     .letters = "A:a:C:c:e:hIJ:j:k:l:M:m:N:o:p:q:r:S:t:u:Vv:W:z",
     .take = take_pbs},
    {.magic = "#BSUB", .letters = "c:e:J:M:m:n:o:q:W:x", .take = take_bsub},
};

Error unknown(std::string text) { return {.code = kForeignOption, .text = std::move(text)}; }

Status take_words(const System& system, const std::vector<std::string>& words, ForeignLines& out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "-cwd" && system.take == take_bsub) word = "-c";
    if (word.size() < 2 || word[0] != '-')
      return fail(1, fmt::format("Invalid argument: {}", printable(word)));
    if (word[1] == '-')
      return std::unexpected(unknown(fmt::format("unrecognized option '{}'", printable(words[i]))));
    for (std::size_t at = 1; at < word.size(); ++at) {
      std::size_t known = word[at] == ':' ? std::string_view::npos : system.letters.find(word[at]);
      if (known == std::string_view::npos)
        return std::unexpected(
            unknown(fmt::format("invalid option -- '{}'", printable(word.substr(at, 1)))));
      bool has_value = known + 1 < system.letters.size() && system.letters[known + 1] == ':';
      std::string_view value = has_value ? word.substr(at + 1) : "";
      if (has_value && value.empty()) {
        if (++i == words.size())
          return std::unexpected(
              unknown(fmt::format("option requires an argument -- '{}'", word.substr(at, 1))));
        value = words[i];
      }
      if (Status taken = system.take(word[at], value, out); !taken) return taken;
      if (has_value) break;
    }
  }
  return {};
}

// The words of a line of this system, or none.
Result<std::vector<std::string>> words_of(const System& system, std::string_view line) {
  line.remove_prefix(system.magic.size());
  bool ours = line.starts_with(' ') || line.starts_with('\t') || line.starts_with('-');
  return ours ? shell_words(line) : std::vector<std::string>{};
}

}  // namespace

bool has_foreign_lines(std::string_view script) {
  for (const System& system : kSystems)
    if (script.find(fmt::format("\n{}", system.magic)) != std::string_view::npos) return true;
  return false;
}

Result<ForeignLines> foreign_lines(std::string_view script) {
  ForeignLines out;
  for (const System& system : kSystems) {
    std::string_view rest = script;
    for (std::size_t number = 1; !rest.empty(); ++number) {
      std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!line.starts_with(system.magic)) continue;
      auto words = words_of(system, line);
      if (!words)
        return fail(1, fmt::format("{} line {}: {}", system.magic, number, words.error().text));
      if (Status taken = take_words(system, *words, out); !taken)
        return std::unexpected(taken.error());
      if (out.words.size() > kScriptArgumentsMax)
        return fail(1, fmt::format("{} line {}: too many options", system.magic, number));
    }
  }
  return out;
}

}  // namespace ym::cli
