// SPDX-License-Identifier: Apache-2.0
// --input, --output and --error: whose files they are.
#include "base/format.h"
#include "base/text.h"
#include "cli/srun/session.h"
#include "notation/pattern.h"

namespace ym::cli {
namespace {

// A pattern that names one file for the whole step is srun's to open, others are the nodes'.
void place(const std::string& pattern, const PatternValues& values, std::string& here,
           std::string& there) {
  if (scope_of(pattern) == PatternScope::Step)
    here = expand(pattern, values);
  else
    there = pattern;
}

Status plan_input(const JobOptions& options, const PatternValues& values, StreamPlan& plan) {
  const std::string& text = options.std_in;
  if (text.empty() || same_ignoring_case(text, "all")) return {};
  if (same_ignoring_case(text, "none")) {
    plan.read_input = false;
    plan.node_in = "/dev/null";
  } else if (auto task = parse_unsigned<std::uint32_t>(text)) {
    if (options.tasks && *task >= *options.tasks)
      return fail(fmt::format("--input: there is no task {}", *task));
    plan.stdin_task = *task;
  } else {
    place(text, values, plan.local_in, plan.node_in);
    plan.read_input = plan.node_in.empty();
  }
  return {};
}

void plan_output(const std::string& text, const PatternValues& values, std::string& here,
                 std::string& there, StreamPlan& plan) {
  if (text.empty() || same_ignoring_case(text, "all")) return;
  if (same_ignoring_case(text, "none"))
    there = "/dev/null";
  else if (auto task = parse_unsigned<std::uint32_t>(text))
    plan.only_task = task;
  else
    place(text, values, here, there);
}

}  // namespace

Result<StreamPlan> plan_streams(const JobOptions& options, const PatternValues& values) {
  StreamPlan plan;
  if (Status input = plan_input(options, values, plan); !input)
    return std::unexpected(input.error());
  plan_output(options.std_out, values, plan.local_out, plan.node_out, plan);
  if (options.std_err.empty()) {
    plan.local_err = plan.local_out;
    plan.node_err = plan.node_out;
  } else {
    plan_output(options.std_err, values, plan.local_err, plan.node_err, plan);
  }
  if (options.pty) plan.stdin_task = 0;
  return plan;
}

}  // namespace ym::cli
