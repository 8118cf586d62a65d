// SPDX-License-Identifier: Apache-2.0
// When a job that waits would start if it asked for something else.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/options/job_options.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/explain.h"
#include "cli/yardmaster/yardmaster.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

// Rows of sbatch's table that a job that waits may be changed by.
constexpr std::array<std::string_view, 13> kChanges = {
    "time", "nodes",       "ntasks", "cpus-per-task", "ntasks-per-node", "partition", "constraint",
    "mem",  "mem-per-cpu", "gres",   "nodelist",      "exclude",         "licenses"};

std::vector<Option<JobOptions>> what_if_table() {
  std::vector<Option<JobOptions>> table;
  for (Option<JobOptions>& row : job_option_table(kSbatch)) {
    if (std::ranges::find(kChanges, row.info.name) == kChanges.end()) continue;
    // The environment says what new jobs ask for.
    row.info.variable = row.info.other_variable = row.info.group = {};
    table.push_back(std::move(row));
  }
  return table;
}

template <class T>
void set_unless_empty(std::optional<T>& field, const T& value) {
  if (!(value == T{})) field = value;
}

JobPatch patch_of(const JobOptions& options) {
  JobPatch patch;
  set_unless_empty(patch.time_limit_s, options.spec.time_limit_s);
  set_unless_empty(patch.partitions, options.spec.partitions);
  set_unless_empty(patch.features, options.extras.features);
  set_unless_empty(patch.required_nodes, options.extras.required_nodes);
  set_unless_empty(patch.excluded_nodes, options.extras.excluded_nodes);
  set_unless_empty(patch.licenses, options.extras.licenses);
  set_unless_empty(patch.gres, options.extras.gres);
  patch.tasks = options.tasks;
  patch.cpus_per_task = options.cpus_per_task;
  patch.tasks_per_node = options.tasks_per_node;
  patch.min_nodes = options.min_nodes;
  patch.max_nodes = options.max_nodes;
  auto given = [&](MemoryWish wish) {
    return options.memory_given[static_cast<std::uint8_t>(wish)] != 0;
  };
  if (given(MemoryWish::PerNode)) patch.memory_per_node_mb = options.spec.memory_per_node_mb;
  if (given(MemoryWish::PerCpu)) patch.memory_per_cpu_mb = options.spec.memory_per_cpu_mb;
  return patch;
}

std::string start_text(const Explanation& told) {
  if (!told.expected_start) return "nobody can tell when it starts";
  std::string start = fmt::format("it starts {}", show_time(told.expected_start, "now"));
  if (told.nodes.empty()) return start;
  return fmt::format("{} on {} in partition {}", start, told.nodes, told.partition);
}

std::string difference(const Explanation& before, const Explanation& after) {
  if (!before.expected_start || !after.expected_start) return "";
  // Two looks at a queue that moves on are never quite at the same moment.
  Duration sooner = before.expected_start - after.expected_start;
  Duration size = std::max(sooner, -sooner);
  if (size < std::chrono::seconds(2)) return ", no sooner";
  return fmt::format(", {} {}", print_span(size), sooner > Duration(0) ? "sooner" : "later");
}

// The line without the job: what was asked to change.
std::string changes_of(const Arguments& arguments, const std::string& job) {
  std::string out;
  for (const std::string& word : arguments)
    if (word != job) out += " " + word;
  return out;
}

}  // namespace

CommandPage what_if_page() {
  return {.name = "yardmaster what-if",
          .summary = "say when a job would start if it asked for something else",
          .usage = {"JOB [OPTION]..."},
          .description =
              "Asks the controller when the job that waits would start if it had been changed by "
              "the options, which are those of sbatch, and compares that with when it starts as "
              "it is. What `scontrol update job` would refuse is refused. Nothing is changed."};
}
std::vector<OptionInfo> what_if_options() { return infos_of(what_if_table()); }

int what_if_main(const Arguments& arguments) {
  auto parsed = parse_command(what_if_page(), what_if_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (parsed.operands.size() != 1) {
    complain(kYardmaster, "what-if wants one job: yardmaster what-if JOB --time=TIME");
    return 1;
  }
  const std::string& word = parsed.operands.front();
  auto refuse = [&](std::string_view text) {
    complain(kYardmaster, fmt::format("{}: {}", word, text));
    return 1;
  };
  auto target = explained_target(word);
  if (!target) return refuse(target.error().text);
  auto loaded = cluster_configuration({});
  if (!loaded) return complain(kYardmaster, loaded.error().text), 1;
  Controller controller(*loaded);
  auto before = controller.ask<Explanation>(QueryExplanation{.target = *target});
  if (!before) return refuse(before.error().text);
  if (before->state != name_of(JobState::Pending))
    return refuse(fmt::format("the job is {}, it does not wait", before->state));
  auto after = controller.ask<Explanation>(
      QueryExplanation{.target = *target, .what_if = true, .change = patch_of(parsed.settings)});
  if (!after) return refuse(after.error().text);
  print(fmt::format("Job {} as it is: {}.\n", before->display, start_text(*before)));
  print(fmt::format("With{}: {}{}.\n", changes_of(arguments, word), start_text(*after),
                    difference(*before, *after)));
  std::erase_if(after->obstacles, [](const Obstacle& one) { return one.reason == Reason::None; });
  print_obstacles(*after);
  return 0;
}

}  // namespace ym::cli
