// SPDX-License-Identifier: Apache-2.0
#include "cli/sattach/sattach.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "cli/common/flags.h"
#include "cli/options/refusal.h"
#include "cli/sattach/listening.h"

namespace ym::cli {
namespace {

using Settings = SattachSettings;

template <auto Member>
Status set_task(Settings& settings, std::string_view value) {
  auto task = parse_unsigned<std::uint32_t>(value);
  if (!task) return fail("not a task's number");
  settings.*Member = *task;
  return {};
}

StepId step_of(const StepRef& ref) {
  switch (ref.kind) {
    case StepRef::Kind::Batch: return kBatchStep;
    case StepRef::Kind::Extern: return kExternStep;
    case StepRef::Kind::Interactive: return kInteractiveStep;
    case StepRef::Kind::Number: break;
  }
  return StepId{ref.number};
}

Result<StepRow> find_step(Controller& controller, const JobRef& wanted) {
  StepId step = step_of(*wanted.step);
  QuerySteps question{.step = step};
  if (!wanted.task) question.job = JobId{wanted.job};
  std::optional<StepRow> found;
  Status asked = controller.ask_many<StepRows>(
      question,
      [&](StepRows&& some) {
        for (StepRow& row : some.rows)
          if (names(wanted, step, row)) found = std::move(row);
      },
      [&] { found.reset(); });
  if (!asked) return std::unexpected(asked.error());
  if (!found) return fail(fmt::format("no running step {}", wanted.str()));
  return std::move(*found);
}

}  // namespace

CommandPage sattach_page() {
  return {.name = "sattach",
          .summary = "join a running step",
          .usage = {"[OPTION]... JOB.STEP"},
          .description =
              "Shows what the tasks of the step say from now on, and passes on what is typed. It "
              "takes nothing\n"
              "from the srun that started the step, which goes on as ever; ending sattach does not "
              "end the step.\n"
              "A sattach that does not keep up is cut off. Only the step's owner and "
              "administrators may attach."};
}

std::vector<Option<SattachSettings>> sattach_table() {
  return {
      {{.name = "input-filter",
        .takes = Takes::Value,
        .argument = "TASK",
        .help = "What is typed goes to this task only"},
       set_task<&Settings::input_task>},
      {{.name = "output-filter",
        .takes = Takes::Value,
        .argument = "TASK",
        .help = "Standard output of this task only"},
       set_task<&Settings::output_task>},
      {{.name = "error-filter",
        .takes = Takes::Value,
        .argument = "TASK",
        .help = "Standard error of this task only"},
       set_task<&Settings::error_task>},
      {{.name = "label", .letter = 'l', .help = "Task number before each line of output"},
       flag<&Settings::label, Settings>},
      {{.name = "layout", .help = "Print which tasks run where, and leave"},
       flag<&Settings::layout, Settings>},
      {{.name = "pty", .help = "The terminal of task 0: keys go to it as they are pressed"},
       flag<&Settings::pty, Settings>},
      {{.name = "quiet", .letter = 'Q', .help = "Errors only"}, flag<&Settings::quiet, Settings>},
      {{.name = "verbose", .letter = 'v', .help = "Say what is done"}, add_verbose<Settings>}};
}

bool names(const JobRef& wanted, StepId step, const StepRow& row) {
  if (row.step.id != step) return false;
  if (wanted.task) return row.array_job.value == wanted.job && row.array_task == *wanted.task;
  if (wanted.component)
    return row.het_job.value == wanted.job && row.het_offset == *wanted.component;
  return row.job.value == wanted.job;
}

std::string layout_text(const StepRow& row) {
  std::string out = fmt::format("Job step layout:\n\t{} tasks, {} nodes ({})\n\n", row.step.tasks,
                                row.step.shares.size(), row.nodes);
  for (std::size_t n = 0; n < row.step.shares.size() && n < row.addresses.size(); ++n) {
    const StepShare& share = row.step.shares[n];
    out += fmt::format("\tNode {} ({}), {} task(s): ", n, row.addresses[n].name, share.tasks);
    for (std::uint32_t local = 0; local < share.tasks; ++local)
      out += fmt::format("{} ", share.rank(local));
    out += '\n';
  }
  return out;
}

int sattach_main(const Arguments& arguments) {
  auto parsed = parse_command(sattach_page(), sattach_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto fail_with = [](const std::string& text) {
    complain("sattach", text);
    return error_exit();
  };
  if (parsed.operands.size() != 1) return fail_with("Exactly one step is needed, as JOB.STEP");
  auto wanted = JobRef::parse(parsed.operands[0]);
  if (!wanted) return fail_with(wanted.error().text);
  if (!wanted->step || wanted->sluid != 0)
    return fail_with(fmt::format("{} does not name a step: JOB.STEP", parsed.operands[0]));
  auto controller = Controller::open();
  if (!controller) return fail_with(controller.error().text);
  auto row = find_step(*controller, *wanted);
  if (!row) return fail_with(fmt::format("Could not get job step info: {}", row.error().text));
  if (parsed.settings.layout) {
    print(layout_text(*row));
    return 0;
  }
  Listening listening(*controller, parsed.settings, *row);
  return listening.run();
}

}  // namespace ym::cli
