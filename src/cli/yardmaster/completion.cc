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
                           std::vector<OperandRule> operands = {}) {
  add_standard(table);
  return {.name = name, .options = infos_of(table), .operands = std::move(operands)};
}

ValueSource words(std::string_view text) {
  ValueSource out{.kind = Values::Words};
  for (std::string_view word : split_words(text, ' ')) out.words.emplace_back(word);
  return out;
}
std::vector<OperandRule> jobs() {
  return {{"", {.kind = Values::Jobs}}, {"*", {.kind = Values::Jobs}}};
}

// Verbs, what they are about, and its names. Rules of one word come before those of any.
std::vector<OperandRule> scontrol_operands() {
  ValueSource verbs{.kind = Values::Words}, kinds{.kind = Values::Words};
  for (const Verb& verb : scontrol_verbs()) verbs.words.emplace_back(verb.name);
  for (std::string_view kind : split_words(shown_kinds(), ','))
    kinds.words.emplace_back(trim(kind));
  constexpr Values kJobs = Values::Jobs, kNodes = Values::Nodes;
  std::vector<OperandRule> out = {
      {"", verbs},
      {"job*=", {.kind = kJobs}},
      {"step*=", {.kind = kJobs}},
      {"nod*=", {.kind = kNodes}},
      {"par*=", {.kind = Values::Partitions}},
      {"res*=", {.kind = Values::Reservations}},
      {"show", kinds},
      {"show job*", {.kind = kJobs}},
      {"show step*", {.kind = kJobs}},
      {"show node*", {.kind = kNodes}},
      {"show part*", {.kind = Values::Partitions}},
      {"show res*", {.kind = Values::Reservations}},
      {"show host*", {.kind = kNodes}},
      {"update", words("JobId= StepId= NodeName= PartitionName= ReservationName=")},
      {"create", words("NodeName= PartitionName= reservation")},
      {"delete", words("NodeName= PartitionName= ReservationName=")},
      {"delete nod*", {.kind = kNodes}},
      {"delete par*", {.kind = Values::Partitions}},
      {"delete res*", {.kind = Values::Reservations}},
      {"write", words("batch_script config")},
      {"write batch_script", {.kind = kJobs}},
      {"power", words("up down")},
      {"power *", {.kind = kNodes}},
  };
  for (std::string_view verb : {"hold", "uhold", "release", "requeue", "requeuehold", "suspend",
                                "resume", "top", "notify", "wait_job", "listpids"})
    out.push_back({fmt::format("{}*", verb), {.kind = kJobs}});
  for (std::string_view verb : {"reboot", "cancel_reboot", "revoke", "listjobs", "liststeps"})
    out.push_back({fmt::format("{}*", verb), {.kind = kNodes}});
  return out;
}

CompletedCommand completed_yardmaster() {
  CompletedCommand out{.name = kYardmaster};
  ValueSource verbs{.kind = Values::Words};
  for (const YardmasterVerb& verb : yardmaster_verbs()) {
    verbs.words.emplace_back(verb.name);
    for (const OptionInfo& info : verb.options()) {
      bool known = false;
      for (const OptionInfo& other : out.options)
        known = known || other.name == info.name || (info.letter && other.letter == info.letter);
      if (!known) out.options.push_back(info);
    }
  }
  out.operands = {{"", verbs},
                  {"explain*", {.kind = Values::Jobs}},
                  {"what-if*", {.kind = Values::Jobs}},
                  {"ping*", {.kind = Values::Nodes}},
                  {"completion", words("bash zsh fish")}};
  return out;
}

}  // namespace

std::vector<CompletedCommand> completed_commands() {
  return {completed("sbatch", job_option_table(kSbatch)),
          completed("salloc", job_option_table(kSalloc)),
          completed("srun", job_option_table(kSrun)),
          completed("squeue", squeue_table()),
          completed("sinfo", sinfo_table()),
          completed("scancel", scancel_table(), jobs()),
          completed("scontrol", scontrol_table(), scontrol_operands()),
          completed("sattach", sattach_table(), jobs()),
          completed("sbcast", sbcast_table()),
          completed("sstat", sstat_table()),
          completed("sacct", sacct_table()),
          completed("sprio", sprio_table()),
          completed("sdiag", sdiag_table()),
          completed("strigger", strigger_table()),
          completed("scrontab", scrontab_table()),
          completed("swait", swait_table(), jobs()),
          completed_yardmaster()};
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
