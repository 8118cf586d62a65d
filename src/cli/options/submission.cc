// SPDX-License-Identifier: Apache-2.0
// From options to the request.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/options/exports.h"

namespace ym::cli {
namespace {

// Tasks and nodes, as far as the user left one of them to be worked out from the other.
Status settle_counts(const JobOptions& options, JobSpec& spec) {
  spec.cpus_per_task = options.cpus_per_task.value_or(1);
  spec.tasks_per_node = options.tasks_per_node.value_or(0);
  spec.min_nodes = options.min_nodes.value_or(1);
  spec.max_nodes = options.max_nodes.value_or(0);
  if (options.tasks) {
    spec.tasks = *options.tasks;
  } else {
    std::uint64_t tasks = std::uint64_t{spec.min_nodes} * std::max(1u, spec.tasks_per_node);
    if (tasks > 0x7fffffff) return fail("More tasks than can be counted");
    spec.tasks = static_cast<std::uint32_t>(tasks);
  }
  // As Slurm has it: fewer tasks than nodes make no use of the rest.
  if (options.tasks && *options.tasks < spec.min_nodes && options.min_nodes)
    spec.min_nodes = *options.tasks;
  if (spec.max_nodes != 0 && spec.max_nodes < spec.min_nodes) spec.max_nodes = spec.min_nodes;
  return {};
}

Status settle_times(const JobOptions& options, const SubmissionContext& context, JobSpec& spec) {
  if (!options.begin.empty()) {
    auto begin = parse_timestamp(options.begin, context.now, *context.zone);
    if (!begin) return fail(fmt::format("Invalid --begin specification: {}", begin.error().text));
    spec.begin = *begin;
  }
  if (!options.deadline.empty()) {
    auto deadline = parse_timestamp(options.deadline, context.now, *context.zone);
    if (!deadline)
      return fail(fmt::format("Invalid --deadline specification: {}", deadline.error().text));
    if (*deadline <= context.now) return fail("Incorrect deadline: it has passed already");
    spec.deadline = *deadline;
  }
  if (spec.time_min_s != 0 && spec.time_limit_s != 0 && spec.time_min_s > spec.time_limit_s)
    return fail("--time-min is above --time");
  return {};
}

}  // namespace

Result<SubmitJob> make_submission(const JobOptions& options, const SubmissionContext& context) {
  SubmitJob out{.spec = options.spec};
  JobSpec& spec = out.spec;
  if (Status counts = settle_counts(options, spec); !counts) return std::unexpected(counts.error());
  if (Status times = settle_times(options, context, spec); !times)
    return std::unexpected(times.error());
  spec.batch = context.command == kSbatch;
  spec.requeue = spec.requeue && spec.batch;
  spec.submit_host = context.host;
  spec.work_dir = options.chdir.empty()            ? context.work_dir
                  : options.chdir.starts_with('/') ? options.chdir
                                                   : context.work_dir + "/" + options.chdir;
  JobExtras extras = options.extras;
  if (spec.batch) {
    const char* usual = options.array.empty() ? "slurm-%j.out" : "slurm-%A_%a.out";
    spec.std_out = options.std_out.empty() ? usual : options.std_out;
    extras.std_err = options.std_err;
    extras.std_in = options.std_in;
    auto environment = batch_environment(options, context);
    if (!environment) return std::unexpected(environment.error());
    out.environment = environment->bytes();
    if (same_ignoring_case(options.export_list, "NONE") && extras.get_user_env.empty())
      extras.get_user_env = "1";
  }
  if (!(extras == JobExtras{})) spec.extras = Ref<JobExtras>(std::move(extras));
  out.array = options.array;
  out.dependency = options.dependency;
  out.priority = options.priority.value_or(kNoPriority);
  out.hold = options.hold || options.priority == 0u;
  out.test_only = options.test_only;
  return out;
}

}  // namespace ym::cli
