// SPDX-License-Identifier: Apache-2.0
// A workload: the jobs of a trace, or of a model, as a replay needs them.
//
// Invariants of a Workload that was read or generated:
//  (1) jobs are ordered by `submit_s`, those of one second as the trace has them; the first is at
//      0.
//  (2) run_s > 0 and procs > 0.
//  (3) `user` and `partition` are places in the lists of names; so are `qos`, `account` and
//      `licenses`, counted from 1.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ym::trace {

inline constexpr std::size_t kJobsMax = 20'000'000;      // of one workload
inline constexpr std::uint32_t kProcsMax = 100'000'000;  // of one job, or of the machine
inline constexpr std::int64_t kSecondsMax = 0xfffffff;   // of a run or a limit: eight years
inline constexpr std::uint64_t kMemoryMax = 1ull << 40;  // of one job, in megabytes
inline constexpr std::int64_t kNotStarted = -1;

struct TraceJob {
  std::uint64_t id = 0;  // the trace's own number
  std::int64_t submit_s = 0;
  std::uint32_t run_s = 0;    // how long it runs if nobody stops it
  std::uint32_t limit_s = 0;  // 0: it has none
  std::uint32_t procs = 0;
  std::uint32_t nodes = 0;      // at least so many; 0: no wish
  std::uint32_t gpus = 0;       // of the whole job
  std::uint64_t memory_mb = 0;  // of the whole job; 0: no wish
  std::uint32_t user = 0;
  std::uint32_t partition = 0;
  std::uint32_t qos = 0, account = 0, licenses = 0;  // 0: none
  std::uint32_t array = 0;                      // elements of one array share a number; 0: none
  std::int64_t recorded_start_s = kNotStarted;  // when it started where the trace comes from

  bool operator==(const TraceJob&) const = default;
};

struct Workload {
  std::vector<TraceJob> jobs;
  std::vector<std::string> users, partitions, qos, accounts, licenses;
  std::uint32_t procs = 0;         // of the machine, if the trace says so
  std::int64_t origin_unix_s = 0;  // when submit_s 0 was; 0: nobody knows
  std::size_t passed_over = 0;     // records that tell of no run: no processors, no time
  bool has_recorded_starts = false;
};

// Gives names their places.
class Names {
 public:
  explicit Names(std::vector<std::string>& list) : list_(list) {}
  std::uint32_t place_of(std::string_view name);

 private:
  std::vector<std::string>& list_;
  std::map<std::string, std::uint32_t, std::less<>> places_;
};

// The name at a place that is counted from 1; 0 has none.
std::string name_at(const std::vector<std::string>& names, std::uint32_t place);

// Puts the jobs in order and the first one at 0. REQUIRES: the other invariants.
void settle(Workload& workload);

// As Standard Workload Format; what read_swf reads back as the same jobs.
std::string print_swf(const Workload& workload);

}  // namespace ym::trace
