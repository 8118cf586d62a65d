// SPDX-License-Identifier: Apache-2.0
#include "cli/sstat/sstat.h"

#include <algorithm>

#include "base/format.h"
#include "cli/common/controller.h"
#include "cli/common/steps_here.h"
#include "cli/common/targets.h"
#include "model/errc.h"

namespace ym::cli {
namespace {

template <auto Member, bool Value = true>
Status flag(SstatSettings& settings, std::string_view) {
  settings.*Member = Value;
  return {};
}
template <auto Member>
Status text(SstatSettings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}
Status set_jobs(SstatSettings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) return std::unexpected(targets.error());
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}
Status set_pids(SstatSettings& settings, std::string_view) {
  settings.fields = kPidFields;
  return {};
}
Status accept(SstatSettings&, std::string_view) { return {}; }

// The steps of a target: the one that it names, all, or the lowest; a batch script comes last.
std::vector<StepRow> choose(const SstatSettings& settings, const JobTarget& target,
                            std::vector<StepRow> rows) {
  std::erase_if(rows, [&](const StepRow& row) {
    return (target.tasks && !target.tasks->contains(row.array_task)) ||
           (target.component && row.het_offset != *target.component);
  });
  std::ranges::sort(rows, {}, [](const StepRow& row) { return std::pair(row.job, row.step.id); });
  if (!target.step && !settings.all_steps && !rows.empty()) rows.resize(1);
  return rows;
}

SstatRow ask_all_nodes(Controller& controller, const StepRow& step) {
  SstatRow row{.id = shown_step(step), .nodes = step.nodes};
  QueryStepsHere question{.job = step.job, .step = step.step.id};
  for (const NodeAnswer& answer : ask_nodes(controller, step.addresses, question)) {
    const auto& here = answer.steps;
    if (!here) {
      complain("sstat", fmt::format("{}: {}", answer.node, here.error().text));
      continue;
    }
    for (const StepHere& part : here->rows) {
      for (const TaskHere& task : part.tasks) add_task(row.usage, task.usage, part.node);
      row.pids.insert(row.pids.end(), part.pids.begin(), part.pids.end());
    }
  }
  return row;
}

// Why there is no row for it: nobody's fault, so the others are shown, and the exit code stays 0.
std::string nothing_of(const JobTarget& target, const Status& asked) {
  if (!asked && !is(asked.error(), Errc::InvalidJobId))
    return fmt::format("{}: {}", target.job.value, asked.error().text);
  if (!asked) return fmt::format("couldn't get steps for job {}", target.job.value);
  if (target.step)
    return fmt::format("StepId={}.{} not found running.", target.job.value,
                       step_name(*target.step));
  return fmt::format("no steps running for job {}", target.job.value);
}

int show(const SstatSettings& settings) {
  auto controller = Controller::open();
  if (!controller) {
    complain("sstat", controller.error().text);
    return 1;
  }
  std::vector<SstatRow> rows;
  for (const JobTarget& target : settings.targets) {
    std::vector<StepRow> steps;
    Status asked = controller->ask_many<StepRows>(
        QuerySteps{.job = target.job, .step = target.step},
        [&steps](StepRows&& some) {
          for (StepRow& step : some.rows) steps.push_back(std::move(step));
        },
        [&steps] { steps.clear(); });
    if (!asked || steps.empty()) {
      complain("sstat", nothing_of(target, asked));
      continue;
    }
    for (const StepRow& step : choose(settings, target, std::move(steps)))
      rows.push_back(ask_all_nodes(*controller, step));
  }
  // Of somebody else's step the nodes tell nothing.
  std::erase_if(rows, [](const SstatRow& row) { return row.usage.tasks == 0; });
  auto out = render_usage(settings, rows);
  print(out ? *out : std::string());
  return 0;
}

}  // namespace

CommandPage sstat_page() {
  return {.name = "sstat",
          .summary = "show what running steps use",
          .usage = {"[OPTION]... -j JOB[.STEP][,JOB[.STEP]]..."},
          .description =
              "Processor time, memory, page faults and bytes of the tasks of steps that are "
              "running, as their\n"
              "nodes measure them now. Users see their own steps, root sees all. Without a step "
              "the lowest\n"
              "of the job that runs is meant; JOB.batch is the batch script."};
}

std::vector<Option<SstatSettings>> sstat_table() {
  using Settings = SstatSettings;
  return {
      {{.name = "jobs",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "STEPS",
        .help = "These jobs or steps"},
       set_jobs},
      {{.name = "allsteps", .letter = 'a', .help = "All running steps of the jobs"},
       flag<&Settings::all_steps>},
      {{.name = "format",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "FIELDS",
        .help = "These fields; NAME%WIDTH sets a width, a negative one is left-justified"},
       text<&Settings::fields>},
      {{.name = "fields",
        .takes = Takes::Value,
        .argument = "FIELDS",
        .help = "The same as --format",
        .hidden = true},
       text<&Settings::fields>},
      {{.name = "helpformat", .letter = 'e', .help = "List the fields that there are"},
       flag<&Settings::list_fields>},
      {{.name = "pidformat", .letter = 'i', .help = "Show nodes and process ids"}, set_pids},
      {{.name = "noheader", .letter = 'n', .help = "Without the heading"},
       flag<&Settings::header, false>},
      {{.name = "noconvert", .help = "Sizes in bytes, not in larger units"},
       flag<&Settings::convert, false>},
      {{.name = "parsable", .letter = 'p', .help = "Fields separated by |, one at the end, too"},
       flag<&Settings::last_bar>},
      {{.name = "parsable2", .letter = 'P', .help = "Fields separated by |"},
       flag<&Settings::bars>},
      {{.name = "delimiter",
        .takes = Takes::Value,
        .argument = "TEXT",
        .help = "What separates fields with -p and -P"},
       text<&Settings::delimiter>},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept},
  };
}

int sstat_main(const Arguments& arguments) {
  auto parsed = parse_command(sstat_page(), sstat_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  SstatSettings& settings = parsed.settings;
  if (settings.list_fields) {
    std::string out;
    for (const SstatField& field : sstat_fields()) out += fmt::format("{}\n", field.name);
    print(out);
    return 0;
  }
  for (const std::string& operand : parsed.operands)
    if (Status added = set_jobs(settings, operand); !added) {
      complain("sstat", added.error().text);
      return 1;
    }
  if (settings.targets.empty()) {
    complain("sstat", "You didn't give me any jobs to stat.");
    return 1;
  }
  if (auto dry = render_usage(settings, {}); !dry) {
    complain("sstat", dry.error().text);
    return 1;
  }
  return show(settings);
}

}  // namespace ym::cli
