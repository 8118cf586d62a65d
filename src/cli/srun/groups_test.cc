// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/groups.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

class Groups : public testing::Test {
 protected:
  Groups() { ::setenv("SLURM_HET_SIZE", "3", 1); }
  ~Groups() override { ::unsetenv("SLURM_HET_SIZE"); }
  std::string chosen(const std::vector<std::vector<std::string>>& lines) {
    auto groups = choose_groups(lines);
    if (!groups) return groups.error().text;
    std::string out;
    for (const GroupLine& one : *groups)
      out += fmt::format("{}:{} ", one.group ? fmt::format("{}", *one.group) : "-",
                         join(one.words, " "));
    return out;
  }
};

TEST_F(Groups, LinesTakeTheComponentsOneAfterTheOther) {
  EXPECT_EQ(chosen({{"a"}, {"b"}}), "0:a 1:b ");
}

TEST_F(Groups, OneLineMayRunInSeveral) {
  EXPECT_EQ(chosen({{"--het-group=0,2", "a"}}), "0:--het-group=0,2 a 2:--het-group=0,2 a ");
}

TEST_F(Groups, TasksAreNumberedInTheOrderOfTheComponents) {
  EXPECT_EQ(chosen({{"--het-group=1", "a"}, {"--het-group=0", "b"}}),
            "0:--het-group=0 b 1:--het-group=1 a ");
}

TEST_F(Groups, AComponentThatIsNotThereIsRefused) {
  EXPECT_EQ(chosen({{"--het-group=3", "a"}}),
            "Requested het-group offset exceeds highest hetjob index (3 > 2)");
}

TEST_F(Groups, ElsewhereThereAreNone) {
  ::unsetenv("SLURM_HET_SIZE");
  EXPECT_EQ(chosen({{"a"}, {"b"}}), "-:a -:b ");
  EXPECT_EQ(chosen({{"--het-group=1", "a"}}), "-:--het-group=1 a ");
  ::setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_EQ(chosen({{"--het-group=1", "a"}}),
            "Requested het-group offset exceeds highest hetjob index (1 > 0)");
  ::unsetenv("SLURM_JOB_ID");
}

TEST_F(Groups, VariablesAreThoseOfTheComponent) {
  ::setenv("SLURM_NTASKS", "1", 1);
  ::setenv("SLURM_NTASKS_HET_GROUP_0", "1", 1);
  ::setenv("SLURM_JOB_ID", "7", 1);
  ::setenv("SLURM_JOB_ID_HET_GROUP_0", "7", 1);
  ::setenv("SLURM_JOB_ID_HET_GROUP_1", "8", 1);
  {
    GroupEnvironment within(1);
    EXPECT_EQ(environment_variable("SLURM_JOB_ID"), "8");
    EXPECT_FALSE(environment_variable("SLURM_NTASKS"));
  }
  EXPECT_EQ(environment_variable("SLURM_JOB_ID"), "7");
  EXPECT_EQ(environment_variable("SLURM_NTASKS"), "1");
  for (const char* name : {"SLURM_NTASKS", "SLURM_NTASKS_HET_GROUP_0", "SLURM_JOB_ID",
                           "SLURM_JOB_ID_HET_GROUP_0", "SLURM_JOB_ID_HET_GROUP_1"})
    ::unsetenv(name);
}

}  // namespace
}  // namespace ym::cli
