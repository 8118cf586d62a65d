// SPDX-License-Identifier: Apache-2.0
// Why a job waits: every condition that holds it back, in words.
#include "cli/yardmaster/explain.h"
#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/common/paint.h"
#include "cli/common/targets.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"
#include "notation/job_id.h"

namespace ym::cli {
namespace {

struct ExplainSettings {
  std::string dir;
};

std::vector<Option<ExplainSettings>> explain_table() {
  return {
      dir_option<ExplainSettings>(),
  };
}

bool has_any_of(const Explanation& told, std::initializer_list<Reason> reasons) {
  return std::ranges::any_of(
      told.obstacles, [&](Reason one) { return std::ranges::find(reasons, one) != reasons.end(); },
      &Obstacle::reason);
}

// Until somebody acts, or other jobs end as it wants them to: what no plan knows.
bool is_held(const Explanation& told) {
  return has_any_of(told, {Reason::JobHeldUser, Reason::JobHeldAdmin, Reason::Dependency,
                           Reason::DependencyNeverSatisfied});
}

// Time alone changes nothing: somebody has to change the job or the cluster.
bool never_starts(const Explanation& told) {
  return has_any_of(
      told, {Reason::PartitionConfig, Reason::PartitionTimeLimit, Reason::PartitionNodeLimit,
             Reason::BadConstraints, Reason::DependencyNeverSatisfied});
}

// Where a start is, beside when, may have changed since it was promised.
std::string place_text(const Explanation& told) {
  if (told.nodes.empty()) return {};
  return fmt::format(" on {} in partition {}", told.nodes, told.partition);
}

void show(const Explanation& told) {
  print(fmt::format("Job {} is {}.\n", told.display, painted(told.state, Ink::Strong)));
  print_obstacles(told);
  if (told.expected_start)
    print(fmt::format(
        "{}: {}{}.\n",
        is_held(told) ? "Nobody can tell its start; without what holds it" : "Expected start",
        show_time(told.expected_start, "now"), place_text(told)));
  else if (!told.obstacles.empty())
    print(never_starts(told) ? "Expected start: never, unless that is changed.\n"
                             : "Expected start: nobody can tell yet.\n");
  for (const Alternative& one : told.alternatives)
    print(fmt::format("{} {}: {} on {} in partition {}.\n", painted("Sooner with", Ink::Good),
                      one.change, show_time(one.start, "now"), one.nodes, one.partition));
}

}  // namespace

Result<JobTarget> explained_target(const std::string& word) {
  auto ref = JobRef::parse(word);
  if (!ref) return std::unexpected(ref.error());
  JobTarget target{.job = JobId{ref->job}, .sluid = Sluid{ref->sluid}};
  target.component = ref->component;
  if (ref->task) target.tasks = IndexSet::range(*ref->task, *ref->task);
  if (ref->tasks) target.tasks = ref->tasks->indices;
  return target;
}

void print_obstacles(const Explanation& told) {
  for (const Obstacle& one : told.obstacles)
    print(fmt::format("  {}: {}.\n    To change that: {}.\n",
                      painted(name_of(one.reason), Ink::Warning), one.text, one.remedy));
}

CommandPage explain_page() {
  return {.name = "yardmaster explain",
          .summary = "say why a job waits, when it starts, and what would start sooner",
          .usage = {"[OPTION]... JOB..."},
          .description =
              "Every condition that holds the job back is named, with what would have "
              "to change. Ends with 1 if a job is unknown."};
}
std::vector<OptionInfo> explain_options() { return infos_of(explain_table()); }

int explain_main(const Arguments& arguments) {
  auto parsed = parse_command(explain_page(), explain_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (parsed.operands.empty()) {
    complain(kYardmaster, "explain wants a job: yardmaster explain JOB");
    return 1;
  }
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (!loaded) {
    complain(kYardmaster, loaded.error().text);
    return 1;
  }
  Controller controller(*loaded);
  int code = 0;
  for (const std::string& word : parsed.operands) {
    auto target = explained_target(word);
    auto told = target ? controller.ask<Explanation>(QueryExplanation{.target = *target})
                       : Result<Explanation>(std::unexpected(target.error()));
    if (told) {
      show(*told);
      continue;
    }
    complain(kYardmaster, fmt::format("{}: {}", word, told.error().text));
    code = 1;
  }
  return code;
}

}  // namespace ym::cli
