// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/select.h"

#include <algorithm>

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

std::set<JobId> records_of(const State& state, const JobTarget& target) {
  std::set<JobId> ids;
  JobId id = target.job;
  if (!id && target.sluid) {  // O(jobs); SLUIDs are looked up rarely and by people
    state.jobs.for_each([&](std::uint64_t, const Job& job) {
      if (job.sluid == target.sluid) ids.insert(job.id);
    });
    return ids;
  }
  const Job* job = state.find(id);
  bool is_array = !job || job->array_job == id;
  if (job && (!target.tasks || job->array)) ids.insert(id);
  if (!is_array) return target.tasks ? std::set<JobId>{} : ids;
  // Elements were numbered after their array, mostly close behind it. O(jobs behind it) at worst.
  state.jobs.visit_from(id.value, [&](std::uint64_t, const Job& other) {
    if (other.array_job == id && !other.array &&
        (!target.tasks || target.tasks->contains(other.array_task)))
      ids.insert(other.id);
    return true;
  });
  return ids;
}

void for_each_selected(const State& state, const JobFilter& filter,
                       const std::function<bool(const Job&)>& visit, JobId from) {
  FilterMatch match(filter, state);
  if (filter.targets.empty()) {
    state.jobs.visit_from(from.value,
                          [&](std::uint64_t, const Job& job) { return !match(job) || visit(job); });
    return;
  }
  std::set<JobId> ids;
  for (const JobTarget& target : filter.targets) ids.merge(records_of(state, target));
  for (JobId id : ids) {
    const Job& job = state.jobs.at(id.value);
    if (id >= from && match(job) && !visit(job)) return;
  }
}

}  // namespace ym
