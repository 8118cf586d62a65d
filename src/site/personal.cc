// SPDX-License-Identifier: Apache-2.0
#include "site/personal.h"

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "os/environment.h"

namespace ym {
namespace {

constexpr std::string_view kMark =
    "# Written by `yardmaster up`; an edited file is kept. Checksum ";
constexpr std::string_view kLongestSocketName = "/slurmctld.sock";
constexpr std::size_t kClusterNameMax = 40;

// FNV-1a: tells edits, not enemies.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (char c : text) sum = (sum ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return sum;
}

std::string with_mark(std::string_view body) {
  return fmt::format("{}{:016x}\n{}", kMark, checksum(body), body);
}

// "7001,7003-7005"
std::string port_list(const std::vector<std::uint16_t>& ports) {
  std::string out;
  for (std::size_t i = 0; i < ports.size();) {
    std::size_t end = i + 1;
    while (end < ports.size() && ports[end] == ports[end - 1] + 1) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ",", ports[i]);
    if (end - i > 1) out += fmt::format("-{}", ports[end - 1]);
    i = end;
  }
  return ports.size() == 1 ? out : fmt::format("[{}]", out);
}

}  // namespace

std::string personal_folder() {
  auto state = environment_variable("XDG_STATE_HOME");
  if (state && state->starts_with('/')) return *state + "/yardmaster";
  auto home = environment_variable("HOME");
  if (!home || !home->starts_with('/')) return {};
  return (*home == "/" ? "" : *home) + "/.local/state/yardmaster";
}

std::string personal_configuration(const std::string& folder) { return folder + "/etc/slurm.conf"; }

std::string personal_cluster_name(std::string_view user) {
  constexpr std::string_view kSuffix = "yard";
  std::string out;
  for (char c : to_lower(user)) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (out.size() + kSuffix.size() + 1 >= kClusterNameMax) break;
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  if (!out.empty() && out.back() != '-') out += '-';
  return out.append(kSuffix);
}

std::string personal_run_folder(const std::string& folder, std::uint32_t uid,
                                const std::string& temp) {
  std::string usual = folder + "/run";
  if (usual.size() + kLongestSocketName.size() <= kSocketPathMax) return usual;
  return fmt::format("{}/yardmaster-{}-{:08x}", temp, uid,
                     static_cast<std::uint32_t>(checksum(folder)));
}

std::string personal_slurm_conf(const PersonalPlan& plan) {
  YM_CHECK(!plan.node_ports.empty());
  std::size_t nodes = plan.node_ports.size();
  std::string names = nodes == 1 ? "n1" : fmt::format("n[1-{}]", nodes);
  std::string body = fmt::format(
      "ClusterName={}\n"
      "SlurmctldHost=localhost(127.0.0.1)\n"
      "SlurmctldPort={}\n"
      "SlurmUser={}\n"
      "SlurmdUser={}\n"
      "\n",
      plan.cluster, plan.controller_port, plan.user, plan.user);
  body += fmt::format(
      "StateSaveLocation=\"{0}/state\"\n"
      "SlurmdSpoolDir=\"{0}/spool/%n\"\n"
      "SlurmctldLogFile=\"{0}/log/slurmctld.log\"\n"
      "SlurmdLogFile=\"{0}/log/%n.log\"\n"
      "SlurmctldPidFile=\"{1}/slurmctld.pid\"\n"
      "SlurmdPidFile=\"{1}/%n.pid\"\n"
      "\n",
      plan.folder, plan.run_folder);
  body += fmt::format(
      "# Nodes that came back are used again; nodes may claim more than this machine has.\n"
      "ReturnToService=2\n"
      "SlurmdParameters=config_overrides\n"
      "SlurmdTimeout=60\n"
      "KillWait=5\n"
      "\n"
      "NodeName={} NodeHostname=localhost NodeAddr=127.0.0.1 Port={} CPUs={} RealMemory={}\n"
      "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
      names, port_list(plan.node_ports), plan.cpus, plan.memory_mb);
  return with_mark(body);
}

bool is_untouched(std::string_view text) {
  auto end = text.find('\n');
  if (!text.starts_with(kMark) || end == std::string_view::npos) return false;
  return text == with_mark(text.substr(end + 1));
}

}  // namespace ym
