// SPDX-License-Identifier: Apache-2.0
// Verbs that do one thing to a list of jobs.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/scontrol/scontrol.h"
#include "model/errc.h"

namespace ym::cli {
namespace {

// "hold 7 8,9_3" and "hold name=foo". The error's text is the word that is no id.
Result<JobFilter> filter_of(const Words& words) {
  JobFilter filter;
  for (const std::string& word : words) {
    std::string_view text = word;
    if (starts_with_ignoring_case(text, "name=") || starts_with_ignoring_case(text, "jobname=")) {
      append_list(filter.names, text.substr(text.find('=') + 1));
      continue;
    }
    if (starts_with_ignoring_case(text, "jobid=")) text.remove_prefix(6);
    auto targets = parse_targets(text);
    if (!targets) return fail(printable(text));
    filter.targets.insert(filter.targets.end(), targets->begin(), targets->end());
  }
  return filter;
}

bool is_element(std::string_view job) { return job.contains('_'); }

struct Wish {
  JobVerb verb;
  std::string_view keyword;
  std::string_view tail = {};  // a second line that Slurm ends with, before ": TEXT"
  bool special_exit = false, incomplete_only = false;
};

int alter(ScontrolContext& context, const Wish& wish, const Words& words) {
  auto refused = [&](std::string_view job, std::string_view text) {
    context.fail_with(refusal_of(job, text));
    if (!wish.tail.empty() && !is_element(job))
      context.fail_with(fmt::format("{} error: {}", wish.tail, text));
    return 1;
  };
  if (words.empty())
    return context.fail_with(fmt::format("too few arguments for keyword:{}", wish.keyword));
  auto filter = filter_of(words);
  if (!filter) return refused(filter.error().text, text_of(Errc::InvalidJobId));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  AlterJobs request{.verb = wish.verb,
                    .filter = std::move(*filter),
                    .special_exit = wish.special_exit,
                    .incomplete_only = wish.incomplete_only};
  request.filter.all_states = true;
  auto answer = (*controller)->ask<AlterAnswer>(request, Asking::Keyed);
  if (!answer) return refused(words[0], answer.error().text);
  int code = 0;
  for (const JobOutcome& outcome : answer->outcomes)
    if (outcome.code != 0 || !outcome.text.empty()) code = refused(outcome.display, outcome.text);
  return code;
}

// The words before the jobs: "State=SpecialExit", "Incomplete".
Result<Words> requeue_options(Wish& wish, const Words& words) {
  Words jobs;
  for (const std::string& word : words) {
    if (same_ignoring_case(word, "incomplete")) {
      wish.incomplete_only = true;
    } else if (starts_with_ignoring_case(word, "state=")) {
      if (wish.verb != JobVerb::RequeueHold || !same_ignoring_case(word.substr(6), "SpecialExit"))
        return fail(fmt::format("Invalid state: {}", printable(word.substr(6))));
      wish.special_exit = true;
    } else {
      jobs.push_back(word);
    }
  }
  return jobs;
}

int requeue(ScontrolContext& context, Wish wish, const Words& words) {
  auto jobs = requeue_options(wish, words);
  if (!jobs) return context.fail_with(jobs.error().text);
  return alter(context, wish, *jobs);
}

}  // namespace

std::string refusal_of(std::string_view job, std::string_view text) {
  return is_element(job) ? fmt::format("{}: {}", job, text)
                         : fmt::format("{} for job {}", text, job);
}

int hold_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::Hold, "hold", "slurm_suspend"}, words);
}
int uhold_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::HoldUser, "uhold", "slurm_suspend"}, words);
}
int release_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::Release, "release", "slurm_suspend"}, words);
}
int requeue_verb(ScontrolContext& context, const Words& words) {
  return requeue(context, {JobVerb::Requeue, "requeue"}, words);
}
int requeuehold_verb(ScontrolContext& context, const Words& words) {
  return requeue(context, {JobVerb::RequeueHold, "requeuehold"}, words);
}
int suspend_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::Suspend, "suspend"}, words);
}
int top_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::Top, "top"}, words);
}
int resume_verb(ScontrolContext& context, const Words& words) {
  return alter(context, {JobVerb::Resume, "resume"}, words);
}

int notify_verb(ScontrolContext& context, const Words& words) {
  if (words.size() < 2) return context.fail_with("too few arguments for keyword:notify");
  auto targets = parse_targets(words[0]);
  if (!targets)
    return context.fail_with(fmt::format("job notify failure: {}", text_of(Errc::InvalidJobId)));
  AlterJobs request{.verb = JobVerb::Notify,
                    .filter = {.targets = std::move(*targets), .all_states = true}};
  for (std::size_t i = 1; i < words.size(); ++i) request.text += (i > 1 ? " " : "") + words[i];
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto answer = (*controller)->ask<AlterAnswer>(request, Asking::Keyed);
  if (!answer) return context.fail_with(fmt::format("job notify failure: {}", answer.error().text));
  int code = 0;
  for (const JobOutcome& outcome : answer->outcomes)
    if (outcome.code != 0 || !outcome.text.empty())
      code = context.fail_with(fmt::format("job notify failure: {}", outcome.text));
  return code;
}

}  // namespace ym::cli
