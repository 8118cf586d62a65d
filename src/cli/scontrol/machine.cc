// SPDX-License-Identifier: Apache-2.0
// Verbs about machines: power, the local slurmd, the topology, controllers.
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/host_functions.h"
#include "cli/common/local.h"
#include "cli/common/steps_here.h"
#include "cli/common/targets.h"
#include "cli/scontrol/data.h"
#include "config/topology_text.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr Duration kTakeoverTime = std::chrono::seconds(30);
constexpr Duration kTakeoverStep{2000};
constexpr int kTakeoverPause_ms = 100;

std::string switch_line(const TopologySwitch& one) {
  std::string below = one.level ? fmt::format(" Switches={}", one.switches.str()) : std::string();
  return fmt::format("SwitchName={} Level={} LinkSpeed={} Nodes={}{}\n", one.name, one.level,
                     one.link_speed, one.members.str(), below);
}

std::string block_line(const TopologyBlock& one, std::size_t index, const Topology& topology) {
  std::uint64_t size = topology.block_sizes.empty() ? one.nodes.count() : topology.block_sizes[0];
  return fmt::format("BlockName={} BlockIndex={} Nodes={} BlockSize={}\n", one.name, index,
                     one.nodes.str(), size);
}

std::string ring_line(const TopologyRing& one) {
  return fmt::format("RingName={} Nodes={} RingSize={}\n", one.name, one.nodes.str(),
                     one.nodes.count());
}

std::string torus_line(const TopologyTorus& one) {
  return fmt::format("TorusName={} Dims={}x{}x{} Nodes={}\n", one.name, one.size.x, one.size.y,
                     one.size.z, hosts_of(one).str());
}

// Does the word name the row, or is each of its nodes behind it?
bool is_meant(std::string_view name, const Hostlist& members, const std::string& word,
              const Hostlist& hosts) {
  if (word.empty() || word == name) return true;
  bool all = !hosts.empty();
  hosts.for_each([&](std::string_view host) { all = all && members.contains(host); });
  return all;
}

}  // namespace

std::string local_node(const Controller& controller) {
  if (auto name = environment_variable("SLURMD_NODENAME")) return *name;
  auto config = controller.whole_config();
  if (!config) return "";
  for (const NodeSpec& node : (*config)->nodes)
    if (::access(node_socket(**config, node.name).c_str(), F_OK) == 0) return node.name;
  return "";
}

namespace {

// A cluster without one is none that has gone wrong.
int refuse_topology(const ScontrolContext& context, const Error& error) {
  bool none = error.text.starts_with("No topology");
  context.fail_with("scontrol: error: " +
                    (none ? "No topology information available" : error.text));
  return none ? 0 : 1;
}

}  // namespace

int show_topoconf(ScontrolContext& context, const Words&) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto all = load_topologies((*controller)->config_path());
  if (!all) return refuse_topology(context, all.error());
  print(topology_yaml(*all));
  return 0;
}

int show_topology(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto topology = load_topology((*controller)->config_path());
  if (!topology) return refuse_topology(context, topology.error());
  if (context.settings().notation)
    return print_data(context, {"show", "topology"},
                      [&](DataWriter& data) { write_topology(data, *topology); });
  // "node=n1", "switch=s1", "block=b1", or the bare name.
  std::string word = words.empty() ? "" : words[0].substr(words[0].find('=') + 1);
  auto hosts = Hostlist::parse(word);
  std::string out;
  for (const TopologySwitch& one : topology->switches)
    if (is_meant(one.name, one.members, word, hosts ? *hosts : Hostlist())) out += switch_line(one);
  for (std::size_t i = 0; i < topology->blocks.size(); ++i)
    if (is_meant(topology->blocks[i].name, topology->blocks[i].nodes, word,
                 hosts ? *hosts : Hostlist()))
      out += block_line(topology->blocks[i], i, *topology);
  for (const TopologyRing& one : topology->rings)
    if (is_meant(one.name, one.nodes, word, hosts ? *hosts : Hostlist())) out += ring_line(one);
  for (const TopologyTorus& one : topology->tori)
    if (is_meant(one.name, hosts_of(one), word, hosts ? *hosts : Hostlist()))
      out += torus_line(one);
  if (out.empty())
    return context.fail_with(
        fmt::format("scontrol: error: Topology information contains no switch, block or node {}",
                    printable(word)));
  print(out);
  return 0;
}

int show_slurmd(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::string name = words.empty() ? local_node(**controller) : words[0];
  auto here = ask_local_node(**controller, name, {});
  if (!here)
    return context.fail_with(fmt::format("slurm_load_slurmd_status: {}", here.error().text));
  auto rows = (*controller)->ask<NodeRows>(QueryNodes{.nodes = name});
  if (!rows || rows->rows.empty())
    return context.fail_with("slurm_load_slurmd_status: Invalid node name specified");
  const Node& node = rows->rows[0].node;
  const NodeRegistration& found = *node.registration;
  std::vector<std::string> steps;
  for (const StepHere& step : here->rows)
    steps.push_back(fmt::format("{}.{}", step.job.value, step_name(step.step)));
  std::string out;
  auto line = [&](std::string_view key, std::string_view value) {
    out += fmt::format("{:<24} = {}\n", key, value);
  };
  line("Active Steps", steps.empty() ? "NONE" : join(steps, ","));
  line("Actual CPUs", std::to_string(found.cpus));
  line("Actual Boards", std::to_string(found.boards));
  line("Actual sockets", std::to_string(found.sockets));
  line("Actual cores", std::to_string(found.cores_per_socket));
  line("Actual threads per core", std::to_string(found.threads_per_core));
  line("Actual real memory", fmt::format("{} MB", found.memory_mb));
  line("Actual temp disk space", fmt::format("{} MB", found.tmp_mb));
  line("Boot time", show_time(found.slurmd_start, "Unknown"));
  line("Hostname", name);
  line("Slurmd Debug", (*controller)->config().node_debug);
  line("Version", found.version);
  print(out);
  return 0;
}

int power_verb(ScontrolContext& context, const Words& words) {
  UpdateNodes request;
  std::string mode;
  for (const std::string& word : words) {
    if (request.state.empty() && same_ignoring_case(word, "up"))
      request.state = "POWER_UP";
    else if (request.state.empty() && same_ignoring_case(word, "down"))
      request.state = "POWER_DOWN";
    else if (same_ignoring_case(word, "asap") || same_ignoring_case(word, "force"))
      mode = "_" + to_upper(word);
    else if (starts_with_ignoring_case(word, "reason="))
      request.reason = word.substr(7);
    else if (request.nodes.empty())
      request.nodes = word;
    else
      return context.fail_with(fmt::format("unexpected argument: {}", printable(word)));
  }
  if (request.state.empty() || request.nodes.empty())
    return context.fail_with("too few arguments for keyword:power");
  if (request.state == "POWER_UP" && mode == "_ASAP")
    return context.fail_with("asap is for power down only");
  request.state += mode;
  auto hosts = hosts_of(context, request.nodes);
  if (!hosts) return context.fail_with(hosts.error().text);
  request.nodes = hosts->str();
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(request, Asking::Keyed);
  if (!done) return context.fail_with(fmt::format("slurm_update error: {}", done.error().text));
  return 0;
}

int pidinfo_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:pidinfo");
  auto pid = parse_unsigned<std::uint32_t>(words[0]);
  if (!pid || *pid == 0)
    return context.fail_with(fmt::format("invalid pid: {}", printable(words[0])));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto here = ask_local_node(**controller, "", {});
  const StepHere* found = nullptr;
  if (here)
    for (const StepHere& step : here->rows)
      if (std::ranges::find(step.pids, *pid) != step.pids.end()) found = &step;
  if (!found) return context.fail_with("Failed to locate job for requested pid");
  QueryJobs question{.filter = {.targets = {{.job = found->job}}, .all_states = true}};
  std::vector<JobRow> rows;
  if (Status asked = fetch_rows<JobRows>(**controller, question, rows); !asked || rows.empty())
    return context.fail_with("Failed to get job end time");
  Instant end = rows[0].job.limit_end;
  print(fmt::format("Slurm JobId={} ends at {}\n", found->job.value,
                    end == kNever ? "UNLIMITED" : show_time(end, "Unknown")));
  if (end != kNever)
    print(fmt::format("slurm_get_rem_time is {}\n", (end - wall_clock()).count() / 1000));
  return 0;
}

int cluster_verb(ScontrolContext& context, const Words& words) {
  if (words.size() != 1) return context.fail_with("cluster needs one name");
  context.settings().cluster = words[0];
  if (auto controller = context.controller(); !controller)
    return context.fail_with(controller.error().text);
  return 0;
}

namespace {

// Until it leads. One that led until a moment ago may not know yet that it does no more: what
// counts is the newest epoch that anybody knows of.
int take_over(ScontrolContext& context, Controller& controller, std::uint32_t index) {
  bool asked = false;
  for (Duration end = monotonic_clock() + kTakeoverTime; monotonic_clock() < end;) {
    std::uint64_t newest = 0;
    auto target = controller.ask_at<Pong>(index, Ping{}, kTakeoverStep);
    for (std::size_t i = 0; i < controller.config().controllers.size(); ++i)
      if (auto pong = controller.ask_at<Pong>(i, Ping{}, kTakeoverStep))
        newest = std::max(newest, pong->epoch);
    bool leads = target && target->leader == target->host;
    if (leads && target->epoch >= newest) return 0;
    if (leads) asked = false;
    if (!leads && !asked) {
      auto done = controller.ask_at<Done>(index, Takeover{}, kTakeoverStep);
      if (!done) return context.fail_with("slurm_takeover error: " + done.error().text);
      asked = true;
    }
    ::poll(nullptr, 0, kTakeoverPause_ms);
  }
  return context.fail_with("slurm_takeover error: it has not taken over in time");
}

}  // namespace

int takeover_verb(ScontrolContext& context, const Words& words) {
  std::uint32_t index = 1;
  if (!words.empty()) index = parse_unsigned<std::uint32_t>(words[0]).value_or(0);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::size_t known = (*controller)->config().controllers.size();
  bool named = words.empty() || parse_unsigned<std::uint32_t>(words[0]);
  if (known < 2 || !named || index >= known)
    return context.fail_with(
        words.empty() ? "slurm_takeover error: no backup controller defined"
                      : fmt::format("takeover: invalid backup controller index ({})", index));
  return take_over(context, **controller, index);
}

// The log is always whole: to stop at once loses nothing.
int abort_verb(ScontrolContext& context, const Words&) {
  return shutdown_verb(context, {"slurmctld"});
}

}  // namespace ym::cli
