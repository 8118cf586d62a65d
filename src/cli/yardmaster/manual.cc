// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/manual.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/options.h"
#include "cli/yardmaster/key_help.h"

namespace ym::cli {
namespace {

std::string head(std::string_view file, std::string_view summary, std::string_view description) {
  return fmt::format(
      ".TH {} 5 \"\" \"Yardmaster {}\" \"Files\"\n.SH NAME\n{} \\- {}\n.SH DESCRIPTION\n{}\n",
      to_upper(file), YM_VERSION, file, troff(summary), troff(description));
}

std::string_view kind_of(const KeyInfo& key) {
  switch (key.type) {
    case KeyType::Path: return "PATH";
    case KeyType::Number: return "NUMBER";
    case KeyType::Limit: return "NUMBER|UNLIMITED";
    case KeyType::YesNo: return "YES|NO";
    case KeyType::Time: return "TIME|UNLIMITED";
    case KeyType::Debug: return "LEVEL";
    case KeyType::Ports: return "PORT";
    case KeyType::Choice:
    case KeyType::Choices: return key.note;
    case KeyType::Text: break;
  }
  return "TEXT";
}

std::string rows(KeyScope scope) {
  std::string out;
  for (const KeyHelp& help : slurm_conf_help()) {
    const KeyInfo* key = help.scope == scope ? find_key(scope, help.name) : nullptr;
    if (!key) continue;
    out +=
        fmt::format(".TP\n\\fB{}\\fR={}\n{}.\n", key->name, troff(kind_of(*key)), troff(help.help));
    std::string_view usual = key->shown_default;
    if (!usual.empty() && usual != "(null)" && usual != "(null type)")
      out += fmt::format("Default: {}.\n", troff(usual));
  }
  return out;
}

// Accepted so that a site's file can be used as it is.
std::string not_yet() {
  std::string out;
  for_each_key(KeyScope::Main, [&out](const KeyInfo& key) {
    if (key.status != KeyStatus::NotYet) return;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", key.name);
  });
  return out + ".\n";
}

std::string slurm_conf_page() {
  std::string out = head(
      "slurm.conf", "the configuration of a cluster",
      "Lines of NAME=VALUE, any case; # begins a comment, \\ at the end of a line continues it, "
      "\"Include FILE\" reads another file. It is found by SLURM_CONF, in ~/.yardmaster, or as "
      "/etc/slurm/slurm.conf; nodes and commands without one fetch it from the controller. "
      "\"scontrol reconfigure\" takes a changed file over; one with errors is refused as a whole. "
      "\"yardmaster doctor\" examines it.");
  out += ".SH THE CLUSTER\n" + rows(KeyScope::Main);
  out += ".SH NODES\nOne line for each set of nodes, opened by NodeName.\n" + rows(KeyScope::Node);
  out += ".SH SETS OF NODES\n" + rows(KeyScope::NodeSet);
  out += ".SH NODES OUT OF SERVICE\n" + rows(KeyScope::DownNodes);
  out +=
      ".SH PARTITIONS\nOne line for each, opened by PartitionName.\n" + rows(KeyScope::Partition);
  out += ".SH ACCEPTED WITHOUT EFFECT\nOne warning names those that a file has.\n.PP\n" + not_yet();
  return out + ".SH SEE ALSO\ncgroup.conf(5), slurmctld(8), slurmd(8), scontrol(1)\n";
}

std::string cgroup_conf_page() {
  std::string out = head("cgroup.conf", "how jobs are confined",
                         "Stands beside slurm.conf. Without the file cores and memory are "
                         "confined where the machine can; with it, what it says.");
  out += ".SH WORDS\n";
  for (const CgroupKeyHelp& key : cgroup_conf_help())
    out += fmt::format(".TP\n\\fB{}\\fR={}\n{}.\n", key.name, troff(key.value), troff(key.help));
  return out + ".SH SEE ALSO\nslurm.conf(5), slurmd(8)\n";
}

}  // namespace

Result<std::string> file_page(std::string_view file) {
  if (file == "slurm.conf") return slurm_conf_page();
  if (file == "cgroup.conf") return cgroup_conf_page();
  return fail(fmt::format("there is no page about {}", printable(file)));
}

}  // namespace ym::cli
