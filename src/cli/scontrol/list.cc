// SPDX-License-Identifier: Apache-2.0
// `scontrol listpids|listjobs|liststeps`: what slurmd of this machine has alive.
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/steps_here.h"
#include "cli/common/targets.h"
#include "cli/scontrol/scontrol.h"
#include "wire/codec.h"

namespace ym::cli {
namespace {

// The words are [JOB[.STEP]] [NODE], or [NODE] alone where `with_job` is false.
struct Question {
  QueryStepsHere query;
  std::string node;
};
Result<Question> parse_words(const Words& words, bool with_job) {
  Question out;
  std::size_t next = 0;
  if (with_job && next < words.size()) {
    const std::string& word = words[next++];
    if (word != "*") {
      auto targets = parse_targets(word);
      if (!targets) return fail(fmt::format("\"{}\" does not look like a jobid", printable(word)));
      if (targets->size() != 1) return fail("one job at a time");
      // Components' numbers follow each other.
      const JobTarget& target = targets->front();
      out.query = {.job = JobId{target.job.value + target.component.value_or(0)},
                   .step = target.step};
    }
  }
  if (next < words.size()) out.node = words[next];
  return out;
}

template <class Print>
int list(ScontrolContext& context, const Words& words, bool with_job, Print print_rows) {
  auto question = parse_words(words, with_job);
  if (!question) return context.fail_with(question.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto here = ask_local_node(**controller, question->node, question->query);
  if (!here) return context.fail_with(here.error().text);
  if (context.settings().notation) {
    print(wire::to_json(*here) + "\n");
    return 0;
  }
  if (here->rows.empty() && question->query.job) {
    std::string node = question->node.empty() ? local_node(**controller) : question->node;
    if (with_job) print(print_rows(*here));
    return context.fail_with(
        fmt::format("JobId={} does not exist on node {}.", question->query.job->value, node));
  }
  if (here->rows.empty()) return context.fail_with("No job steps exist on this node.");
  print(print_rows(*here));
  return 0;
}

}  // namespace

std::string pids_text(const StepsHere& here) {
  std::string out = fmt::format("{:<8} {:<8} {:<8} {:<7} {:<8}\n", "PID", "JOBID", "STEPID",
                                "LOCALID", "GLOBALID");
  for (const StepHere& row : here.rows) {
    std::map<std::uint32_t, const TaskHere*> tasks;
    for (const TaskHere& task : row.tasks)
      if (!task.ended) tasks[task.usage.pid] = &task;
    for (std::uint32_t pid : row.pids) {
      auto task = tasks.find(pid);
      bool is_task = task != tasks.end();
      out += fmt::format("{:<8} {:<8} {:<8} {:<7} {:<8}\n", pid, row.job.value, step_name(row.step),
                         is_task ? std::to_string(task->second->local) : "-",
                         is_task ? std::to_string(task->second->usage.rank) : "-");
    }
  }
  return out;
}

int listpids_verb(ScontrolContext& context, const Words& words) {
  return list(context, words, true, pids_text);
}

int listjobs_verb(ScontrolContext& context, const Words& words) {
  return list(context, words, false, [](const StepsHere& here) {
    std::set<std::uint32_t> jobs;
    for (const StepHere& row : here.rows) jobs.insert(row.job.value);
    std::string out = "JOBID\n";
    for (std::uint32_t job : jobs) out += fmt::format("{}\n", job);
    return out;
  });
}

int liststeps_verb(ScontrolContext& context, const Words& words) {
  return list(context, words, false, [](const StepsHere& here) {
    std::string out = fmt::format("{:<8} {:<8}\n", "JOBID", "STEPID");
    for (const StepHere& row : here.rows)
      out += fmt::format("{:<8} {:<8}\n", row.job.value, step_name(row.step));
    return out;
  });
}

}  // namespace ym::cli
