// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/foreign.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/options/job_options.h"
#include "cli/sbatch/sbatch.h"

namespace ym::cli {
namespace {

// The options that lines become, or the error.
std::string read(std::string_view lines) {
  auto read = foreign_lines(std::string("#!/bin/sh\n") + std::string(lines) + "\n");
  if (!read) return "error: " + read.error().text;
  return join(read->words, " ");
}
std::string pbs(std::string_view options) { return read("#PBS " + std::string(options)); }
std::string bsub(std::string_view options) { return read("#BSUB " + std::string(options)); }

TEST(Foreign, OptionsOfPbsBecomeOurs) {
  EXPECT_EQ(pbs("-N name -A acct -q short"), "--job-name=name --account=acct --partition=short");
  EXPECT_EQ(pbs("-Nname -qshort"), "--job-name=name --partition=short");
  EXPECT_EQ(pbs("-N 'two words' # a name"), "--job-name=two words");
  EXPECT_EQ(pbs("-o out -e err -a 16:00 -h"), "--output=out --error=err --begin=16:00 --hold");
  EXPECT_EQ(pbs("-t 1-4%2"), "--array=1-4%2");
  EXPECT_EQ(pbs("-J 0-6:2"), "--array=0-6:2");
  EXPECT_EQ(pbs("-p -50 -M joe"), "--nice=-50 --mail-user=joe");
  EXPECT_EQ(pbs("-m abe"), "--mail-type=FAIL,BEGIN,END");
  EXPECT_EQ(pbs("-m n"), "");
  EXPECT_EQ(pbs("-m x"), "--mail-type=x");  // refused where it is set
  EXPECT_EQ(pbs("-W depend=afterok:1:2"), "--dependency=afterok:1:2");
  EXPECT_EQ(pbs("-j oe -k oe -r n -S /bin/sh -u me -V -z -I -c s -C x -W x=y"), "");
  EXPECT_EQ(pbs("-VN x"), "--job-name=x");
}

TEST(Foreign, ResourcesOfPbsBecomeOurs) {
  EXPECT_EQ(pbs("-l walltime=01:02:03"), "--time=01:02:03");
  EXPECT_EQ(pbs("-l cput=10"), "--time=10");
  EXPECT_EQ(pbs("-l nodes=2:ppn=3"), "--nodes=2 --ntasks=6");
  EXPECT_EQ(pbs("-l nodes=1:ppn=2+1:ppn=3"), "--nodes=2 --ntasks=5");
  EXPECT_EQ(pbs("-l nodes=n1:ppn=2+n2:ppn=2"), "--nodelist=n1,n2 --ntasks=4");
  EXPECT_EQ(pbs("-l nodes=n3:ppn=2+1:ppn=1"), "--nodelist=n3 --nodes=2 --ntasks=3");
  EXPECT_EQ(pbs("-l nodes=1:n1"), "--nodelist=n1 --nodes=1");
  EXPECT_EQ(pbs("-l nodes=0"), "");
  EXPECT_EQ(pbs("-l nodes=2:gpus=1"), "--gres=gpu:1 --nodes=2");
  EXPECT_EQ(pbs("-l select=2:ncpus=4:mpiprocs=2:mem=100mb"),
            "--nodes=2 --mincpus=4 --ntasks-per-node=2 --mem=100m --ntasks=4 --cpus-per-task=2");
  EXPECT_EQ(pbs("-l select=2:ncpus=1:mpiprocs=2"),
            "--nodes=2 --mincpus=1 --ntasks-per-node=2 --ntasks=4");
  EXPECT_EQ(pbs("-l ncpus=4:mpiprocs=2"), "--mincpus=4 --ntasks-per-node=2");
  EXPECT_EQ(pbs("-l \"nodes=2, walltime=10\""), "--nodes=2 --time=10");
  EXPECT_EQ(pbs("-l mem=2gb,file=500kb,nice=3"), "--mem=2g --tmp=500k --nice=3");
  EXPECT_EQ(pbs("-l mem=1048577b"), "--mem=2M");
  EXPECT_EQ(pbs("-l accelerator=True"), "--gres=gpu");
  EXPECT_EQ(pbs("-l naccelerators=2,proc=fast"), "--gres=gpu:2 --constraint=fast");
  EXPECT_EQ(pbs("-l pmem=1gb,host=n1,foo=bar,word"), "");
}

TEST(Foreign, OptionsOfLsfBecomeOurs) {
  EXPECT_EQ(bsub("-J name -q short -W 90"), "--job-name=name --partition=short --time=90");
  EXPECT_EQ(bsub("-n 2,4 -x"), "--ntasks=4 --exclusive");
  EXPECT_EQ(bsub("-o out.%J -e err"), "--output=out.%J --error=err");
  EXPECT_EQ(bsub("-M 2000"), "--mem-per-cpu=2000K");
  EXPECT_EQ(bsub("-M 200MB"), "--mem-per-cpu=200M");
  EXPECT_EQ(bsub("-m \"n1 n2\""), "--nodelist=n1,n2");
  EXPECT_EQ(bsub("-cwd /tmp"), "--chdir=/tmp");
}

TEST(Foreign, WhatIsNotKnownIsRefused) {
  EXPECT_EQ(pbs("-d /tmp"), "error: invalid option -- 'd'");
  EXPECT_EQ(pbs("-:"), "error: invalid option -- ':'");
  EXPECT_EQ(pbs("-N"), "error: option requires an argument -- 'N'");
  EXPECT_EQ(pbs("--name x"), "error: unrecognized option '--name'");
  EXPECT_EQ(pbs("-N x foo"), "error: Invalid argument: foo");
  EXPECT_EQ(pbs("-"), "error: Invalid argument: -");
  EXPECT_EQ(bsub("-R \"span[ptile=2]\""), "error: invalid option -- 'R'");
  EXPECT_EQ(pbs("-l nodes=2:ppn=x"), "error: Invalid numeric value \"x\" for ppn.");
  EXPECT_EQ(pbs("-l nodes=1-3"), "error: \"1-3\" is not a valid node count");
  EXPECT_EQ(pbs("-W umask=9"), "error: Invalid umask \"9\".");
  EXPECT_EQ(pbs("-N 'open"), "error: #PBS line 2: the single quote is not closed");
}

TEST(Foreign, LinesMayStandAnywhereAndLsfWins) {
  EXPECT_EQ(read("true\n#BSUB -J b\n#PBS -N p"), "--job-name=p --job-name=b");
  EXPECT_EQ(read("#PBS-N x\n#PBS\t-q y"), "--job-name=x --partition=y");
  EXPECT_EQ(read(" #PBS -N a\n##PBS -N b\n#pbs -N c\n#PBSN -N d\n#PBS"), "");
  EXPECT_FALSE(has_foreign_lines("#!/bin/sh\n#SBATCH -n1\necho '#PBS'\n"));
}

TEST(Foreign, TheyCountMoreThanSbatchLinesAndLessThanTheRest) {
  std::string script = "#!/bin/sh\n#PBS -N pbs -v A=1 -W umask=077\n#SBATCH -J ours --export=B\n";
  JobOptions options;
  ASSERT_TRUE(apply_batch_options(script, {}, options));
  EXPECT_EQ(options.spec.name, "pbs");
  EXPECT_EQ(options.export_list, "B,A=1");
  EXPECT_EQ(options.umask, 077u);
  ASSERT_EQ(::setenv("SBATCH_JOB_NAME", "environment", 1), 0);
  JobOptions by_environment;
  EXPECT_TRUE(apply_batch_options(script, {}, by_environment));
  EXPECT_EQ(by_environment.spec.name, "environment");
  ::unsetenv("SBATCH_JOB_NAME");
}

TEST(Foreign, IgnorePbsMayStandAnywhere) {
  std::string bad = "#!/bin/sh\n#BSUB -R x\n";
  JobOptions options;
  EXPECT_FALSE(apply_batch_options(bad, {}, options));
  options = {};
  EXPECT_TRUE(apply_batch_options(bad + "#SBATCH --ignore-pbs\n", {}, options));
  auto line = known_job_options(kSbatch).set.parse(std::vector<std::string>{"--ignore-pbs"},
                                                   Operands::EndOptions);
  ASSERT_TRUE(line);
  options = {};
  EXPECT_TRUE(apply_batch_options(bad, line->options, options));
  ASSERT_EQ(::setenv("SBATCH_IGNORE_PBS", "yes", 1), 0);
  options = {};
  EXPECT_TRUE(apply_batch_options(bad, {}, options));
  ASSERT_EQ(::setenv("SBATCH_IGNORE_PBS", "0", 1), 0);
  options = {};
  EXPECT_FALSE(apply_batch_options(bad, {}, options));
  ::unsetenv("SBATCH_IGNORE_PBS");
}

}  // namespace
}  // namespace ym::cli
