// SPDX-License-Identifier: Apache-2.0
// yardmaster completion SHELL
#include "cli/common/completion.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/options/job_options.h"
#include "cli/sacct/sacct.h"
#include "cli/sattach/sattach.h"
#include "cli/sbcast/sbcast.h"
#include "cli/scancel/scancel.h"
#include "cli/scontrol/scontrol.h"
#include "cli/scrontab/scrontab.h"
#include "cli/sdiag/sdiag.h"
#include "cli/sinfo/sinfo.h"
#include "cli/sprio/sprio.h"
#include "cli/squeue/squeue.h"
#include "cli/sstat/sstat.h"
#include "cli/strigger/strigger.h"
#include "cli/swait/swait.h"
#include "cli/yardmaster/yardmaster.h"

namespace ym::cli {
namespace {

struct CompletionSettings {};

template <class Settings>
CompletedCommand completed(const char* name, std::vector<Option<Settings>> table,
                           Values operands = Values::Unknown) {
  add_standard(table);
  return {.name = name, .options = infos_of(table), .operands = operands};
}

}  // namespace

std::vector<CompletedCommand> completed_commands() {
  return {completed("sbatch", job_option_table(kSbatch)),
          completed("salloc", job_option_table(kSalloc)),
          completed("srun", job_option_table(kSrun)),
          completed("squeue", squeue_table()),
          completed("sinfo", sinfo_table()),
          completed("scancel", scancel_table(), Values::Jobs),
          completed("scontrol", scontrol_table()),
          completed("sattach", sattach_table(), Values::Jobs),
          completed("sbcast", sbcast_table()),
          completed("sstat", sstat_table()),
          completed("sacct", sacct_table()),
          completed("sprio", sprio_table()),
          completed("sdiag", sdiag_table()),
          completed("strigger", strigger_table()),
          completed("scrontab", scrontab_table()),
          completed("swait", swait_table(), Values::Jobs)};
}

std::vector<OptionInfo> completion_options() {
  std::vector<Option<CompletionSettings>> table;
  add_standard(table);
  return infos_of(table);
}

CommandPage completion_page() {
  return {.name = "yardmaster completion",
          .summary = "print what makes a shell complete the commands",
          .usage = {"bash|zsh|fish"},
          .description =
              "Options come from the commands' own tables; the names of jobs, nodes and\n"
              "partitions from the cluster at that moment. For bash: put the output into a file\n"
              "of /etc/bash_completion.d, or eval it."};
}

int completion_main(const Arguments& arguments) {
  auto parsed = parse_command(completion_page(), std::vector<Option<CompletionSettings>>(),
                              arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  std::string word = parsed.operands.size() == 1 ? parsed.operands[0] : "";
  auto shell = parse_shell(word);
  if (!shell) {
    std::string_view meant = nearest(word, {"bash", "zsh", "fish"});
    complain(kYardmaster, meant.empty() ? std::string("which shell: bash, zsh or fish?")
                                        : fmt::format("no such shell; did you mean '{}'?", meant));
    return 1;
  }
  print(completion_script(*shell, completed_commands()));
  return 0;
}

}  // namespace ym::cli
