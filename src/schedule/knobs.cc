// SPDX-License-Identifier: Apache-2.0
#include "schedule/knobs.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::uint32_t kTopoptMin = 2, kTopoptMax = 30;  // of bf_topopt_iterations

using Turn = void (*)(SchedulerKnobs&, std::uint64_t);

struct Knob {
  std::string_view name;
  Turn turn = nullptr;          // what a number does
  std::string_view needless{};  // why it needs no turning here
};

std::size_t or_no_limit(std::uint64_t value) {
  return value ? value : std::numeric_limits<std::size_t>::max();
}

// 0: never again but when everything changed.
void set_interval(SchedulerKnobs& knobs, std::uint64_t seconds) {
  knobs.budget.full_every = std::chrono::seconds(seconds);
}

// In the order of slurm.conf(5). What has neither a turn nor a reason is not acted on yet.
constexpr std::array kKnobs = {
    Knob{"assoc_limit_stop"},
    Knob{"batch_sched_delay", nullptr, "a pass costs what changed"},
    Knob{"bf_continue", nullptr, "promises are kept from pass to pass"},
    Knob{"bf_interval", set_interval},
    Knob{"bf_job_part_count_reserve"},
    Knob{"bf_licenses", nullptr, "licences are promised like all else"},
    Knob{"bf_max_job_array_resv"},
    Knob{"bf_max_job_assoc"},
    Knob{"bf_max_job_part",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.per_partition_max = or_no_limit(value);
         }},
    Knob{"bf_max_job_start",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           if (value) knobs.budget.starts_max = value;
         }},
    Knob{"bf_max_job_test",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.reservations_max = value;
           knobs.depth_is_set = true;
         }},
    Knob{"bf_max_job_user",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.per_user_max = or_no_limit(value);
         }},
    Knob{"bf_max_job_user_part"},
    Knob{"bf_max_time", [](SchedulerKnobs& knobs,
                           std::uint64_t value) { knobs.time_max = std::chrono::seconds(value); }},
    Knob{"bf_min_age_reserve",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.min_age = std::chrono::seconds(value);
         }},
    Knob{"bf_min_prio_reserve"},
    Knob{"bf_node_space_size", nullptr, "the profile has no size"},
    Knob{"bf_one_resv_per_job", nullptr, "a job is promised one start, in one partition"},
    Knob{"bf_resolution", nullptr, "the profile is exact"},
    Knob{"bf_topopt_iterations",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.topopt_iterations = static_cast<std::uint32_t>(value);
         }},
    Knob{"bf_window",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.window = std::chrono::minutes(value);
         }},
    Knob{"bf_window_linear", nullptr, "the profile is exact"},
    Knob{"bf_yield_interval", nullptr, "nobody waits for a lock"},
    Knob{"bf_yield_sleep", nullptr, "nobody waits for a lock"},
    Knob{"default_queue_depth", nullptr, "jobs alike are looked at once"},
    Knob{"defer", nullptr, "a pass costs what changed"},
    Knob{"defer_batch", nullptr, "a pass costs what changed"},
    Knob{"max_rpc_cnt", nullptr, "reading does not wait for scheduling"},
    Knob{"max_switch_wait",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           knobs.budget.switch_wait = std::chrono::seconds(value);
         }},
    Knob{"max_sched_time", nullptr, "a pass costs what changed"},
    Knob{"nohold_on_prolog_fail", nullptr, "the controller acts on it"},
    Knob{"partition_job_depth", nullptr, "jobs alike are looked at once"},
    Knob{"preempt_reorder_count", nullptr, "as in PreemptParameters"},
    Knob{"preempt_strict_order", nullptr, "as in PreemptParameters"},
    Knob{"preempt_youngest_first", nullptr, "as in PreemptParameters"},
    Knob{"sched_interval", nullptr, "passes follow changes"},
    Knob{"sched_max_job_start",
         [](SchedulerKnobs& knobs, std::uint64_t value) {
           if (value) knobs.budget.starts_max = value;
         }},
    Knob{"sched_min_interval", nullptr, "a pass costs what changed"},
};

void choose_policy(std::string_view name, KnobReading& out) {
  if (const Policy* policy = find_policy(name)) {
    out.knobs.policy = policy;
    return;
  }
  std::string names;
  for (const Policy* one : policies())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one->name);
  out.warnings.push_back(
      fmt::format("SchedulerParameters: there is no policy \"{}\"; there are {}", name, names));
}

void turn(const Knob& knob, std::string_view value, KnobReading& out) {
  if (!knob.turn) {
    if (knob.needless.empty())
      out.warnings.push_back(fmt::format("SchedulerParameters: {} is not acted on", knob.name));
    return;
  }
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number) {
    out.warnings.push_back(
        fmt::format("SchedulerParameters: {} wants a number, not \"{}\"", knob.name, value));
    return;
  }
  knob.turn(out.knobs, *number);
}

}  // namespace

KnobReading read_knobs(std::string_view parameters) {
  KnobReading out;
  bool topopt = false;
  for (std::string_view word : split_words(parameters, ',')) {
    std::size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (same_ignoring_case(name, "ym_policy")) {
      choose_policy(value, out);
      continue;
    }
    if (same_ignoring_case(name, "bf_topopt_enable")) {
      topopt = true;
      continue;
    }
    auto knob = std::ranges::find_if(
        kKnobs, [&](const Knob& one) { return same_ignoring_case(one.name, name); });
    if (knob != kKnobs.end())
      turn(*knob, value, out);
    else if (!name.empty())
      out.warnings.push_back(fmt::format("SchedulerParameters: {} is not acted on", name));
  }
  out.knobs.budget.topopt_iterations =
      topopt ? std::clamp(out.knobs.topopt_iterations, kTopoptMin, kTopoptMax) : 0;
  return out;
}

}  // namespace ym
