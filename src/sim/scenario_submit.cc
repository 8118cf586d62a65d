// SPDX-License-Identifier: Apache-2.0
// Scenarios: what a job asks for.
#include <algorithm>

#include "base/text.h"
#include "sim/scenario.h"
#include "sim/scenario_words.h"

namespace ym::sim {
namespace {

// "2*1,1*4": further components, each of so many nodes and CPUs for each task.
std::vector<JobSpec> components_in(std::string_view text) {
  std::vector<JobSpec> out;
  for (std::string_view one : split_words(text, ',')) {
    std::size_t star = one.find('*');
    JobSpec spec;
    spec.min_nodes = number(one.substr(0, star));
    spec.cpus_per_task = star == std::string_view::npos ? 1 : number(one.substr(star + 1));
    out.push_back(std::move(spec));
  }
  return out;
}

// What most jobs say.
void set_plainly(JobSpec& spec, const Known& key, const std::string& value) {
  if (key == "nodes") spec.min_nodes = number(value);
  if (key == "tasks") spec.tasks = number(value);
  if (key == "cpus") spec.cpus_per_task = number(value);
  if (key == "limit") spec.time_limit_s = number(value);
  if (key == "mem") spec.memory_per_node_mb = number(value);
  if (key == "name") spec.name = value;
  if (key == "partition") spec.partitions = value;
  if (key == "qos") spec.qos = value;
  if (key == "max_nodes") spec.max_nodes = number(value);
  if (key == "time_min") spec.time_min_s = number(value);
  if (key == "deadline") spec.deadline = moment(value);
  if (key == "nice") spec.nice = static_cast<std::int32_t>(std::stol(value));
  if (key == "begin") spec.begin = moment(value);
  if (key == "exclusive") spec.exclusive = value != "user";
  if (key == "tasks_per_node") spec.tasks_per_node = number(value);
  if (key == "mem_per_cpu") spec.memory_per_cpu_mb = number(value);
  if (key == "account") spec.account = value;
  if (key == "mincpus") spec.min_cpus_per_node = number(value);
}

void set_specially(JobExtras& extras, JobSpecials& specials, const Known& key,
                   const std::string& value) {
  if (key == "licenses") extras.licenses = value;
  if (key == "nodelist") extras.required_nodes = value;
  if (key == "constraint") extras.features = value;
  if (key == "exclusive")
    specials.exclusive_kind = value == "user"   ? kExclusiveUser
                              : value == "topo" ? kExclusiveTopo
                                                : kExclusiveNode;
  if (key == "gres") extras.gres = value;
  if (key == "switches") specials.switches = number(value);
  if (key == "switch_wait") specials.switch_wait_s = number(value);
  if (key == "segment") specials.segment = number(value);
  if (key == "gpus") specials.tres_per_job = "gpu:" + value;
  if (key == "gpus_per_task") specials.tres_per_task = "gpu:" + value;
  if (key == "cpus_per_gpu") specials.cpus_per_tres = "gpu:" + value;
  if (key == "exclude") extras.excluded_nodes = value;
  if (key == "reservation") extras.reservation = value;
  if (key == "gres_per_task") specials.tres_per_task = value;
  if (key == "gpus_per_socket") specials.tres_per_socket = "gpu:" + value;
  if (key == "gres_flags") specials.gres_flags = value;
  if (key == "prefer") specials.prefer = value;
  if (key == "core_spec") extras.core_spec = number(value);
  if (key == "sockets") extras.sockets_per_node = number(value);
  if (key == "cores") extras.cores_per_socket = number(value);
  if (key == "threads") extras.binding.threads_per_core = number(value);
  if (key == "distribution") extras.binding.distribution = value;
  if (key == "tmp") extras.tmp_mb = number(value);
  if (key == "node_counts") specials.node_counts = value;
}

}  // namespace

Caller Scenario::root() { return {.user_name = "root", .administrator = true}; }

// by=NAME: ada unless it is said, bob, root, or another.
Caller Scenario::caller_of(const Line& line) {
  auto by = line.options.find("by");
  if (by == line.options.end() || by->second == "ada")
    return {.uid = {1000}, .gid = {1000}, .user_name = "ada"};
  if (by->second == "root") return root();
  std::uint32_t uid = by->second == "bob" ? 1001 : 1002;
  return {.uid = {uid}, .gid = {uid}, .user_name = by->second};
}

std::string Scenario::submit(const Line& line) {
  SubmitJob submit;
  JobSpec& spec = submit.spec;
  spec.batch = true;
  spec.script_blob = "script";
  spec.name = "job";
  JobExtras extras;
  JobSpecials specials;
  std::string unknown;
  for (const auto& [name, value] : line.options) {
    Known key(name);
    if (key == "by") continue;  // see caller_of
    set_plainly(spec, key, value);
    set_specially(extras, specials, key, value);
    if (key == "array") submit.array = value;
    if (key == "het") submit.het = components_in(value);
    if (key == "depend") submit.dependency = value;
    unknown += key.complaint();
  }
  for (const std::string& said : line.words) {
    Known word(said);
    if (word == "exclusive") spec.exclusive = true;
    if (word == "norequeue") spec.requeue = false;
    if (word == "interactive") spec.batch = false;
    if (word == "hold") submit.hold = true;
    if (word == "contiguous") spec.contiguous = true;
    if (word == "spread") specials.spread = true;
    if (word == "test") submit.test_only = true;
    if (word == "oversubscribe") spec.oversubscribe = true;
    if (word == "overcommit") spec.overcommit = true;
    if (word == "expedite") specials.expedite = true;
    if (word == "consolidate") specials.consolidate_segments = true;
    if (word == "spread_segments") specials.spread_segments = true;
    if (word == "use_min_nodes") specials.use_min_nodes = true;
    unknown += word.complaint();
  }
  if (!unknown.empty()) return unknown;
  if (!(specials == JobSpecials{})) extras.specials = Ref(specials);
  if (!(extras == JobExtras{})) spec.extras = Ref(extras);
  spec.tasks = std::max(spec.tasks, spec.min_nodes);
  for (JobSpec& other : submit.het) {
    std::uint32_t nodes = other.min_nodes, cpus = other.cpus_per_task;
    other = spec;
    other.min_nodes = other.tasks = nodes;
    other.cpus_per_task = cpus;
  }
  controller_.submit({++requests_}, submit, caller_of(line), now_, out_);
  return {};
}

}  // namespace ym::sim
