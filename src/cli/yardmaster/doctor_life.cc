// SPDX-License-Identifier: Apache-2.0
// What can be told only of a machine and a cluster that run: ports, cgroups, clock, controller,
// nodes.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/yardmaster/doctor.h"
#include "cli/yardmaster/founding.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/machine.h"

namespace ym::cli {
namespace {

constexpr std::int64_t kSaneClock_s = 1'700'000'000;  // 2023-11: earlier than any build of this
constexpr std::size_t kNodesShownMax = 10;

bool runs(const Patient& patient, std::string_view program, std::string_view node = {}) {
  return std::ranges::any_of(patient.processes, [&](const ClusterProcess& process) {
    return process.program == program && (node.empty() || process.node == node);
  });
}

bool is_here(const std::string& host) {
  return host == "localhost" || host.substr(0, host.find('.')) == host_name();
}

}  // namespace

std::vector<Finding> check_ports(const Patient& patient) {
  std::vector<Finding> out;
  std::size_t ours = 0, free = 0;
  auto look = [&](const std::string& whose, std::uint16_t port, bool running) {
    if (running) return void(++ours);
    if (port_is_free(port)) return void(++free);
    out.push_back({Health::Fail, "ports",
                   fmt::format("port {} of {} is taken by another program", port, whose),
                   fmt::format("`ss -ltnp sport = {}` tells by which; end it, or change the port "
                               "in {}",
                               port, patient.loaded.path)});
  };
  const ClusterConfig& config = patient.loaded.config;
  for (const ControllerHost& host : config.controllers)
    if (is_here(host.name)) look("slurmctld", config.controller_port, runs(patient, "slurmctld"));
  for (const NodeSpec& node : config.nodes)
    if (is_here(node.hostname.empty() ? node.name : node.hostname))
      look("node " + node.name, node.port ? node.port : config.node_port,
           runs(patient, "slurmd", node.name));
  if (out.empty())
    out.push_back(
        {Health::Ok, "ports", fmt::format("{} in use by this cluster, {} free", ours, free), ""});
  return out;
}

std::vector<Finding> check_cgroups(const Patient&) {
  bool hybrid = ::access("/sys/fs/cgroup/unified/cgroup.procs", W_OK) == 0;
  if (hybrid && ::access("/sys/fs/cgroup/cgroup.controllers", F_OK) != 0)
    return {{Health::Ok, "cgroups",
             "version 1, and a version 2 tree beside it, by which jobs are found and ended", ""}};
  if (::access("/sys/fs/cgroup/cgroup.controllers", F_OK) != 0)
    return {{Health::Warn, "cgroups",
             ::access("/sys/fs/cgroup/memory", F_OK) == 0 ? "version 1 only" : "none",
             "jobs run, but their memory and CPUs are not confined; boot with "
             "systemd.unified_cgroup_hierarchy=1 for version 2"}};
  std::string own;
  if (auto text = read_file("/proc/self/cgroup", 1 << 16))
    for (std::string_view line : split(*text, '\n'))
      if (line.starts_with("0::")) own = "/sys/fs/cgroup" + std::string(line.substr(3));
  bool writable = !own.empty() && ::access(own.c_str(), W_OK) == 0;
  if (writable) return {{Health::Ok, "cgroups", fmt::format("version 2, {} writable", own), ""}};
  // A user's own cluster usually has none, and works without.
  bool root = ::geteuid() == 0;
  return {
      {root ? Health::Warn : Health::Ok, "cgroups",
       fmt::format("version 2, {} not writable: jobs run, but are not confined", own),
       root ? "mount /sys/fs/cgroup writable, or start the daemons in a scope of systemd's" : ""}};
}

std::vector<Finding> check_clock(const Patient& patient) {
  Instant now = wall_clock();
  if (now.unix_seconds() < kSaneClock_s || now < boot_time())
    return {{Health::Fail, "clock", fmt::format("it says {}", show_time(now, "nothing")),
             "set the clock (timedatectl, chrony): tokens expire by it"}};
  // The controller cannot have started later than now.
  if (patient.pong && patient.pong->started > now + std::chrono::seconds(5))
    return {{Health::Fail, "clock",
             fmt::format("the controller started at {}, which is in our future",
                         show_time(patient.pong->started, "?")),
             "synchronise the clocks of both machines"}};
  return {{Health::Ok, "clock", show_time(now, "?"), ""}};
}

std::vector<Finding> check_controller(const Patient& patient) {
  auto pong = patient.pong;
  std::string why;
  if (!pong) {
    bool local = std::ranges::all_of(patient.loaded.config.controllers,
                                     [](const ControllerHost& host) { return is_here(host.name); });
    if (local && !runs(patient, "slurmctld")) {
      why = "slurmctld does not run";
    } else {
      Controller controller(patient.loaded);
      auto asked = controller.ask<Pong>(Ping{});
      if (asked)
        pong = *asked;
      else
        why = asked.error().text;
    }
  }
  if (!pong)
    return {{Health::Fail, "controller", why,
             fmt::format("`yardmaster up` or `slurmctld` starts it; its log: {}",
                         patient.loaded.config.controller_log)}};
  std::vector<Finding> out{
      {Health::Ok, "controller",
       fmt::format("up on {} since {}", pong->host, show_time(pong->started, "?")), ""}};
  if (pong->version != YM_SLURM_VERSION)
    out.push_back({Health::Warn, "controller",
                   fmt::format("its version is {}, ours {}", pong->version, YM_SLURM_VERSION),
                   "restart the older one"});
  if (pong->log_writable)
    out.push_back({Health::Ok, "log of events", "writable", ""});
  else
    out.push_back({Health::Fail, "log of events", pong->trouble,
                   "make room on the disk, then restart slurmctld; no job is accepted meanwhile"});
  if (pong->log_writable && !pong->trouble.empty())
    out.push_back({Health::Fail, "controller", pong->trouble, "see its log"});
  return out;
}

std::vector<Finding> check_nodes(const Patient& patient) {
  if (!patient.pong) return {};
  Controller controller(patient.loaded);
  auto rows = ask_nodes(controller);
  if (!rows) return {{Health::Fail, "nodes", rows.error().text, ""}};
  std::vector<Finding> out;
  std::size_t good = 0;
  for (const NodeRow& row : *rows) {
    const Node& node = row.node;
    if (node.condition == NodeCondition::Future) continue;
    // The controller may not have missed it yet.
    bool here = is_here(node.spec->hostname.empty() ? node.spec->name : node.spec->hostname);
    if (node.switched_off() || node.must_wake()) {
      ++good;
      continue;
    }
    bool gone = here && !patient.processes.empty() && !runs(patient, "slurmd", node.spec->name);
    if (node.usable() && !gone) {
      ++good;
      continue;
    }
    bool lost = gone || (!node.responding && !node.down_by_admin);
    std::string text = fmt::format("{} is {}{}{}", node.spec->name, state_word(node),
                                   gone ? ", but its slurmd does not run" : "",
                                   node.reason.empty() ? "" : ": " + printable(node.reason));
    if (out.size() < kNodesShownMax)
      out.push_back({lost ? Health::Fail : Health::Warn, "nodes", text,
                     lost ? fmt::format("`yardmaster up` or `slurmd` starts it; its log: {}",
                                        node_log_path(patient.loaded.config, *node.spec))
                          : fmt::format("`scontrol update NodeName={} State=RESUME` brings it back",
                                        node.spec->name)});
  }
  if (out.size() == kNodesShownMax) out.push_back({Health::Fail, "nodes", "and perhaps more", ""});
  if (good > 0) out.push_back({Health::Ok, "nodes", counted(good, "node") + " ready for work", ""});
  return out;
}

}  // namespace ym::cli
