// SPDX-License-Identifier: Apache-2.0
// From options to the request.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/options/exports.h"
#include "cli/options/gres_counts.h"
#include "model/gres_request.h"
#include "notation/array.h"
#include "notation/dependency.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

// Tasks and nodes, as far as the user left one of them to be worked out from the other.
Status settle_counts(const JobOptions& options, JobSpec& spec) {
  spec.cpus_per_task = options.cpus_per_task.value_or(1);
  spec.tasks_per_node = options.tasks_per_node.value_or(0);
  spec.min_nodes = options.min_nodes.value_or(1);
  spec.max_nodes = options.max_nodes.value_or(0);
  if (spec.min_nodes == 0) return fail(kLikeController, "Node count specification invalid");
  if (auto hosts = Hostlist::parse(options.extras.required_nodes); hosts && !hosts->empty()) {
    std::uint64_t named = hosts->uniq().count();
    if (options.max_nodes && *options.max_nodes < named)
      return fail(fmt::format("invalid number of nodes (-N {}-{})", named, *options.max_nodes));
    if (options.min_nodes.value_or(0) < named)
      spec.min_nodes = static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(named, 1, std::uint64_t{0x7fffffff}));
  }
  if (options.tasks) {
    spec.tasks = *options.tasks;
  } else if (auto by_gpus = tasks_by_gpus(options)) {
    spec.tasks = *by_gpus;
  } else {
    std::uint64_t tasks = std::uint64_t{spec.min_nodes} * std::max(1u, spec.tasks_per_node);
    if (tasks > 0x7fffffff) return fail("More tasks than can be counted");
    spec.tasks = static_cast<std::uint32_t>(tasks);
  }
  // As Slurm has it: fewer tasks than nodes make no use of the rest.
  if (options.tasks && options.min_nodes) {
    spec.min_nodes = std::min(spec.min_nodes, std::max(1u, *options.tasks));
    spec.max_nodes = std::min(spec.max_nodes, std::max(1u, *options.tasks));
    // More nodes would have more tasks each, as if their number had not been given.
    if (tasks_follow_nodes(spec)) spec.max_nodes = spec.min_nodes;
  }
  if (spec.max_nodes != 0 && spec.max_nodes < spec.min_nodes) spec.max_nodes = spec.min_nodes;
  return {};
}

std::unexpected<Error> bad_time(std::string_view option, const std::string& value) {
  return fail(kWholeText, fmt::format("Invalid time specification (pos=0): {}\n"
                                      "Invalid --{} specification",
                                      printable(value), option));
}

Status settle_times(const JobOptions& options, const SubmissionContext& context, JobSpec& spec) {
  if (!options.begin.empty()) {
    auto begin = parse_timestamp(options.begin, context.now, *context.zone);
    if (!begin) return bad_time("begin", options.begin);
    spec.begin = *begin;
  }
  if (!options.deadline.empty()) {
    auto deadline = parse_timestamp(options.deadline, context.now, *context.zone);
    if (!deadline) return bad_time("deadline", options.deadline);
    if (*deadline <= context.now)
      return fail(kLikeController,
                  "Requested time limit is invalid (missing or exceeds some limit)");
    spec.deadline = *deadline;
  }
  if (spec.time_min_s != 0 && spec.time_limit_s != 0 && spec.time_min_s > spec.time_limit_s)
    return fail(kLikeController,
                "Invalid time-min specification (exceeds job's time or other limits)");
  return {};
}

// What has a grammar of its own, and is told about in the controller's words.
Status check_notations(const JobOptions& options) {
  if (!options.array.empty())
    if (auto parsed = ArrayExpression::parse(options.array); !parsed)
      return fail(kLikeController, "Invalid job array specification");
  if (!options.dependency.empty())
    if (auto parsed = Dependency::parse(options.dependency); !parsed)
      return fail(kLikeController, "Job dependency problem");
  for (const std::string* list : {&options.extras.required_nodes, &options.extras.excluded_nodes})
    if (auto hosts = Hostlist::parse(*list); !hosts)
      return fail(kLikeController, "Invalid node name specified");
  return {};
}

bool has_feature(const std::string& constraint, std::string_view wanted) {
  for (std::size_t at = 0; at < constraint.size();) {
    std::size_t end = constraint.find_first_of("&|,[]()*", at);
    if (end == std::string::npos) end = constraint.size();
    if (trim(std::string_view(constraint).substr(at, end - at)) == wanted) return true;
    at = end + 1;
  }
  return false;
}

struct Clash {
  Wish one, other;
  const char* text;
};
constexpr Clash kClashes[] = {
    {Wish::Exclusive, Wish::Oversubscribe, "--exclusive and --oversubscribe"},
    {Wish::CpusPerTask, Wish::CpusPerGpu, "--cpus-per-task and --cpus-per-gpu"},
    {Wish::GpuGres, Wish::GpusPerNode, "--gres=gpu and --gpus-per-node"},
    {Wish::Hint, Wish::SocketsPerNode, "--hint and --sockets-per-node"},
    {Wish::Hint, Wish::CoresPerSocket, "--hint and --cores-per-socket"},
};

void withdraw(JobOptions& options, Wish wish) {
  switch (wish) {
    case Wish::Exclusive:
      options.spec.exclusive = false;
      options.specials.exclusive_kind = kExclusiveNode;
      break;
    case Wish::Oversubscribe: options.spec.oversubscribe = false; break;
    case Wish::CpusPerTask: options.cpus_per_task.reset(); break;
    case Wish::CpusPerGpu: options.specials.cpus_per_tres.clear(); break;
    case Wish::GpuGres: options.extras.gres.clear(); break;
    case Wish::GpusPerNode: options.specials.tres_per_node.clear(); break;
    case Wish::Hint: options.extras.binding.hint.clear(); break;
    case Wish::SocketsPerNode: options.extras.sockets_per_node = 0; break;
    case Wish::CoresPerSocket: options.extras.cores_per_socket = 0; break;
    case Wish::Count: break;
  }
}

// Wishes that contradict each other.
Status check_together(const JobOptions& options) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < a; ++b)
      if (options.memory_given[a] && options.memory_given[a] == options.memory_given[b])
        return fail(kFatal, "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
  const std::string& batch = options.specials.batch_features;
  for (std::size_t at = 0; at < batch.size();) {
    std::size_t end = std::min(batch.find_first_of("&|", at), batch.size());
    if (!has_feature(options.extras.features, trim(std::string_view(batch).substr(at, end - at))))
      return fail(kLikeController,
                  "Job --batch option is invalid or not a subset of --constraints");
    at = end + 1;
  }
  return {};
}

}  // namespace

Status settle_clashes(JobOptions& options) {
  for (const Clash& clash : kClashes) {
    std::uint8_t one = options.given_by(clash.one), other = options.given_by(clash.other);
    if (!one || !other) continue;
    if (one == other) return fail(kFatal, fmt::format("{} are mutually exclusive.", clash.text));
    withdraw(options, one < other ? clash.one : clash.other);
  }
  return {};
}

std::string typed_line(JobCommand command, const std::vector<std::string>& words) {
  std::string out = command == kSbatch ? "sbatch" : command == kSalloc ? "salloc" : "srun";
  for (const std::string& word : words) {
    if (out.size() >= kSubmitLineMax) break;
    out += ' ';
    out += word;
  }
  if (out.size() <= kSubmitLineMax) return out;
  std::size_t end = kSubmitLineMax;
  auto inside = [&] { return (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80; };
  while (end > kSubmitLineMax - 4 && inside()) --end;
  out.resize(end);
  return out;
}

std::vector<std::string> submission_warnings(const JobOptions& options) {
  std::vector<std::string> out;
  if (options.tasks && options.min_nodes && *options.tasks < *options.min_nodes)
    out.push_back(fmt::format("Warning: can't run {} processes on {} nodes, setting nnodes to {}",
                              *options.tasks, *options.min_nodes, *options.tasks));
  return out;
}

Result<SubmitJob> make_submission(const JobOptions& given, const SubmissionContext& context) {
  JobOptions options = given;
  if (Status settled = settle_clashes(options); !settled) return std::unexpected(settled.error());
  SubmitJob out{.spec = options.spec};
  JobSpec& spec = out.spec;
  if (Status fine = check_together(options); !fine) return std::unexpected(fine.error());
  if (Status fine = check_notations(options); !fine) return std::unexpected(fine.error());
  if (Status counts = settle_counts(options, spec); !counts) return std::unexpected(counts.error());
  if (Status times = settle_times(options, context, spec); !times)
    return std::unexpected(times.error());
  spec.batch = context.command == kSbatch;
  spec.requeue = spec.requeue && spec.batch;
  spec.submit_host = context.host;
  spec.submit_line = context.line;
  spec.work_dir = options.chdir.empty()            ? context.work_dir
                  : options.chdir.starts_with('/') ? options.chdir
                                                   : context.work_dir + "/" + options.chdir;
  JobExtras extras = options.extras;
  if (extras.gres == kNoGres) extras.gres.clear();
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
  JobSpecials specials = options.specials;
  specials.immediate_s = options.immediate_s.value_or(0);
  // --ntasks has left less than the least of the list.
  if (auto counts = ArrayExpression::parse(specials.node_counts); counts)
    if (spec.min_nodes < counts->indices.min()) specials.node_counts.clear();
  if (!(specials == JobSpecials{})) extras.specials = Ref<JobSpecials>(std::move(specials));
  if (!(extras == JobExtras{})) spec.extras = Ref<JobExtras>(std::move(extras));
  out.array = options.array;
  out.dependency = options.dependency;
  out.priority = options.priority.value_or(kNoPriority);
  out.hold = options.hold || options.priority == 0u;
  out.test_only = options.test_only;
  return out;
}

}  // namespace ym::cli
