// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/job_data.h"
#include "cli/common/job_view.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "cli/options/mail_types.h"
#include "cli/scontrol/data.h"
#include "cli/scontrol/scontrol.h"
#include "model/errc.h"
#include "model/gres_request.h"
#include "model/node_gres.h"
#include "model/sharing_variables.h"
#include "notation/hostlist.h"
#include "notation/job_id.h"
#include "notation/size.h"
#include "notation/time_limit.h"
#include "notation/tres.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

std::string or_star(std::uint32_t number) {
  return number ? fmt::format("{}", number) : std::string("*");
}

std::string limit_text(const std::optional<std::uint32_t>& seconds) {
  if (!seconds) return "Partition_Limit";
  if (*seconds == JobSpec::kUnlimited) return "UNLIMITED";
  return print_span_long(std::chrono::seconds(*seconds));
}

std::string head(const JobView& view) {
  const Job& job = view.job();
  std::string out = fmt::format("JobId={}", job.id.value);
  if (job.array_job) {
    std::string tasks = job.array ? ArrayExpression{.indices = job.array->waiting,
                                                    .max_running = job.array->max_running}
                                        .str(array_text_max())
                                  : fmt::format("{}", job.array_task);
    out += fmt::format(" ArrayJobId={} ArrayTaskId={}", job.array_job.value, tasks);
    if (job.array_max_running) out += fmt::format(" ArrayTaskThrottle={}", job.array_max_running);
  }
  if (job.het_job)
    out += fmt::format(" HetJobId={} HetJobOffset={}", job.het_job.value, job.het_offset);
  return out + fmt::format(" JobName={}", view.spec().name);
}

// "7-9"
std::string het_ids(const Job& job) {
  std::uint32_t first = job.het_job.value;
  return job.het_count > 1 ? fmt::format("{}-{}", first, first + job.het_count - 1)
                           : fmt::format("{}", first);
}

void add_state_lines(std::vector<std::string>& lines, const JobView& view) {
  const Job& job = view.job();
  const JobSpec& spec = view.spec();
  if (job.het_job) lines.push_back(fmt::format("HetJobIdSet={}", het_ids(job)));
  const std::string& label = view.specials().mcs_label;
  lines.push_back(fmt::format("UserId={}({}) GroupId={}({}) MCS_label={}", shown_user(view),
                              spec.uid.value, group_name(spec.gid.value), spec.gid.value,
                              label.empty() ? "N/A" : label));
  lines.push_back(fmt::format("Priority={} Nice={} Account={} QOS={}", job.priority, spec.nice,
                              or_null(spec.account), or_null(spec.qos)));
  std::string dependency = job.dependency->shown();
  std::string detail = view.row->reason_text.empty() || view.row->reason == Reason::ReqNodeNotAvail
                           ? ""
                           : fmt::format(" ({})", view.row->reason_text);
  std::string reason = reason_of(view);
  std::ranges::replace(reason, ' ', '_');  // scripts split the line at spaces
  lines.push_back(fmt::format("JobState={} Reason={}{} Dependency={}", shown_state(job), reason,
                              detail, or_null(dependency)));
  // One that is no batch job never comes again, but Slurm says so of batch jobs only.
  bool requeue = spec.requeue || !spec.batch;
  lines.push_back(fmt::format("Requeue={} Restarts={} BatchFlag={} Reboot={} ExitCode={}:{}",
                              requeue ? 1 : 0, job.restarts, spec.batch ? 1 : 0,
                              view.specials().reboot ? 1 : 0, job.exit.code, job.exit.signal));
}

void add_time_lines(std::vector<std::string>& lines, const JobView& view) {
  const Job& job = view.job();
  const JobSpec& spec = view.spec();
  std::string least =
      spec.time_min_s ? print_span_long(std::chrono::seconds(spec.time_min_s)) : "N/A";
  lines.push_back(fmt::format("RunTime={} TimeLimit={} TimeMin={}",
                              print_span_long(time_used(view)), limit_text(time_limit_of(view)),
                              least));
  bool waits = job.state == JobState::Pending;
  Instant eligible = waits && !job.eligible ? spec.begin : job.eligible;
  lines.push_back(fmt::format("SubmitTime={} EligibleTime={}", show_time(job.submit, "Unknown"),
                              show_time(eligible, "Unknown")));
  // What nobody has waited for yet gathers no age.
  Instant accrues = waits && eligible > wall_clock() ? Instant() : job.eligible;
  lines.push_back(fmt::format("AccrueTime={}", show_time(accrues, "Unknown")));
  if (job.resized) lines.push_back(fmt::format("ResizeTime={}", show_time(job.resized, "None")));
  lines.push_back(fmt::format("StartTime={} EndTime={} Deadline={}",
                              show_time(start_of(view), "Unknown"),
                              show_time(end_of(view), "Unknown"), show_time(spec.deadline, "N/A")));
  if (view.row->preemptable_from || job.preemption)
    lines.push_back(fmt::format("PreemptEligibleTime={} PreemptTime={}",
                                show_time(view.row->preemptable_from, "Unknown"),
                                show_time(job.preemption->at, "None")));
  bool suspended = job.state == JobState::Suspended;
  std::int64_t before = suspended ? time_used(view).count() / 1000 : 0;
  std::string seen = view.row->last_eval ? fmt::format(" LastSchedEval={} Scheduler={}",
                                                       show_time(view.row->last_eval, "Unknown"),
                                                       view.row->scheduler)
                                         : "";
  lines.push_back(fmt::format("SuspendTime={} SecsPreSuspend={}{}",
                              show_time(job.suspended_at, "None"), before, seen));
}

// "1-2" of a job that waits and would take either.
std::string node_range(const JobView& view) {
  const JobSpec& spec = view.spec();
  bool range = view.job().state == JobState::Pending && spec.max_nodes >= node_count_of(view);
  return range ? fmt::format("{}-{}", node_count_of(view), spec.max_nodes)
               : fmt::format("{}", node_count_of(view));
}

void add_resource_lines(std::vector<std::string>& lines, const JobView& view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  lines.push_back(
      fmt::format("Partition={} AllocNode:Sid={}:0", view.row->partition, spec.submit_host));
  lines.push_back(fmt::format("ReqNodeList={} ExcNodeList={}", or_null(extras.required_nodes),
                              or_null(extras.excluded_nodes)));
  lines.push_back(fmt::format("NodeList={}", view.row->nodes));
  if (!view.row->batch_host.empty())
    lines.push_back(fmt::format("BatchHost={}", view.row->batch_host));
  if (!view.row->scheduled_nodes.empty())
    lines.push_back(fmt::format("SchedNodeList={}", view.row->scheduled_nodes));
  lines.push_back(fmt::format(
      "NumNodes={} NumCPUs={} NumTasks={} CPUs/Task={} ReqB:S:C:T=0:0:{}:{}", node_range(view),
      cpu_count_of(view), tasks_on(spec, node_count_of(view)), spec.cpus_per_task,
      or_star(extras.cores_per_socket), or_star(extras.binding.threads_per_core)));
  lines.push_back(fmt::format("ReqTRES={}", requested_tres(view)));
  lines.push_back(fmt::format("AllocTRES={}", or_null(allocated_tres(view))));
  std::string per_node = spec.tasks_per_node ? fmt::format("{}", spec.tasks_per_node) : "0";
  std::string spared =
      extras.core_spec == kNoCoreSpec
          ? "CoreSpec=*"
          : fmt::format("{}={}", extras.thread_spec ? "ThreadSpec" : "CoreSpec", extras.core_spec);
  lines.push_back(fmt::format(
      "Socks/Node={} NtasksPerN:B:S:C={}:0:{}:{} {}", or_star(extras.sockets_per_node), per_node,
      or_star(extras.binding.tasks_per_socket), or_star(extras.binding.tasks_per_core), spared));
}

void add_wish_lines(std::vector<std::string>& lines, const JobView& view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  std::uint64_t lowered = view.job().memory->lowered_mb;
  std::string memory =
      lowered ? fmt::format("MinMemoryNode={}", print_megabytes(lowered))
      : spec.memory_per_cpu_mb
          ? fmt::format("MinMemoryCPU={}", print_megabytes(spec.memory_per_cpu_mb))
          : fmt::format("MinMemoryNode={}", print_megabytes(spec.memory_per_node_mb));
  lines.push_back(fmt::format("MinCPUsNode={} {} MinTmpDiskNode={}", least_cpus_per_node(spec),
                              memory, print_megabytes(extras.tmp_mb)));
  lines.push_back(fmt::format("Features={} DelayBoot={}", or_null(extras.features),
                              print_span_long(std::chrono::seconds(view.specials().delay_boot_s))));
  if (!extras.reservation.empty())
    lines.push_back(fmt::format("Reservation={}", extras.reservation));
  lines.push_back(fmt::format(
      "OverSubscribe={} Exclusive={} Contiguous={} Licenses={} LicensesAlloc={} Network={}",
      oversubscribe_word(spec, view.row->sharing), exclusive_word(spec, view.row->sharing),
      spec.contiguous ? 1 : 0, or_null(extras.licenses), or_null(view.job().allocation->licenses),
      or_null(extras.network)));
  if (std::uint32_t segment = view.specials().segment)
    lines.push_back(fmt::format("SegmentSize={}", segment));
}

void add_file_lines(std::vector<std::string>& lines, const JobView& view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  std::string command = or_null(spec.command);
  for (const std::string& argument : extras.arguments) command += " " + argument;
  lines.push_back(fmt::format("Command={}", command));
  if (!spec.submit_line.empty())
    lines.push_back(fmt::format("SubmitLine={}", on_one_line(spec.submit_line)));
  lines.push_back(fmt::format("WorkDir={}", spec.work_dir));
  if (!extras.admin_comment.empty())
    lines.push_back(fmt::format("AdminComment={}", extras.admin_comment));
  if (!extras.system_comment.empty())
    lines.push_back(fmt::format("SystemComment={}", extras.system_comment));
  if (!extras.comment.empty()) lines.push_back(fmt::format("Comment={}", extras.comment));
  if (!extras.extra.empty()) lines.push_back(fmt::format("Extra={}", extras.extra));
  if (spec.batch) {
    // Blank where it goes with the output.
    lines.push_back(fmt::format(
        "StdErr={}", extras.std_err.empty() ? std::string() : shown_file(view, extras.std_err)));
    lines.push_back(fmt::format(
        "StdIn={}", extras.std_in.empty() ? "/dev/null" : shown_file(view, extras.std_in)));
    lines.push_back(fmt::format("StdOut={}", shown_file(view, spec.std_out)));
  }
  // A leaf switch is waited for as long as the site lets it; Slurm's usual time where none is told.
  constexpr std::uint32_t kUsualSwitchWait = 300;
  if (const JobSpecials& specials = view.specials(); specials.switches) {
    std::uint32_t wait = specials.switch_wait_s ? specials.switch_wait_s : kUsualSwitchWait;
    lines.push_back(fmt::format("Switches={}@{}", specials.switches,
                                print_span_long(std::chrono::seconds(wait))));
  }
  add_gres_lines(lines, gres_options(extras), "TresPerJob");
  if (extras.mail_types)
    lines.push_back(fmt::format("MailUser={} MailType={}",
                                extras.mail_user.empty() ? view.spec().user_name : extras.mail_user,
                                print_mail_types(extras.mail_types)));
  if (!extras.container.empty()) lines.push_back(fmt::format("Container={}", extras.container));
  if (const std::string& id = view.specials().container_id; !id.empty())
    lines.push_back(fmt::format("ContainerID={}", id));
}

// With -d: what the job holds in all and on each node, alike neighbours together.
void add_detail_lines(std::vector<std::string>& lines, const JobView& view) {
  if (!view.job().allocation->nodes.empty())
    lines.push_back(
        fmt::format("JOB_GRES={}", or_null(gres_total_text(*view.job().allocation->gres))));
  auto hosts = Hostlist::parse(view.row->nodes);
  const auto& shares = view.job().allocation->nodes;
  const auto& ids = view.row->cpu_ids;
  const GresShares& gres = *view.job().allocation->gres;
  if (!hosts || hosts->count() != shares.size() || shares.empty()) return;
  std::vector<std::string> names;
  std::string before;
  auto flush = [&] {
    if (!names.empty())
      lines.push_back(fmt::format("  Nodes={} {}", Hostlist::of(names).str(), before));
    names.clear();
  };
  std::size_t i = 0;
  hosts->for_each([&](std::string_view name) {
    std::string here =
        fmt::format("CPU_IDs={} Mem={} GRES={}", or_null(i < ids.size() ? ids[i] : ""),
                    shares[i].memory_mb, gres_detail_text(gres, shares[i].node));
    if (here != before) flush();
    before = std::move(here);
    names.emplace_back(name);
    ++i;
  });
  flush();
}

constexpr std::uint32_t kNoId = 1;  // of an error: the word is no id at all

// Elements of a record that several share are shown as if each had its own; what is not there
// stays away.
std::vector<JobRow> named_elements(std::vector<JobRow> rows,
                                   const std::vector<JobTarget>& targets) {
  std::vector<JobRow> out;
  for (JobRow& row : rows) {
    if (!row.job.array) {
      out.push_back(std::move(row));
      continue;
    }
    for (const JobTarget& target : targets) {
      if (target.job != row.job.array_job) continue;
      if (!target.tasks) {
        out.push_back(row);
        continue;
      }
      IndexSet chosen = row.job.array->waiting.intersected(*target.tasks);
      if (chosen.empty()) continue;
      JobRow part = row;
      part.job.array = Ref(ArrayTasks{.waiting = std::move(chosen)});
      out.push_back(std::move(part));
    }
  }
  return out;
}

// One element of an array, or one component of a heterogeneous job?
bool is_part(const std::vector<JobTarget>& targets) {
  return targets.size() == 1 && (targets[0].tasks || targets[0].component);
}

// That a part is not there is one thing, that its job is not another.
Result<std::vector<JobRow>> nothing_of(Controller& controller, JobId job) {
  QueryJobs question{.filter = {.targets = {{.job = job}}, .all_states = true}};
  std::vector<JobRow> rows;
  Status asked = fetch_rows<JobRows>(controller, question, rows);
  if (!asked) return std::unexpected(asked.error());
  return std::vector<JobRow>{};
}

Result<std::vector<JobRow>> fetch_jobs(ScontrolContext& context, const Words& words) {
  QueryJobs question{.filter = {.all_states = true},
                     .hide = words.empty() && !context.settings().all};
  if (!words.empty()) {
    auto targets = parse_targets(words[0]);
    if (!targets) return fail(kNoId, std::string(text_of(Errc::InvalidJobId)));
    question.filter.targets = std::move(*targets);
  }
  auto controller = context.controller();
  if (!controller) return std::unexpected(controller.error());
  std::vector<JobRow> rows;
  Status asked = fetch_rows<JobRows>(**controller, question, rows);
  const std::vector<JobTarget>& targets = question.filter.targets;
  if (!asked && is(asked.error(), Errc::InvalidJobId) && is_part(targets))
    return nothing_of(**controller, targets[0].job);
  if (!asked) return std::unexpected(asked.error());
  if (words.empty()) return rows;
  rows = named_elements(std::move(rows), targets);
  if (rows.empty() && !is_part(targets)) return refuse(Errc::InvalidJobId);
  return rows;
}

}  // namespace

std::string job_record(const JobRow& row, Instant now, const ScontrolSettings& settings) {
  JobView view{.row = &row, .now = now};
  std::vector<std::string> lines{head(view)};
  lines.push_back(fmt::format("SLUID={}", encode_sluid(row.job.sluid.value)));
  add_state_lines(lines, view);
  if (settings.details)
    lines.push_back(fmt::format("DerivedExitCode={}:{}", row.job.derived_exit.code,
                                row.job.derived_exit.signal));
  add_time_lines(lines, view);
  add_resource_lines(lines, view);
  if (settings.details) add_detail_lines(lines, view);
  add_wish_lines(lines, view);
  add_file_lines(lines, view);
  return record_text(lines, settings.one_line);
}

int show_jobs(ScontrolContext& context, const Words& words) {
  auto rows = fetch_jobs(context, words);
  if (!rows)
    return context.fail_with(fmt::format(
        "{} error: {}", rows.error().code == kNoId ? "scontrol_print_job" : "slurm_load_jobs",
        rows.error().text));
  std::string out;
  Instant now = wall_clock();
  if (context.settings().notation)
    return print_data(context, Words{"show", "jobs"}, [&](DataWriter& data) {
      data.begin_list("jobs");
      for (const JobRow& row : *rows)
        write_job(
            data,
            {.row = &row, .now = now, .cluster = (*context.controller())->config().cluster_name});
      data.end();
      data.number("last_backfill", 0).number("last_update", now.unix_seconds());
    });
  if (rows->empty() && !words.empty()) {
    print_error(fmt::format("Job {} not found\n", words[0]));
    return 1;
  }
  for (const JobRow& row : *rows) out += job_record(row, now, context.settings());
  print(rows->empty() ? "No jobs in the system\n" : out);
  return 0;
}

}  // namespace ym::cli
