// SPDX-License-Identifier: Apache-2.0
#include "cli/options/job_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "cli/common/command.h"

namespace ym::cli {
namespace {

const FixedOffset kUtc;

SubmissionContext context(JobCommand command = kSbatch) {
  return {.command = command,
          .now = Instant::from_unix_seconds(1'700'000'000),
          .zone = &kUtc,
          .work_dir = "/data/ada",
          .host = "login",
          .environment = {"PATH=/bin", "HOME=/data/ada", "SLURM_CONF=/x"}};
}

Result<SubmitJob> request(const std::vector<std::string>& arguments, JobCommand command = kSbatch) {
  auto table = job_option_table(command);
  OptionSet set(infos_of(table));
  auto line = set.parse(arguments, Operands::EndOptions);
  if (!line) return std::unexpected(line.error());
  JobOptions options;
  if (Status done = apply_given(set, table, line->options, options); !done)
    return std::unexpected(done.error());
  return make_submission(options, context(command));
}

std::string refusal(const std::vector<std::string>& arguments) {
  auto made = request(arguments);
  return made ? "accepted" : made.error().text;
}

std::string with_bars(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '|');
  return text;
}

TEST(JobOptions, NothingAskedForIsOneTaskOnOneNode) {
  auto made = request({}).value();
  EXPECT_EQ(made.spec.tasks, 1u);
  EXPECT_EQ(made.spec.min_nodes, 1u);
  EXPECT_EQ(made.spec.max_nodes, 0u);
  EXPECT_EQ(made.spec.std_out, "slurm-%j.out");
  EXPECT_EQ(made.spec.work_dir, "/data/ada");
  EXPECT_TRUE(made.spec.batch);
  EXPECT_TRUE(made.spec.requeue);
  EXPECT_EQ(made.priority, kNoPriority);
  EXPECT_FALSE(made.spec.extras);
}

TEST(JobOptions, NodesAndTasksFollowFromEachOther) {
  struct Row {
    std::vector<std::string> arguments;
    std::uint32_t tasks, min_nodes, max_nodes;
  };
  const Row rows[] = {
      {{"-N4"}, 4, 4, 4},           {{"-N2-4"}, 2, 2, 4},
      {{"-n8"}, 8, 1, 0},           {{"-N2", "-n8"}, 8, 2, 2},
      {{"-N4", "-n2"}, 2, 2, 4},    {{"-N3", "--ntasks-per-node=2"}, 6, 3, 3},
      {{"-N1k"}, 1024, 1024, 1024},
  };
  for (const Row& row : rows) {
    auto made = request(row.arguments).value();
    EXPECT_EQ(made.spec.tasks, row.tasks) << row.arguments[0];
    EXPECT_EQ(made.spec.min_nodes, row.min_nodes) << row.arguments[0];
    EXPECT_EQ(made.spec.max_nodes, row.max_nodes) << row.arguments[0];
  }
}

TEST(JobOptions, BecomeTheRequest) {
  auto made = request({"-p",
                       "a,b",
                       "-A",
                       "acc",
                       "-J",
                       "name",
                       "-t",
                       "1:30",
                       "--mem=4G",
                       "-c",
                       "3",
                       "-w",
                       "n[1-2],n3",
                       "-x",
                       "n9",
                       "-C",
                       "big",
                       "--nice",
                       "--priority=7",
                       "-H",
                       "--comment=hello there",
                       "-q",
                       "high",
                       "--array=1-5%2",
                       "-d",
                       "afterok:7",
                       "--open-mode=append",
                       "--no-requeue",
                       "--exclusive",
                       "--begin=now+1hour",
                       "--signal=B:USR1@30",
                       "--mail-type=END,FAIL",
                       "--mail-user=ada",
                       "-D",
                       "sub"})
                  .value();
  EXPECT_EQ(made.spec.partitions, "a,b");
  EXPECT_EQ(made.spec.account, "acc");
  EXPECT_EQ(made.spec.name, "name");
  EXPECT_EQ(made.spec.time_limit_s, 120u);  // rounded up to minutes
  EXPECT_EQ(made.spec.memory_per_node_mb, 4096u);
  EXPECT_EQ(made.spec.cpus_per_task, 3u);
  EXPECT_EQ(made.spec.extras->required_nodes, "n[1-3]");
  EXPECT_EQ(made.spec.extras->excluded_nodes, "n9");
  EXPECT_EQ(made.spec.extras->features, "big");
  EXPECT_EQ(made.spec.nice, 100);
  EXPECT_EQ(made.priority, 7u);
  EXPECT_TRUE(made.hold);
  EXPECT_EQ(made.spec.extras->comment, "hello there");
  EXPECT_EQ(made.spec.qos, "high");
  EXPECT_EQ(made.array, "1-5%2");
  EXPECT_EQ(made.spec.std_out, "slurm-%A_%a.out");
  EXPECT_EQ(made.dependency, "afterok:7");
  EXPECT_TRUE(made.spec.append_output);
  EXPECT_FALSE(made.spec.requeue);
  EXPECT_TRUE(made.spec.exclusive);
  EXPECT_EQ(made.spec.begin.unix_seconds(), 1'700'003'600);
  EXPECT_EQ(made.spec.extras->signal, 10);
  EXPECT_EQ(made.spec.extras->signal_before_s, 30u);
  EXPECT_TRUE(made.spec.extras->signal_batch_only);
  EXPECT_EQ(made.spec.extras->mail_types, 6u);
  EXPECT_EQ(made.spec.work_dir, "/data/ada/sub");
}

TEST(JobOptions, TheLaterOfTwoMemoryWishesCounts) {
  auto made = request({"--mem=4G", "--mem-per-cpu=1G"}).value();
  EXPECT_EQ(made.spec.memory_per_node_mb, 0u);
  EXPECT_EQ(made.spec.memory_per_cpu_mb, 1024u);
}

TEST(JobOptions, NoLimitIsZeroOrAWord) {
  EXPECT_EQ(request({"-t0"}).value().spec.time_limit_s, JobSpec::kUnlimited);
  EXPECT_EQ(request({"-tUNLIMITED"}).value().spec.time_limit_s, JobSpec::kUnlimited);
  EXPECT_EQ(request({"-t1-0"}).value().spec.time_limit_s, 86400u);
}

TEST(JobOptions, BadValuesAreRefusedByName) {
  EXPECT_EQ(refusal({"-N0"}),
            "Invalid --nodes specification '0': not a number of nodes, or min-max");
  EXPECT_EQ(refusal({"-N4-2"}),
            "Invalid --nodes specification '4-2': the minimum is above the maximum");
  EXPECT_EQ(refusal({"-n", "-1"}), "Invalid --ntasks specification '-1': not a positive number");
  EXPECT_EQ(refusal({"--signal=FOO"}), "Invalid --signal specification 'FOO': no such signal");
  EXPECT_EQ(refusal({"--open-mode=x"}),
            "Invalid --open-mode specification 'x': neither append nor truncate");
  EXPECT_NE(refusal({"--mem=lots"}), "accepted");
  EXPECT_NE(refusal({"-t", "soon"}), "accepted");
  EXPECT_NE(refusal({"--begin=someday"}), "accepted");
  EXPECT_NE(refusal({"--array=x"}), "accepted");
  EXPECT_NE(refusal({"-d", "afterwards:7"}), "accepted");
  EXPECT_NE(refusal({"-w", "n[1"}), "accepted");
  EXPECT_NE(refusal({"--gpus=1"}), "accepted");
  EXPECT_EQ(refusal({"-t5", "--time-min=10"}), "--time-min is above --time");
  EXPECT_EQ(refusal({"--deadline=2020-01-01"}), "Incorrect deadline: it has passed already");
}

TEST(JobOptions, WishesForBindingAreCheckedAndKept) {
  auto made = request({"-m", "cyclic:block", "--ntasks-per-socket=2", "--ntasks-per-core=1",
                       "--threads-per-core=1", "--mem-bind=local"})
                  .value();
  EXPECT_EQ(made.spec.extras->binding, (BindingWish{.mem_bind = "local",
                                                    .distribution = "cyclic:block",
                                                    .threads_per_core = 1,
                                                    .tasks_per_socket = 2,
                                                    .tasks_per_core = 1}));
  EXPECT_EQ(request({"--hint=nomultithread"}).value().spec.extras->binding.threads_per_core, 1u);
  EXPECT_EQ(request({"--hint=multithread"}).value().spec.extras->binding.threads_per_core, 0u);
  EXPECT_NE(refusal({"-m", "blok"}), "accepted");
  EXPECT_NE(refusal({"--hint=fast"}), "accepted");
  EXPECT_NE(refusal({"--ntasks-per-core=0"}), "accepted");
  auto srun = request({"--cpu-bind=map_cpu:0,2", "--overlap"}, kSrun).value();
  EXPECT_EQ(srun.spec.extras->binding.cpu_bind, "map_cpu:0,2");
  EXPECT_FALSE(request({"--cpu-bind=bogus"}, kSrun));
}

TEST(JobOptions, WishesForMachinesAreKept) {
  auto extras = *request({"-B", "2:4:1"}).value().spec.extras;
  EXPECT_EQ(extras.sockets_per_node, 2u);
  EXPECT_EQ(extras.cores_per_socket, 4u);
  EXPECT_EQ(extras.binding.threads_per_core, 1u);
  extras = *request({"--extra-node-info=*:8"}).value().spec.extras;
  EXPECT_EQ(extras.sockets_per_node, 0u);
  EXPECT_EQ(extras.cores_per_socket, 8u);
  extras =
      *request({"--sockets-per-node=1", "--cores-per-socket=2", "-S", "3"}).value().spec.extras;
  EXPECT_EQ(extras.sockets_per_node, 1u);
  EXPECT_EQ(extras.cores_per_socket, 2u);
  EXPECT_EQ(extras.core_spec, 3u);
  EXPECT_FALSE(extras.thread_spec);
  extras = *request({"--thread-spec=0"}).value().spec.extras;
  EXPECT_EQ(extras.core_spec, 0u);
  EXPECT_TRUE(extras.thread_spec);
  for (const char* bad : {"-B0", "-B1:2:3:4", "-B2:x", "-B", "--core-spec=-1"})
    EXPECT_NE(refusal({bad}), "accepted") << bad;
}

TEST(JobOptions, WhetherAStepDiesOfOneTasksMemoryIsThreeValued) {
  EXPECT_EQ(request({"-J", "x", "--comment=y"}).value().spec.extras->oom_kill_step, 0u);
  EXPECT_EQ(request({"--oom-kill-step=0"}).value().spec.extras->oom_kill_step, 1u);
  EXPECT_EQ(request({"--oom-kill-step"}).value().spec.extras->oom_kill_step, 2u);
  EXPECT_EQ(request({"--oom-kill-step=1"}).value().spec.extras->oom_kill_step, 2u);
  EXPECT_NE(refusal({"--oom-kill-step=2"}), "accepted");
}

TEST(JobOptions, InteractiveJobsHaveNeitherFilesNorEnvironment) {
  auto made = request({"-n2"}, kSalloc).value();
  EXPECT_FALSE(made.spec.batch);
  EXPECT_FALSE(made.spec.requeue);
  EXPECT_TRUE(made.environment.empty());
  EXPECT_TRUE(made.spec.std_out.empty());
}

TEST(JobOptions, ABatchJobKnowsWhereItCameFrom) {
  std::string environment = with_bars(request({}).value().environment);
  environment = "|" + environment;
  EXPECT_NE(environment.find("|SLURM_SUBMIT_DIR=/data/ada|"), std::string::npos);
  EXPECT_NE(environment.find("|SLURM_SUBMIT_HOST=login|"), std::string::npos);
  EXPECT_NE(environment.find("|SLURM_UMASK=0022|"), std::string::npos);
}

}  // namespace
}  // namespace ym::cli
