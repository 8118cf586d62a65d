// SPDX-License-Identifier: Apache-2.0
// The jobs of a snapshot in squeue's usual order, so that the first lines can be sent before the
// last are looked at: by partition, state, the highest priority first, id. And by user, so that
// somebody's three jobs are found among a million.
//
// A value: copies share their parts, and moved_on() changes only what the changed jobs touch.
// Pure; safe on any thread.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cow_table.h"
#include "base/ref.h"
#include "model/job_messages.h"
#include "model/state.h"

namespace ym {

// What of a job decides its place, and whether it is looked at: small, so that many are passed
// quickly.
struct OrderKey {
  std::uint16_t partition = 0;     // rank of the shown name
  std::uint8_t state = 0;          // completing ones last
  bool over = false;               // not shown unless asked for
  std::uint32_t low_priority = 0;  // the highest comes first; a held job has none
  std::uint32_t id = 0;
  std::uint32_t uid = 0;
  std::uint64_t shape = 0;  // shape_hash of a pending job: behind its verdict

  bool operator==(const OrderKey&) const = default;
  bool operator<(const OrderKey& other) const {
    if (partition != other.partition) return partition < other.partition;
    if (state != other.state) return state < other.state;
    if (low_priority != other.low_priority) return low_priority < other.low_priority;
    return id < other.id;
  }
};

// A sorted list in parts of some hundred, shared between copies.
template <class T>
class SharedList {
 public:
  static constexpr std::size_t kPart = 512;

  void build(std::vector<T> sorted) {
    parts_.clear();
    for (std::size_t i = 0; i < sorted.size(); i += kPart / 2)
      parts_.emplace_back(std::vector<T>(
          sorted.begin() + static_cast<std::ptrdiff_t>(i),
          sorted.begin() + static_cast<std::ptrdiff_t>(std::min(sorted.size(), i + kPart / 2))));
  }
  void insert(const T& value) {
    if (parts_.empty()) {
      parts_.emplace_back(std::vector<T>{value});
      return;
    }
    std::size_t at = part_of(value);
    std::vector<T> part = *parts_[at];
    part.insert(std::lower_bound(part.begin(), part.end(), value), value);
    if (part.size() <= kPart) {
      parts_[at] = Ref(std::move(part));
      return;
    }
    auto middle = part.begin() + kPart / 2;
    parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                  Ref(std::vector<T>(middle, part.end())));
    part.erase(middle, part.end());
    parts_[at] = Ref(std::move(part));
  }
  void erase(const T& value) {
    if (parts_.empty()) return;
    std::size_t at = part_of(value);
    std::vector<T> part = *parts_[at];
    auto found = std::lower_bound(part.begin(), part.end(), value);
    if (found == part.end() || value < *found) return;
    part.erase(found);
    if (part.empty())
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(at));
    else
      parts_[at] = Ref(std::move(part));
  }
  // From the first that is not before `from` on, until visit(value) returns false.
  template <class Visit>
  void visit_from(const T& from, Visit&& visit) const {
    if (parts_.empty()) return;
    for (std::size_t i = part_of(from); i < parts_.size(); ++i) {
      const std::vector<T>& part = *parts_[i];
      auto at = std::lower_bound(part.begin(), part.end(), from);
      for (; at != part.end(); ++at)
        if (!visit(*at)) return;
    }
  }

 private:
  // The part in which the value is or would be.
  std::size_t part_of(const T& value) const {
    auto after = std::upper_bound(
        parts_.begin(), parts_.end(), value,
        [](const T& one, const Ref<std::vector<T>>& part) { return one < part->front(); });
    return after == parts_.begin() ? 0 : static_cast<std::size_t>(after - parts_.begin()) - 1;
  }
  std::vector<Ref<std::vector<T>>> parts_;  // none is empty
};

class OrderedJobs {
 public:
  // O(jobs log jobs). Priorities are the records', unless `priority` says what they are now; then
  // the value holds for this moment only and cannot be moved on.
  using PriorityNow = std::function<std::uint32_t(const Job&)>;
  static OrderedJobs of(const State& state, const PriorityNow& priority = {});
  // The same for a later snapshot, in which at most these jobs are other ones than before.
  // O(changed × part), unless a partition has appeared: then as of().
  OrderedJobs moved_on(const State& state, const std::vector<JobId>& changed) const;

  Seq seq() const { return seq_; }
  // Calls visit(key, job) for every job that the filter selects, in order, from the key on; stops
  // when it returns false. The filter has no targets. O(keys passed), or O(their jobs) for users.
  void for_each(const State& state, const JobFilter& filter, const OrderKey& from,
                const std::function<bool(const OrderKey&, const Job&)>& visit) const;

 private:
  bool rank_of(const State& state, const Job& job, OrderKey& key) const;
  bool put(const State& state, const Job& job);
  void drop(JobId id);
  std::vector<OrderKey> keys_of_users(const std::vector<std::string>& users) const;

  Seq seq_;
  Ref<std::vector<std::string>> partitions_;  // names as shown, sorted
  SharedList<OrderKey> keys_;
  SharedList<std::uint64_t> by_user_;                           // uid, then id
  Ref<std::set<std::pair<std::string, std::uint32_t>>> names_;  // of users, with their numbers
  CowTable<OrderKey> key_of_;                                   // by id
};

}  // namespace ym
