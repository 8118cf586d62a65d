// SPDX-License-Identifier: Apache-2.0
// Verbs that do one thing to a list of jobs.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/scontrol/scontrol.h"
#include "os/files.h"

namespace ym::cli {
namespace {

// "hold 7 8,9_3" and "hold name=foo".
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
    if (!targets) return std::unexpected(targets.error());
    filter.targets.insert(filter.targets.end(), targets->begin(), targets->end());
  }
  return filter;
}

int alter(ScontrolContext& context, JobVerb verb, std::string_view keyword, const Words& words) {
  if (words.empty())
    return context.fail_with(fmt::format("too few arguments for keyword:{}", keyword));
  auto filter = filter_of(words);
  if (!filter) return context.fail_with(filter.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  AlterJobs request{.verb = verb, .filter = std::move(*filter)};
  request.filter.all_states = true;
  auto answer = (*controller)->ask<AlterAnswer>(request);
  if (!answer)
    return context.fail_with(fmt::format("{} for job {}", answer.error().text, words[0]));
  int code = 0;
  for (const JobOutcome& outcome : answer->outcomes)
    if (outcome.code != 0 || !outcome.text.empty())
      code = context.fail_with(fmt::format("{} for job {}", outcome.text, outcome.display));
  return code;
}

}  // namespace

int hold_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Hold, "hold", words);
}
int uhold_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::HoldUser, "uhold", words);
}
int release_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Release, "release", words);
}
int requeue_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Requeue, "requeue", words);
}
int requeuehold_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::RequeueHold, "requeuehold", words);
}
int suspend_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Suspend, "suspend", words);
}
int top_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Top, "top", words);
}
int resume_verb(ScontrolContext& context, const Words& words) {
  return alter(context, JobVerb::Resume, "resume", words);
}

int write_verb(ScontrolContext& context, const Words& words) {
  if (words.size() < 2 || !starts_with_ignoring_case("batch_script", words[0]) || words[0].empty())
    return context.fail_with("usage: scontrol write batch_script JOB [FILE]");
  auto targets = parse_targets(words[1]);
  if (!targets || targets->size() != 1)
    return context.fail_with(fmt::format("Invalid job id: {}", words[1]));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto script = (*controller)->ask<Script>(GetScript{.job = targets->front().job});
  if (!script)
    return context.fail_with(fmt::format("job script retrieval failed: {}", script.error().text));
  std::string file = words.size() > 2 ? words[2] : fmt::format("slurm-{}.sh", words[1]);
  if (file == "-") {
    print(script->bytes);
    return 0;
  }
  if (Status written = write_file(file, script->bytes, 0700); !written)
    return context.fail_with(written.error().text);
  print(fmt::format("batch script for job {} written to {}\n", words[1], file));
  return 0;
}

}  // namespace ym::cli
