// SPDX-License-Identifier: Apache-2.0
// `scontrol show step [JOB[.STEP]]`: steps that are alive, as the controller knows them.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "cli/scontrol/data.h"
#include "model/node_gres.h"
#include "notation/distribution.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

std::string limit_text(const Step& step) {
  if (!step.limit_end || step.limit_end == kNever) return "UNLIMITED";
  return print_span_long(step.limit_end - step.start);
}

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

std::string ports_text(const Step& step) {
  if (step.ports == 0) return "(null)";
  if (step.ports == 1) return fmt::format("{}", step.first_port);
  return fmt::format("{}-{}", step.first_port, step.first_port + step.ports - 1);
}

// A step that nobody's srun has made has neither.
std::string layout_text(const StepTexts& texts) {
  if (texts.host.empty()) return "";
  auto layout = Distribution::parse(texts.distribution);
  return layout ? " Dist=" + layout->title() : "";
}

int not_found(const std::string& step) {
  print(fmt::format("Job step {} not found\n", printable(step)));
  return 1;
}

}  // namespace

std::string step_record(const StepRow& row, bool one_line) {
  const Step& step = row.step;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  for (const StepShare& share : step.shares) {
    cpus += share.cpus;
    memory_mb += share.memory_mb;
  }
  const StepTexts& texts = *step.texts;
  const std::string& wish = texts.cpu_freq;
  std::string freq = wish.empty() ? "Default" : wish;
  std::string memory = memory_mb ? fmt::format("mem={}M,", memory_mb) : "";
  std::vector<std::string> lines{
      fmt::format("StepId={} UserId={} StartTime={} TimeLimit={}", shown_step(row), row.uid.value,
                  show_time(step.start, "Unknown"), limit_text(step)),
      fmt::format("State=RUNNING Partition={} NodeList={}", row.partition, row.nodes),
      fmt::format("Nodes={} CPUs={} Tasks={} Name={} Network={}", step.shares.size(), cpus,
                  step.tasks, step.name, or_null(texts.network)),
      fmt::format("TRES=cpu={},{}node={}{}", cpus, memory, step.shares.size(),
                  gres_tres_text(*step.gres)),
      fmt::format("ResvPorts={}", ports_text(step)),
      fmt::format("CPUFreqReq={}{}", freq, layout_text(texts)),
      fmt::format("SrunHost:Pid={}:{}", or_null(texts.host), texts.pid)};
  add_gres_lines(lines, texts.gres, "TresPerStep");
  if (!step.container.empty()) lines.push_back(fmt::format("Container={}", step.container));
  if (!texts.container_id.empty())
    lines.push_back(fmt::format("ContainerID={}", texts.container_id));
  return record_text(lines, one_line);
}

int show_steps(ScontrolContext& context, const Words& words) {
  auto fail_with = [&](const Error& error) {
    return context.fail_with(fmt::format("slurm_get_job_steps error: {}", error.text));
  };
  std::vector<JobTarget> targets{{}};
  if (!words.empty()) {
    auto parsed = parse_targets(words[0]);
    if (!parsed) return not_found(words[0]);
    targets = std::move(*parsed);
  }
  auto controller = context.controller();
  if (!controller) return fail_with(controller.error());
  std::string out;
  std::vector<StepRow> chosen;
  for (const JobTarget& target : targets) {
    QuerySteps question{
        .job = {}, .step = target.step, .hide = words.empty() && !context.settings().all};
    if (target.job) question.job = target.job;
    std::vector<StepRow> rows;
    if (Status asked = fetch_rows<StepRows>(**controller, question, rows); !asked)
      return fail_with(asked.error());
    for (const StepRow& row : rows) {
      bool element = (!target.tasks || target.tasks->contains(row.array_task)) &&
                     (!target.component || row.het_offset == *target.component);
      if (!element) continue;
      out += step_record(row, context.settings().one_line);
      chosen.push_back(row);
    }
    if (rows.empty() && target.step) return not_found(words[0]);
  }
  if (context.settings().notation)
    return print_data(context, {"show", "steps"}, [&](DataWriter& data) {
      data.begin_list("steps");
      for (const StepRow& row : chosen) write_step(data, row);
      data.end();
    });
  print(out.empty() ? "No job steps in the system\n" : out);
  return 0;
}

}  // namespace ym::cli
