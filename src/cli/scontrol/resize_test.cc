// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/resize.h"

#include <gtest/gtest.h>

#include "cli/common/made_up_rows.h"

namespace ym::cli {
namespace {

TEST(Resize, TheShellIsToldWhatTheJobHas) {
  JobRow row = made_up::running(7, made_up::spec("j"));
  EXPECT_EQ(resize_script(row, false),
            "export SLURM_NODELIST=\"n[1-2]\"\nexport SLURM_JOB_NODELIST=\"n[1-2]\"\n"
            "export SLURM_NNODES=\"2\"\nexport SLURM_JOB_NUM_NODES=\"2\"\n"
            "export SLURM_JOB_CPUS_PER_NODE=\"2(x2)\"\n"
            "unset SLURM_NPROCS\nunset SLURM_NTASKS\nunset SLURM_TASKS_PER_NODE\n");
  std::string csh = resize_script(row, true);
  EXPECT_NE(csh.find("setenv SLURM_JOB_NODELIST \"n[1-2]\"\n"), std::string::npos);
  EXPECT_NE(csh.find("unsetenv SLURM_NTASKS\n"), std::string::npos);
}

}  // namespace
}  // namespace ym::cli
