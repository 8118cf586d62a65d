// SPDX-License-Identifier: Apache-2.0
// Limits of memory: set when a step starts, lowered while it runs.
//
// A job's limit only ever falls: a step that starts with an older order does not raise it again.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"
#include "shepherd/cgroup_file.h"
#include "shepherd/containment.h"

namespace ym {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
// What a group without a limit shows on v1 is a little below that.
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
// Room to breathe above what is in use: a sixteenth of it.
constexpr std::uint64_t kRoomPart = 16;

// 0 if it is not a number: "max".
std::uint64_t number_in(const std::string& folder, const char* file) {
  return parse_u64(read_cgroup(folder, file).value_or("")).value_or(0);
}

}  // namespace

std::uint64_t Containment::allowed_bytes(std::uint64_t megabytes) const {
  return std::max(megabytes * config_.allowed_memory_percent / 100, config_.min_memory_mb) *
         kMegabyte;
}

std::uint64_t Containment::memory_limit(const std::string& folder) const {
  std::uint64_t bytes = number_in(folder, v2_ ? "memory.max" : "memory.limit_in_bytes");
  return bytes ? bytes : kUnlimited;
}

std::uint64_t Containment::resident(const std::string& folder) const {
  auto count = [&](const char* word) { return cgroup_count(folder, "memory.stat", word); };
  return v2_ ? count("anon") + count("shmem") : count("total_rss") + count("total_shmem");
}

void Containment::limit_memory(const ShepherdOrder& order, std::vector<std::string>& troubles) {
  if (!memory_.valid()) return;
  if (v2_) enable(memory_, "memory");
  if (!make_folder(memory_)) return troubles.push_back(errno_text(step_folder(memory_)));
  std::string job = job_folder(memory_), step = step_folder(memory_);
  limit_memory_of(job, order.job_memory_mb, troubles);
  limit_memory_of(step, order.memory_mb, troubles);
  if (v2_ && order.oom_kill_step) write_cgroup(step, "memory.oom.group", "1");
}

void Containment::limit_memory_of(const std::string& folder, std::uint64_t megabytes,
                                  std::vector<std::string>& troubles) const {
  if (megabytes == 0 || memory_limit(folder) <= allowed_bytes(megabytes)) return;
  if (!lower_limit(folder, allowed_bytes(megabytes)))
    return troubles.push_back(errno_text(fmt::format("{}: memory", folder)));
  limit_swap(folder, megabytes);
}

// A machine without swap may lack the file; then there is nothing to limit.
void Containment::limit_swap(const std::string& folder, std::uint64_t megabytes) const {
  if (!config_.constrain_swap) return;
  std::uint64_t swap = megabytes * config_.allowed_swap_percent / 100 * kMegabyte;
  if (v2_)
    write_cgroup(folder, "memory.swap.max", fmt::format("{}", swap));
  else
    write_cgroup(folder, "memory.memsw.limit_in_bytes",
                 fmt::format("{}", memory_limit(folder) + swap));
}

// v1 refuses what it cannot reclaim. v2 would kill for it, so what is above is reclaimed first, by
// memory.high, which does not.
// REQUIRES: the limit is above `bytes`.
bool Containment::lower_limit(const std::string& folder, std::uint64_t bytes) const {
  std::string text = fmt::format("{}", bytes);
  if (!v2_) return write_cgroup(folder, "memory.limit_in_bytes", text);
  if (number_in(folder, "memory.current") <= bytes) return write_cgroup(folder, "memory.max", text);
  write_cgroup(folder, "memory.high", text);
  bool fits = number_in(folder, "memory.current") <= bytes;
  fits = fits && write_cgroup(folder, "memory.max", text);
  write_cgroup(folder, "memory.high", "max");
  return fits;
}

std::uint64_t Containment::lower_memory(std::uint64_t megabytes) const {
  if (!memory_.made) return 0;
  std::string job = job_folder(memory_), step = step_folder(memory_);
  auto megabytes_for = [&](std::uint64_t bytes) {
    std::uint64_t percent = std::max<std::uint32_t>(1, config_.allowed_memory_percent);
    std::uint64_t whole = bytes / kMegabyte + (bytes % kMegabyte != 0);
    std::uint64_t needed = (whole * 100 + percent - 1) / percent;
    return bytes <= allowed_bytes(megabytes) ? megabytes : std::max(megabytes, needed);
  };
  std::uint64_t used = resident(job);
  std::uint64_t wanted = megabytes_for(used + used / kRoomPart);
  for (const std::string& folder : {job, step}) {
    bool limited = memory_limit(folder) < kUnlimited;
    bool lower = memory_limit(folder) > allowed_bytes(wanted);
    if (limited && lower && lower_limit(folder, allowed_bytes(wanted))) limit_swap(folder, wanted);
  }
  std::uint64_t limit = memory_limit(job);
  return limit < kUnlimited ? megabytes_for(limit) : 0;
}

std::uint64_t Containment::job_resident_mb() const {
  if (!memory_.made) return 0;
  std::uint64_t bytes = resident(job_folder(memory_));
  return bytes / kMegabyte + (bytes % kMegabyte != 0);
}

}  // namespace ym
