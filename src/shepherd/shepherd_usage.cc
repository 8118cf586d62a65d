// SPDX-License-Identifier: Apache-2.0
// What the shepherd tells about its tasks: samples of their use, and answers to questions.
#include <sys/socket.h>

#include <algorithm>

#include "os/clock.h"
#include "shepherd/packet.h"
#include "shepherd/shepherd.h"

namespace ym {
namespace {

constexpr std::size_t kPidsMax = 8192;  // in one answer

}  // namespace

// The time until the next sample is due; the first one is a whole period after the start, so that
// short tasks never pay for any.
Duration Shepherd::until_sample() const {
  if (order_.acct_frequency_s == 0) return std::chrono::hours(1);
  return sampled_at_ + std::chrono::seconds(order_.acct_frequency_s) - monotonic_clock();
}

void Shepherd::sample_if_due() {
  if (order_.acct_frequency_s == 0 || until_sample() > Duration(0)) return;
  sampled_at_ = monotonic_clock();
  usage_.sample();
}

void Shepherd::answer_query(const Fd& caller) {
  usage_.sample();
  StepHere here{.job = order_.job,
                .sluid = order_.sluid,
                .step = order_.step,
                .uid = {order_.uid},
                .node = order_.node,
                .start = started_,
                .pids = usage_.pids()};
  if (here.pids.size() > kPidsMax) here.pids.resize(kPidsMax);
  std::uint32_t local = 0;
  for (const UsageMeter::Task& task : usage_.tasks())
    here.tasks.push_back({.local = local++,
                          .usage = {.rank = task.rank,
                                    .pid = static_cast<std::uint32_t>(task.pid),
                                    .usage = task.usage},
                          .ended = task.ended});
  std::string bytes = wire::encode(StepsHere{.rows = {std::move(here)}});
  ::send(caller.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Shepherd::answer_memory(const Fd& caller, std::uint64_t memory_mb) {
  usage_.sample();
  std::uint64_t resident_kb = 0;
  for (const UsageMeter::Task& task : usage_.tasks())
    if (!task.ended) resident_kb += task.usage.rss_kb;
  ::ym::answer_memory(caller.get(), containment_, memory_mb, resident_kb);
}

}  // namespace ym
