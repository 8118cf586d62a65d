// SPDX-License-Identifier: Apache-2.0
// Keys of `scontrol update node` and `scontrol create node`.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/scontrol/keys.h"
#include "config/parse.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kNeverMind = 0xffffffff;

// In the order in which a shortened word is taken for one of them.
constexpr std::string_view kStates[] = {"NoResp",
                                        "DRAIN",
                                        "DOWN",
                                        "FAIL",
                                        "FUTURE",
                                        "RESUME",
                                        "IDLE",
                                        "POWER_DOWN",
                                        "POWER_DOWN_ASAP",
                                        "POWER_DOWN_FORCE",
                                        "POWER_UP",
                                        "POWER_UP_FORCE",
                                        "UNDRAIN",
                                        "CANCEL_REBOOT"};

struct NodeKey {
  KeyInfo info;
  Status (*set)(const Assignment&, UpdateNodes&);
};

template <auto Field>
Status text(const Assignment& one, UpdateNodes& out) {
  out.*Field = one.value;
  return {};
}

Status names(const Assignment& one, UpdateNodes& out) {
  if (auto hosts = Hostlist::parse(one.value); !hosts) return std::unexpected(hosts.error());
  out.nodes = one.value;
  return {};
}

Status state(const Assignment& one, UpdateNodes& out) {
  const auto* found = std::ranges::find_if(
      kStates, [&](std::string_view name) { return same_ignoring_case(name, one.value); });
  if (found == std::end(kStates) && !one.value.empty())
    found = std::ranges::find_if(
        kStates, [&](std::string_view name) { return starts_with_ignoring_case(name, one.value); });
  if (found == std::end(kStates))
    return fail(fmt::format(
        "Invalid input: {}={}\nRequest aborted\nValid states are: NoResp DRAIN FAIL FUTURE RESUME "
        "POWER_DOWN POWER_UP UNDRAIN\nNot all states are valid given a node's prior state",
        one.key, printable(one.value)));
  out.state = *found;
  return {};
}

Status weight(const Assignment& one, UpdateNodes& out) {
  auto value = number_of(one.value);
  if (!value)
    return fail(
        fmt::format("scontrol: error: Weight value ({}) is not a valid number\nNo changes "
                    "specified",
                    printable(one.value)));
  out.weight = *value;
  return {};
}

// Seconds, a span such as 1:30:00, or INFINITE for never.
Status resume_after(const Assignment& one, UpdateNodes& out) {
  auto seconds = parse_unsigned<std::uint32_t>(one.value);
  if (!seconds && (same_ignoring_case(one.value, "INFINITE") || one.value == "-1"))
    seconds = kNeverMind;
  if (!seconds)
    if (auto span = parse_time_limit(one.value); span && !span->unlimited)
      seconds = static_cast<std::uint32_t>(span->span.count());
  if (!seconds)
    return fail(
        fmt::format("scontrol: error: Invalid ResumeAfter value: {}", printable(one.value)));
  out.resume_after_s = *seconds;
  return {};
}

Status no_certificates(const Assignment&, UpdateNodes&) {
  return fail(
      "Requested operation not supported on this system: nodes prove who they are by the "
      "cluster's key");
}
Status no_topology(const Assignment&, UpdateNodes&) {
  return fail(
      "Requested operation not supported on this system: topology.conf says where nodes "
      "are");
}

const std::vector<NodeKey>& node_keys() {
  using U = UpdateNodes;
  static const std::vector<NodeKey> keys = {
      {{"NodeName", "Node", "NODES", "Which nodes; ALL for all"}, names},
      {{"ActiveFeatures", "", "LIST", "Those of its features that count now"},
       text<&U::active_features>},
      {{"AvailableFeatures", "Features", "LIST", "Its features"}, text<&U::features>},
      {{"CertToken", "", "TEXT", "Refused: there are no certificates"}, no_certificates},
      {{"Comment", "", "TEXT", "For people"}, text<&U::comment>},
      {{"CpuBind", "", "TYPE", "Kept and shown, without effect"}, text<&U::cpu_bind>},
      {{"Extra", "", "TEXT", "For people and programs"}, text<&U::extra>},
      {{"Gres", "", "LIST", "Its generic resources"}, text<&U::gres>},
      {{"InstanceId", "", "TEXT", "Of a cloud"}, text<&U::instance_id>},
      {{"InstanceType", "", "TEXT", "Of a cloud"}, text<&U::instance_type>},
      {{"NodeAddr", "", "ADDRESS", "Where it is reached"}, text<&U::address>},
      {{"NodeHostname", "", "NAME", "What its machine is called"}, text<&U::hostname>},
      {{"Reason", "", "TEXT", "Why it is down or drained"}, text<&U::reason>},
      {{"ResumeAfter", "", "SECONDS", "Down or drained for so long only; INFINITE: for good"},
       resume_after},
      {{"State", "", "STATE",
        "DRAIN, UNDRAIN, DOWN, FAIL, RESUME, FUTURE, NoResp, CANCEL_REBOOT, POWER_UP, "
        "POWER_UP_FORCE, POWER_DOWN, POWER_DOWN_ASAP (no more work first), POWER_DOWN_FORCE (end "
        "its jobs)"},
       state},
      {{"Topology", "TopologyStr", "TEXT", "Refused: topology.conf says it"}, no_topology},
      {{"Weight", "", "NUMBER", "Nodes of less weight are given first"}, weight},
  };
  return keys;
}

}  // namespace

std::vector<KeyInfo> node_key_infos() {
  std::vector<KeyInfo> out;
  for (const NodeKey& key : node_keys()) out.push_back(key.info);
  return out;
}

Result<UpdateNodes> node_update(const std::vector<Assignment>& assignments) {
  UpdateNodes out;
  std::size_t changes = 0;
  for (const Assignment& one : assignments) {
    const NodeKey* key = find_in(node_keys(), one.key);
    if (!key || one.sign != '=')
      return fail(not_supported(one, KeyKind::Node).text + "\nRequest aborted");
    if (Status set = key->set(one, out); !set) return std::unexpected(set.error());
    if (key->info.name != "NodeName") ++changes;
  }
  if (changes == 0) return fail("No changes specified");
  bool wants_reason = out.state == "DOWN" || out.state == "DRAIN" || out.state == "FAIL";
  if (wants_reason && (!out.reason || out.reason->empty()))
    return fail("You must specify a reason when DOWNING or DRAINING a node. Request denied");
  return out;
}

// A line of slurm.conf is what describes new nodes: the same reader reads it.
Result<CreateNodes> new_nodes(const Words& words) {
  std::string line;
  for (const std::string& word : words) {
    auto equals = word.find('=');
    if (equals == std::string::npos)
      return fail(fmt::format("scontrol: error: Invalid input: {}", printable(word)));
    line += fmt::format("{}=\"{}\" ", word.substr(0, equals), word.substr(equals + 1));
  }
  if (line.find('\n') != std::string::npos) return fail("scontrol: error: Invalid input");
  auto read = parse_config("line", [&](const std::string&) -> Result<std::string> {
    return "ClusterName=x\nSlurmctldHost=x\n" + line + "\nPartitionName=x Nodes=ALL\n";
  });
  if (!read) {
    std::string text = read.error().text;  // "line:3: …"
    auto colon = text.find(": ");
    return fail(fmt::format("scontrol: error: {}",
                            colon == std::string::npos ? text : text.substr(colon + 2)));
  }
  CreateNodes out{.nodes = std::move(read->config.nodes)};
  for (NodeSpec& node : out.nodes) {
    node.dynamic = true;
    std::string_view base = std::string_view(node.state).substr(0, node.state.find('+'));
    if (base != "CLOUD" && base != "FUTURE" && base != "UNKNOWN" && base != "EXTERNAL")
      return fail(
          fmt::format("scontrol: error: Invalid state for new nodes: {}; it is CLOUD, "
                      "FUTURE or EXTERNAL",
                      node.state));
  }
  return out;
}

}  // namespace ym::cli
