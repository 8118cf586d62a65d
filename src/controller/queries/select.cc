// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/select.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

bool listed(const std::vector<std::string>& list, std::string_view word) {
  return list.empty() || std::ranges::find(list, word) != list.end();
}

bool user_listed(const std::vector<std::string>& list, const JobSpec& spec) {
  return list.empty() || std::ranges::any_of(list, [&](const std::string& user) {
           return user == spec.user_name || parse_unsigned<std::uint32_t>(user) == spec.uid.value;
         });
}

bool partition_listed(const std::vector<std::string>& list, const JobSpec& spec) {
  return list.empty() ||
         std::ranges::any_of(split_words(spec.partitions, ','), [&](std::string_view name) {
           return std::ranges::find(list, name) != list.end();
         });
}

}  // namespace

FilterMatch::FilterMatch(const JobFilter& filter, const State& state) : filter_(filter) {
  auto hosts = Hostlist::parse(filter.nodes);
  if (!hosts) return;
  hosts->for_each([&](std::string_view host) {
    if (const Node* node = state.find_node(host)) nodes_.insert(node->id);
  });
}

bool FilterMatch::state_matches(const Job& job) const {
  if (filter_.all_states) return true;
  // One that comes back to the queue when its epilog has run is not over either.
  bool over = is_terminal(job.state) && !job.completing() && !job.requeue_wanted;
  if (filter_.states.empty()) return !over;
  return std::ranges::find(filter_.states, job.state) != filter_.states.end();
}

bool FilterMatch::operator()(const Job& job) const {
  const JobSpec& spec = *job.spec;
  if (!state_matches(job) || !user_listed(filter_.users, spec) ||
      !partition_listed(filter_.partitions, spec))
    return false;
  if (!listed(filter_.accounts, spec.account) || !listed(filter_.qos, spec.qos) ||
      !listed(filter_.names, spec.name))
    return false;
  if (filter_.nodes.empty()) return true;
  return std::ranges::any_of(job.allocation->nodes,
                             [&](const NodeShare& share) { return nodes_.contains(share.node); });
}

namespace {

// N: every component that there is a record of; N+k: that one.
std::set<JobId> components_named(const State& state, const JobTarget& target) {
  std::set<JobId> ids;
  auto add = [&](std::uint32_t offset) {
    const Job* one = state.find(JobId{target.job.value + offset});
    bool mine = one && one->het_job == target.job && one->het_offset == offset;
    if (mine) ids.insert(one->id);
  };
  if (target.component) {
    if (*target.component < kHetComponentsMax) add(*target.component);
    return ids;
  }
  std::uint32_t count = state.find(target.job)->het_count;
  for (std::uint32_t offset = 0; offset < count; ++offset) add(offset);
  return ids;
}

}  // namespace

std::set<JobId> records_of(const State& state, const JobTarget& target) {
  std::set<JobId> ids;
  JobId id = target.job;
  if (!id && target.sluid) {  // O(jobs); SLUIDs are looked up rarely and by people
    state.jobs.for_each([&](std::uint64_t, const Job& job) {
      if (job.sluid == target.sluid) ids.insert(job.id);
    });
    return ids;
  }
  if (target.tasks && target.tasks->empty()) return ids;
  const Job* job = state.find(id);
  if (target.component || (job && job->het_job == id)) return components_named(state, target);
  bool is_array = !job || job->array_job == id;
  if (job && !target.tasks) ids.insert(id);
  if (!is_array) return ids;
  bool waits =
      job && job->array && target.tasks && !job->array->waiting.intersected(*target.tasks).empty();
  if (waits) ids.insert(id);
  std::uint32_t first = target.tasks ? target.tasks->min() : 0;
  std::uint32_t last = target.tasks ? target.tasks->max() : kArrayIndexMax;
  state.for_each_element(id, first, last, [&](const Job& element) {
    if (!target.tasks || target.tasks->contains(element.array_task)) ids.insert(element.id);
  });
  return ids;
}

namespace {

// Up to so many elements that wait together are shown one by one if they were asked for by name.
constexpr std::uint32_t kElementRowsMax = 64;

// The elements among `tasks` that wait together in this record.
bool visit_elements(const Job& common, const IndexSet& tasks,
                    const std::function<bool(const Job&)>& visit) {
  Job part = common;
  IndexSet chosen = common.array->waiting.intersected(tasks);
  if (chosen.count() > kElementRowsMax) {
    part.array = Ref(ArrayTasks{.waiting = chosen, .max_running = common.array->max_running});
    return visit(part);
  }
  part.array = {};
  bool go_on = true;
  chosen.for_each([&](std::uint32_t task) {
    part.array_task = task;
    go_on = go_on && visit(part);
  });
  return go_on;
}

}  // namespace

void for_each_selected(const State& state, const JobFilter& filter,
                       const std::function<bool(const Job&)>& visit, JobId from) {
  FilterMatch match(filter, state);
  if (filter.targets.empty()) {
    state.jobs.visit_from(from.value,
                          [&](std::uint64_t, const Job& job) { return !match(job) || visit(job); });
    return;
  }
  // With the elements that were named, where a record stands for several; none: all of it.
  std::map<JobId, std::optional<IndexSet>> ids;
  for (const JobTarget& target : filter.targets)
    for (JobId id : records_of(state, target)) {
      auto [at, fresh] = ids.try_emplace(id, target.tasks);
      bool few = target.tasks && target.tasks->count() <= kElementRowsMax;
      if (!fresh && at->second && few)
        target.tasks->for_each([&](std::uint32_t task) { at->second->insert(task); });
      else if (!fresh)
        at->second = std::nullopt;
    }
  for (const auto& [id, tasks] : ids) {
    const Job& job = state.jobs.at(id.value);
    if (id < from || !match(job)) continue;
    if (!(job.array && tasks ? visit_elements(job, *tasks, visit) : visit(job))) return;
  }
}

}  // namespace ym
