// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/order.h"

#include <algorithm>

#include "base/text.h"
#include "controller/queries/select.h"
#include "schedule/shape.h"

namespace ym {
namespace {

std::string_view shown_partition(const State& state, const Job& job) {
  const Partition* partition = state.find(job.partition);
  return partition ? partition->spec->name : job.spec->partitions;
}

constexpr std::uint8_t kCompleting = 100;  // behind every state

OrderKey key_of(const Job& job) {
  bool held = job.state == JobState::Pending && job.held();
  bool over = is_terminal(job.state) && !job.completing() && !job.requeue_wanted;
  auto state = static_cast<std::uint8_t>(job.state);
  return {.state = static_cast<std::uint8_t>(job.completing() ? state + kCompleting : state),
          .over = over,
          .low_priority = ~(held ? 0u : job.priority),
          .id = job.id.value,
          .uid = job.spec->uid.value,
          .shape = job.state == JobState::Pending ? shape_hash(shape_key(*job.spec)) : 0};
}

std::uint64_t user_key(std::uint32_t uid, std::uint32_t id) {
  return std::uint64_t{uid} << 32 | id;
}

// What a filter says of keys alone.
class KeyMatch {
 public:
  KeyMatch(const JobFilter& filter, const std::vector<std::string>& partitions) : filter_(filter) {
    for (const std::string& shown : partitions)
      partition_.push_back(filter.partitions.empty() ||
                           std::ranges::any_of(split_words(shown, ','), [&](std::string_view name) {
                             return std::ranges::find(filter.partitions, name) !=
                                    filter.partitions.end();
                           }));
  }
  bool operator()(const OrderKey& key) const {
    if (!partition_[key.partition]) return false;
    if (filter_.all_states) return true;
    if (filter_.states.empty()) return !key.over;
    auto state = static_cast<JobState>(key.state % kCompleting);
    return std::ranges::find(filter_.states, state) != filter_.states.end();
  }

 private:
  const JobFilter& filter_;
  std::vector<bool> partition_;
};

}  // namespace

// False if its partition is not known here.
bool OrderedJobs::rank_of(const State& state, const Job& job, OrderKey& key) const {
  std::string_view name = shown_partition(state, job);
  auto at = std::ranges::lower_bound(*partitions_, name);
  key = key_of(job);
  key.partition = static_cast<std::uint16_t>(at - partitions_->begin());
  return at != partitions_->end() && *at == name;
}

OrderedJobs OrderedJobs::of(const State& state, const PriorityNow& priority) {
  OrderedJobs out;
  out.seq_ = state.seq;
  std::set<std::string, std::less<>> partitions;
  std::set<std::pair<std::string, std::uint32_t>> names;
  const JobSpec* last = nullptr;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    std::string_view partition = shown_partition(state, job);
    if (!partitions.contains(partition)) partitions.emplace(partition);
    if (!last || last->uid != job.spec->uid || last->user_name != job.spec->user_name)
      names.emplace(job.spec->user_name, job.spec->uid.value);
    last = &*job.spec;
  });
  out.partitions_ = Ref(std::vector<std::string>(partitions.begin(), partitions.end()));
  out.names_ = Ref(std::move(names));
  std::vector<OrderKey> keys;
  std::vector<std::uint64_t> users;
  keys.reserve(state.jobs.size());
  users.reserve(state.jobs.size());
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    OrderKey key;
    out.rank_of(state, job, key);
    if (priority && job.state == JobState::Pending && !job.held())
      key.low_priority = ~priority(job);
    keys.push_back(key);
    users.push_back(user_key(key.uid, key.id));
    out.key_of_.put(key.id, key);
  });
  if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
  if (!std::ranges::is_sorted(users)) std::ranges::sort(users);
  out.keys_.build(std::move(keys));
  out.by_user_.build(std::move(users));
  return out;
}

void OrderedJobs::drop(JobId id) {
  const OrderKey* old = key_of_.find(id.value);
  if (!old) return;
  keys_.erase(*old);
  by_user_.erase(user_key(old->uid, old->id));
  key_of_.erase(id.value);
}

// False if its partition is not known here.
bool OrderedJobs::put(const State& state, const Job& job) {
  OrderKey key;
  if (!rank_of(state, job, key)) return false;
  const OrderKey* old = key_of_.find(key.id);
  if (old && *old == key) return true;
  drop(job.id);
  keys_.insert(key);
  by_user_.insert(user_key(key.uid, key.id));
  key_of_.put(key.id, key);
  if (!names_->contains({job.spec->user_name, key.uid})) {
    auto names = *names_;
    names.emplace(job.spec->user_name, key.uid);
    names_ = Ref(std::move(names));
  }
  return true;
}

OrderedJobs OrderedJobs::moved_on(const State& state, const std::vector<JobId>& changed) const {
  if (changed.size() > key_of_.size() / 8 + 16) return of(state);
  OrderedJobs out = *this;
  out.seq_ = state.seq;
  for (JobId id : changed) {
    const Job* job = state.find(id);
    if (!job)
      out.drop(id);
    else if (!out.put(state, *job))
      return of(state);
  }
  return out;
}

std::vector<OrderKey> OrderedJobs::keys_of_users(const std::vector<std::string>& users) const {
  std::set<std::uint32_t> uids;
  for (const std::string& user : users) {
    if (auto number = parse_unsigned<std::uint32_t>(user)) uids.insert(*number);
    for (auto at = names_->lower_bound({user, 0}); at != names_->end() && at->first == user; ++at)
      uids.insert(at->second);
  }
  std::vector<OrderKey> keys;
  for (std::uint32_t uid : uids)
    by_user_.visit_from(user_key(uid, 0), [&](std::uint64_t both) {
      if (both >> 32 != uid) return false;
      keys.push_back(key_of_.at(both & 0xffffffff));
      return true;
    });
  std::sort(keys.begin(), keys.end());
  return keys;
}

void OrderedJobs::for_each(const State& state, const JobFilter& filter, const OrderKey& from,
                           const std::function<bool(const OrderKey&, const Job&)>& visit) const {
  FilterMatch match(filter, state);
  KeyMatch matches(filter, *partitions_);
  auto look = [&](const OrderKey& key) {
    if (!matches(key)) return true;
    const Job& job = state.jobs.at(key.id);
    return !match(job) || visit(key, job);
  };
  if (filter.users.empty()) return keys_.visit_from(from, look);
  for (const OrderKey& key : keys_of_users(filter.users))
    if (!(key < from) && !look(key)) return;
}

}  // namespace ym
