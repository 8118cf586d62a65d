// SPDX-License-Identifier: Apache-2.0
// What every command owes its users: help that fits a terminal, an entry for every option, a manual
// page.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "cli/common/command.h"
#include "cli/options/job_options.h"
#include "cli/sacct/sacct.h"
#include "cli/salloc/salloc.h"
#include "cli/sbatch/sbatch.h"
#include "cli/sbcast/sbcast.h"
#include "cli/scancel/scancel.h"
#include "cli/scontrol/scontrol.h"
#include "cli/scrontab/scrontab.h"
#include "cli/sdiag/sdiag.h"
#include "cli/sinfo/sinfo.h"
#include "cli/sprio/sprio.h"
#include "cli/squeue/squeue.h"
#include "cli/srun/srun.h"
#include "cli/strigger/strigger.h"
#include "cli/swait/swait.h"

namespace ym::cli {
namespace {

struct Subject {
  CommandPage page;
  std::vector<OptionInfo> options;
};

template <class Settings>
Subject subject(CommandPage page, std::vector<Option<Settings>> table) {
  add_standard(table);
  return {std::move(page), infos_of(table)};
}

std::vector<Subject> all_commands() {
  return {subject(sbatch_page(), job_option_table(kSbatch)),
          subject(salloc_page(), job_option_table(kSalloc)),
          subject(srun_page(), job_option_table(kSrun)),
          subject(squeue_page(), squeue_table()),
          subject(sinfo_page(), sinfo_table()),
          subject(scancel_page(), scancel_table()),
          subject(scontrol_page(), scontrol_table()),
          subject(sbcast_page(), sbcast_table()),
          subject(sacct_page(), sacct_table()),
          subject(sprio_page(), sprio_table()),
          subject(sdiag_page(), sdiag_table()),
          subject(strigger_page(), strigger_table()),
          subject(scrontab_page(), scrontab_table()),
          subject(swait_page(), swait_table())};
}

TEST(Help, FitsATerminal) {
  for (const Subject& command : all_commands())
    for (const std::string& text :
         {help_text(command.page, command.options), usage_text(command.page, command.options)})
      for (std::string_view line : split(text, '\n'))
        EXPECT_LE(line.size(), kHelpColumns) << command.page.name << ": " << line;
}

TEST(Help, TellsOfEveryOption) {
  for (const Subject& command : all_commands()) {
    std::string help = help_text(command.page, command.options);
    std::string manual = manual_page(command.page, command.options);
    for (const OptionInfo& option : command.options) {
      EXPECT_FALSE(std::string_view(option.help).empty())
          << command.page.name << " --" << option.name;
      EXPECT_FALSE(std::string_view(option.help).ends_with('.'))
          << command.page.name << " --" << option.name;
      EXPECT_EQ(option.takes == Takes::Nothing, std::string_view(option.argument).empty())
          << option.name;
      if (option.hidden) continue;
      EXPECT_NE(help.find("--" + std::string(option.name)), std::string::npos) << option.name;
      EXPECT_NE(manual.find(option.help[0]), std::string::npos);
    }
  }
}

TEST(Help, NamesAndLettersStandOnce) {
  for (const Subject& command : all_commands()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const OptionInfo& option : command.options) {
      if (!option.name.empty())
        EXPECT_TRUE(names.insert(option.name).second) << command.page.name << " " << option.name;
      if (option.letter)
        EXPECT_TRUE(letters.insert(option.letter).second)
            << command.page.name << " -" << option.letter;
    }
  }
}

TEST(Help, AManualPageHasItsSections) {
  for (const Subject& command : all_commands()) {
    std::string page = manual_page(command.page, command.options);
    for (const char* section :
         {".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"})
      EXPECT_NE(page.find(section), std::string::npos) << command.page.name << " " << section;
  }
}

TEST(Help, VariablesHaveTheCommandsOwnPrefix) {
  for (const Subject& command : all_commands())
    for (const OptionInfo& option : command.options) {
      std::string variable = option.variable_name();
      if (variable.empty() || variable == "SLURM_CLUSTERS") continue;
      std::string own = to_upper(command.page.name) + "_";
      bool older = command.page.name == "srun" && variable.starts_with("SLURM_");
      EXPECT_TRUE(older || variable.starts_with(own)) << variable;
    }
}

}  // namespace
}  // namespace ym::cli
