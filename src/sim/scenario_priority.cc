// SPDX-License-Identifier: Apache-2.0
// Scenarios about the factors of priorities.
#include "base/format.h"
#include "base/text.h"
#include "schedule/priority.h"
#include "sim/scenario.h"

namespace ym::sim {

// Weights, as slurm.conf has them: "weights age=1000 size=500 partition=100 max_age=3600".
std::string Scenario::weights(const Line& line) {
  PriorityRules& rules = config_.priority;
  for (const auto& [key, value] : line.options) {
    auto number = static_cast<std::uint32_t>(parse_u64(value).value_or(0));
    if (key == "age") rules.age = number;
    if (key == "size") rules.job_size = number;
    if (key == "partition") rules.partition = number;
    if (key == "max_age") rules.max_age = std::chrono::seconds(number);
    if (key == "cpu") rules.tres.push_back({.name = "cpu", .weight = number * kWholePoint});
    if (key == "gpu") rules.tres.push_back({.name = "gres/gpu", .weight = number * kWholePoint});
    if (key == "fairshare") rules.fair_share = number;
    if (key == "qos") rules.qos = number;
    if (key == "favor_small") rules.favor_small = value == "yes";
    if (key == "normal_qos") rules.no_normal_qos = value == "no";
  }
  return {};
}

// What accounting will tell one day: "shares ada shares=1 usage=100".
std::string Scenario::shares(const Line& line) {
  if (associations_.empty()) associations_.push_back({.account = "root"});
  Association one{.parent = 0, .account = "", .user = line.words.at(0)};
  for (const auto& [key, value] : line.options) {
    auto given = static_cast<std::uint32_t>(parse_u64(value).value_or(0));
    if (key == "shares") one.shares = given;
    if (key == "usage") one.usage = given;
    if (key == "account") one.account = value;
  }
  associations_.push_back(one);
  return {};
}

PriorityScale Scenario::scale() const {
  PriorityScale scale = scale_of(config_, controller_.state());
  if (!associations_.empty()) scale.shares = ShareTable(associations_);
  return scale;
}

void Scenario::count_priorities() {
  PriorityRule rule;
  if (config_.priority.counts()) {
    rule.at = [this](const Job& job, Instant now) {
      return priority_at(job, controller_.state(), now, scale());
    };
    rule.in = [this](const Job& job, const PartitionSpec& partition, Instant now) {
      return priority_in(job, partition, now, scale());
    };
    rule.line = priority_line;
  }
  planner_.set_priority(std::move(rule));
}

// What sprio shows.
std::string Scenario::priorities(const Line&) {
  std::string text;
  const State& state = controller_.state();
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.state != JobState::Pending || job.held()) return;
    for (std::string_view name : split_words(job.spec->partitions, ',')) {
      const Partition* partition = state.find_partition(name);
      if (!partition) continue;
      PriorityParts parts = priority_parts(job, *partition->spec, now_, scale());
      auto points = [](const PriorityFactor& one) { return one.points / kWholePoint; };
      text += fmt::format("job {} {} priority={} age={} size={} partition={}", display_id(job),
                          name, parts.priority, points(parts.age), points(parts.job_size),
                          points(parts.of_partition));
      for (const PriorityParts::Tres& one : parts.tres)
        text += fmt::format(" {}={}", one.name, points(one.factor));
      if (config_.priority.fair_share)
        text += fmt::format(" fairshare={}", points(parts.fair_share));
      if (config_.priority.qos) text += fmt::format(" qos={}", points(parts.qos));
      text += fmt::format(" site={} nice={}\n", parts.site, parts.nice);
    }
  });
  return text;
}

}  // namespace ym::sim
