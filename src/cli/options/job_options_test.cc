// SPDX-License-Identifier: Apache-2.0
#include "cli/options/job_options.h"

#include <gtest/gtest.h>
#include <stdlib.h>

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
  OptionSet set(infos_of(table), Refusals::Slurm);
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

TEST(JobOptions, NoMoreNodesAreNamedThanThereMayBe) {
  EXPECT_EQ(refusal({"-w", "n1,n2", "-N1"}), "invalid number of nodes (-N 2-1)");
  EXPECT_EQ(refusal({"-w", "n1,n2", "-N1-2"}), "accepted");
  EXPECT_EQ(refusal({"-w", "n1,n1", "-N1"}), "accepted");
  EXPECT_EQ(request({"-w", "n1,n2", "-N1-4"})->spec.min_nodes, 2u);
}

TEST(JobOptions, NodesAndTasksFollowFromEachOther) {
  struct Row {
    std::vector<std::string> arguments;
    std::uint32_t tasks, min_nodes, max_nodes;
  };
  const Row rows[] = {
      {{"-N4"}, 4, 4, 4},
      {{"-N2-4"}, 2, 2, 4},
      {{"-n8"}, 8, 1, 0},
      {{"-N2", "-n8"}, 8, 2, 2},
      {{"-N4", "-n2"}, 2, 2, 2},
      {{"-N3", "--ntasks-per-node=2"}, 6, 3, 3},
      {{"-N1k"}, 1024, 1024, 1024},
      {{"-N1-4", "-n3"}, 3, 1, 3},
      {{"-N2-4", "-n4", "--ntasks-per-node=2"}, 4, 2, 2},
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

TEST(JobOptions, WaysToAskForMemoryExcludeEachOther) {
  for (const char* other : {"--mem-per-cpu=1G", "--mem-per-gpu=1G"})
    EXPECT_EQ(refusal({"--mem=4G", other}),
              "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
  auto made = request({"--mem=0"}).value();
  EXPECT_TRUE(made.spec.extras->specials->all_memory);
  EXPECT_EQ(made.spec.memory_per_node_mb, 0u);
}

void give(JobOptions& options, JobCommand command, const char* argument, OptionSource source) {
  auto table = job_option_table(command);
  OptionSet set(infos_of(table), Refusals::Slurm);
  std::vector<std::string> arguments{argument};
  auto line = set.parse(arguments, Operands::EndOptions).value();
  options.source = source;
  ASSERT_TRUE(apply_given(set, table, line.options, options));
}

TEST(JobOptions, TheWayToAskForMemoryFromTheStrongerSourceCounts) {
  JobOptions options;
  auto apply = [&](const char* argument, OptionSource source) {
    give(options, kSbatch, argument, source);
  };
  apply("--mem=0", OptionSource::Script);
  apply("--mem-per-cpu=1G", OptionSource::Environment);
  auto made = make_submission(options, context()).value();
  EXPECT_EQ(made.spec.memory_per_cpu_mb, 1024u);
  EXPECT_FALSE(made.spec.extras->specials->all_memory);
  apply("--mem=2G", OptionSource::Line);
  made = make_submission(options, context()).value();
  EXPECT_EQ(made.spec.memory_per_cpu_mb, 0u);
  EXPECT_EQ(made.spec.memory_per_node_mb, 2048u);
}

TEST(JobOptions, WishesThatExcludeEachOtherAreRefused) {
  EXPECT_EQ(refusal({"--exclusive", "-s"}),
            "--exclusive and --oversubscribe are mutually exclusive.");
  EXPECT_EQ(refusal({"-c2", "--cpus-per-gpu=2"}),
            "--cpus-per-task and --cpus-per-gpu are mutually exclusive.");
  EXPECT_EQ(refusal({"--gres=gpu:1", "--gpus-per-node=1"}),
            "--gres=gpu and --gpus-per-node are mutually exclusive.");
  EXPECT_EQ(refusal({"--gres=shard:1", "--gpus-per-node=1"}), "accepted");
  EXPECT_EQ(refusal({"--hint=nomultithread", "--sockets-per-node=1"}),
            "--hint and --sockets-per-node are mutually exclusive.");
  EXPECT_EQ(refusal({"--hint=nomultithread", "--cores-per-socket=1"}),
            "--hint and --cores-per-socket are mutually exclusive.");
}

TEST(JobOptions, OfTwoWishesTheOneFromTheStrongerSourceCounts) {
  JobOptions options;
  auto apply = [&](const char* argument, OptionSource source) {
    give(options, kSrun, argument, source);
  };
  apply("--gpus-per-node=4", OptionSource::Environment);
  apply("--cpus-per-task=8", OptionSource::Environment);
  apply("--gres=gpu:1", OptionSource::Line);
  apply("--cpus-per-gpu=2", OptionSource::Line);
  ASSERT_TRUE(settle_clashes(options));
  EXPECT_EQ(options.specials.tres_per_node, "");
  EXPECT_EQ(options.extras.gres, "gpu:1");
  EXPECT_FALSE(options.cpus_per_task);
  EXPECT_EQ(options.specials.cpus_per_tres, "gpu:2");
}

JobOptions srun_options(const std::vector<std::string>& arguments) {
  auto table = job_option_table(kSrun);
  OptionSet set(infos_of(table), Refusals::Slurm);
  JobOptions options;
  auto line = set.parse(arguments, Operands::EndOptions).value();
  EXPECT_TRUE(apply_given(set, table, line.options, options));
  return options;
}

TEST(JobOptions, SrunMayHaveNodesForItselfAndShareTheirCpus) {
  JobOptions whole = srun_options({"--exclusive"});
  EXPECT_TRUE(whole.spec.exclusive && whole.exclusive_cpus);
  JobOptions shared = srun_options({"--exclusive=allocation"});
  EXPECT_TRUE(shared.spec.exclusive);
  EXPECT_FALSE(shared.exclusive_cpus);
  EXPECT_EQ(refusal({"--exclusive=allocation"}).substr(0, 33), "Invalid --exclusive specification");
}

TEST(JobOptions, SignalsThatAreNotPassedOnAreNamedOrNumbered) {
  EXPECT_EQ(srun_options({"--ignore-signals=SIGUSR1,term,2"}).ignored_signals,
            (std::vector<std::uint16_t>{10, 15, 2}));
}

TEST(JobOptions, NamedNodesAreCounted) {
  EXPECT_EQ(request({"-w", "n[1-3]"}).value().spec.min_nodes, 3u);
  EXPECT_EQ(request({"-w", "n[1-3],n2", "-n6"}).value().spec.min_nodes, 3u);
  EXPECT_EQ(request({"-w", "n[1-3]", "-N4"}).value().spec.min_nodes, 4u);
}

TEST(JobOptions, WhatFewAskForIsKeptForThoseWhoShowIt) {
  auto made = request({"--gpus=a100:2,1",
                       "--gpus-per-node=2",
                       "--gpus-per-socket=1",
                       "--tres-per-task=cpu=3,gres/shard:2",
                       "--cpus-per-gpu=4",
                       "--mem-per-gpu=1G",
                       "--ntasks-per-gpu=2",
                       "--gpu-bind=verbose,closest",
                       "--gpu-freq=high,memory=low",
                       "--gres-flags=Enforce-Binding",
                       "--switches=2@1:00",
                       "--segment=4",
                       "--consolidate-segments",
                       "--spread-segments",
                       "--stepmgr",
                       "--prefer=fast",
                       "--spread-job",
                       "--use-min-nodes",
                       "--reboot",
                       "--delay-boot=5",
                       "--cpu-freq=low-high:Performance",
                       "--profile=task,energy",
                       "--mcs-label=blue",
                       "--wait-all-nodes=1",
                       "--exclusive=topo",
                       "-C",
                       "fast&big",
                       "--batch=big",
                       "--cluster-constraint=!x",
                       "--bb=capacity=1G",
                       "-L",
                       "matlab:2"})
                  .value();
  const JobSpecials& kept = *made.spec.extras->specials;
  EXPECT_EQ(kept.tres_per_job, "gpu:a100:2,gpu:1");
  EXPECT_EQ(kept.tres_per_node, "gpu:2");
  EXPECT_EQ(kept.tres_per_socket, "gpu:1");
  EXPECT_EQ(kept.tres_per_task, "shard:2");
  EXPECT_EQ(made.spec.cpus_per_task, 3u);
  EXPECT_EQ(kept.cpus_per_tres, "gpu:4");
  EXPECT_EQ(kept.memory_per_tres, "gpu:1024");
  EXPECT_EQ(kept.tasks_per_tres, 2u);
  EXPECT_EQ(kept.tres_bind, "gpu:verbose,closest");
  EXPECT_EQ(kept.tres_freq, "gpu:high,memory=low");
  EXPECT_EQ(kept.gres_flags, "enforce-binding");
  EXPECT_EQ(kept.switches, 2u);
  EXPECT_EQ(kept.switch_wait_s, 60u);
  EXPECT_EQ(kept.segment, 4u);
  EXPECT_TRUE(kept.spread_segments);
  EXPECT_TRUE(kept.consolidate_segments && kept.step_manager && kept.spread && kept.use_min_nodes &&
              kept.reboot);
  EXPECT_EQ(kept.prefer, "fast");
  EXPECT_EQ(kept.delay_boot_s, 300u);
  EXPECT_EQ(kept.cpu_freq, "Low-High:Performance");
  EXPECT_EQ(kept.profile, "task,energy");
  EXPECT_EQ(kept.mcs_label, "blue");
  EXPECT_EQ(kept.wait_all_nodes, 2u);
  EXPECT_EQ(kept.exclusive_kind, 3u);
  EXPECT_EQ(kept.batch_features, "big");
  EXPECT_EQ(kept.cluster_features, "!x");
  EXPECT_EQ(made.spec.extras->burst_buffer, "capacity=1G");
}

TEST(JobOptions, NodesAreSharedWithOnesOwnKind) {
  EXPECT_TRUE(request({"--exclusive"}).value().spec.exclusive);
  EXPECT_TRUE(request({"--exclusive=topo"}).value().spec.exclusive);
  for (auto [word, kind] : {std::pair{"--exclusive=user", kExclusiveUser},
                            std::pair{"--exclusive=mcs", kExclusiveMcs}}) {
    JobSpec spec = request({word}).value().spec;
    EXPECT_FALSE(spec.exclusive) << word;
    EXPECT_EQ(spec.extras->specials->exclusive_kind, kind);
  }
}

TEST(JobOptions, NumbersOfNodesMayBeAListOrHaveSteps) {
  JobSpec spec = request({"-N4-16:4"}).value().spec;
  EXPECT_EQ(spec.min_nodes, 4u);
  EXPECT_EQ(spec.max_nodes, 16u);
  EXPECT_EQ(spec.extras->specials->node_counts, "4-16:4");
  EXPECT_EQ(request({"-N8,2"}).value().spec.min_nodes, 2u);
  EXPECT_EQ(request({"-N8,2", "-N3"}).value().spec.extras->specials->node_counts, "");
  spec = request({"-N4,8", "-n2"}).value().spec;
  EXPECT_EQ(spec.max_nodes, 2u);
  EXPECT_EQ(spec.extras->specials->node_counts, "") << "as many as there are tasks";
  EXPECT_EQ(request({"-N1k"}).value().spec.min_nodes, 1024u);
  EXPECT_EQ(request({"-N1m"}).value().spec.min_nodes, 1048576u);
}

TEST(JobOptions, NoLimitIsZeroOrAWord) {
  EXPECT_EQ(request({"-t0"}).value().spec.time_limit_s, JobSpec::kUnlimited);
  EXPECT_EQ(request({"-tUNLIMITED"}).value().spec.time_limit_s, JobSpec::kUnlimited);
  EXPECT_EQ(request({"-t1-0"}).value().spec.time_limit_s, 86400u);
}

// Texts and exit codes are Slurm's; those of make_submission are told with tell_refusal.
TEST(JobOptions, BadValuesAreRefusedInTheWordsThatScriptsKnow) {
  struct Row {
    const char* argument;
    std::uint32_t code;
    const char* text;
  };
  const Row rows[] = {
      {"-Nx", 255, "\"x\" is not a valid node count"},
      {"-N4-2", 255, "Maximum node count 2 is less than minimum node count 4"},
      {"-N0", kLikeController, "Node count specification invalid"},
      {"-n0", 1, "Invalid numeric value \"0\" for --ntasks."},
      {"-c-1", 1, "Invalid numeric value \"-1\" for --cpus-per-task."},
      {"-tsoon", 255, "Invalid --time specification"},
      {"--mem=lots", 255, "Invalid --mem specification"},
      {"--signal=FOO", 255, "Invalid --signal specification"},
      {"--signal=USR1@99999999", 255, "Invalid --signal specification"},
      {"--open-mode=x", 255, "Invalid --open-mode specification"},
      {"--mail-type=x", 255, "Invalid --mail-type specification"},
      {"--exclusive=nonsense", 255, "Invalid --exclusive specification"},
      {"--exclusive=usr", 255, "Invalid --exclusive specification\ndid you mean 'user'?"},
      {"--mail-type=ENDE", 255, "Invalid --mail-type specification\ndid you mean 'END'?"},
      {"--gres-flags=disable-bindings", 255,
       "Invalid --gres-flags specification\ndid you mean 'disable-binding'?"},
      {"--begin=someday", kWholeText,
       "Invalid time specification (pos=0): someday\nInvalid --begin specification"},
      {"--deadline=2020-01-01", kLikeController,
       "Requested time limit is invalid (missing or exceeds some limit)"},
      {"--array=5-1", kLikeController, "Invalid job array specification"},
      {"-dafterwards:7", kLikeController, "Job dependency problem"},
      {"-wn[1", kLikeController, "Invalid node name specified"},
      {"--nice=99999999999", 255, "Invalid --nice value, out of range (+/- 2147483645)"},
      {"--hint=fast", 1, "unrecognized --hint argument \"fast\", see --hint=help"},
      {"-mplane", 255,
       "Invalid plane size or size not specified\nInvalid --distribution specification"},
      {"--cpu-freq=x", 255, "unrecognized --cpu-freq argument \"x\"\nInvalid --cpu-freq argument"},
      {"--profile=task,x", 255, "invalid --profile=task,x option"},
      {"--propagate=x", 1, "Bad rlimit name: x\n--propagate=x is not valid."},
      {"--acctg-freq=x", 255, "Invalid --acctg-freq specification: x"},
      {"--gpus=x", 1, "Invalid generic resource (gres) specification"},
      {"--gpu-bind=x", 255, "Invalid --gpu-bind argument: gpu:x"},
      {"--gpu-freq=x", 255, "Invalid --gpu-freq argument: gpu:x"},
      {"--mem-bind=x", 255, "unrecognized --mem-bind argument \"x\""},
      {"-Bx", 1, "Invalid numeric value \"x\" for first arg of -B."},
      {"-B2:0", 1, "Invalid numeric value \"0\" for second arg of -B."},
      {"--switches=x", 1, "Invalid numeric value \"x\" for --switches."},
      {"--core-spec=x", 1, "Invalid numeric value \"x\" for --core-spec."},
      {"--wait-all-nodes=x", 1, "Invalid numeric value \"x\" for --wait-all-nodes."},
      {"--delay-boot=x", 255, "Invalid --delay-boot specification"},
      {"--no-kill=x", 255, "Invalid --no-kill specification"},
      {"--batch=big", kLikeController,
       "Job --batch option is invalid or not a subset of --constraints"},
      {"--container-type=x", 1, "Container runtime not configured or invalid"},
      {"--resources=flat:2", 1, "Invalid license specification"},
      {"--mem-update=20", 255, "Invalid --mem-update specification"},
      {"--mem-update=20@0:59", 255, "Invalid --mem-update specification"},
      {"--mem-update=x@10", 255, "Invalid --mem-update specification"},
      {"--mem-update=20@UNLIMITED", 255, "Invalid --mem-update specification"},
      {"--requeue=soon", 255, "Invalid --requeue specification"},
      {"-N2,0", 255, "\"2,0\" is not a valid node count"},
  };
  for (const Row& row : rows) {
    auto made = request({row.argument});
    ASSERT_FALSE(made) << row.argument;
    EXPECT_EQ(made.error().text, row.text) << row.argument;
    EXPECT_EQ(made.error().code, row.code) << row.argument;
  }
  EXPECT_EQ(refusal({"-t5", "--time-min=10"}),
            "Invalid time-min specification (exceeds job's time or other limits)");
}

TEST(JobOptions, FewerTasksThanNodesAreWarnedOf) {
  JobOptions options;
  options.tasks = 1;
  options.min_nodes = 2;
  EXPECT_EQ(
      submission_warnings(options),
      std::vector<std::string>{"Warning: can't run 1 processes on 2 nodes, setting nnodes to 1"});
  options.tasks = 2;
  EXPECT_TRUE(submission_warnings(options).empty());
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

TEST(JobOptions, TheTypedLineIsKeptAndBounded) {
  EXPECT_EQ(typed_line(kSbatch, {"-N2", "--wrap", "sleep 1; true"}),
            "sbatch -N2 --wrap sleep 1; true");
  EXPECT_EQ(typed_line(kSalloc, {}), "salloc");
  EXPECT_EQ(typed_line(kSrun, {"hostname"}), "srun hostname");
  // A character of two bytes, of which the first is the last one that fits.
  std::string long_word(kSubmitLineMax - std::string("sbatch ").size() - 1, 'x');
  std::string cut = typed_line(kSbatch, {long_word + "\u00e4", "more"});
  EXPECT_EQ(cut, "sbatch " + long_word);
  SubmissionContext with_line = context();
  with_line.line = "sbatch job.sh";
  EXPECT_EQ(make_submission(JobOptions{}, with_line)->spec.submit_line, "sbatch job.sh");
}

TEST(JobOptions, ExpediteIsKept) {
  EXPECT_TRUE(request({"--requeue=expedite"})->spec.extras->specials->expedite);
  EXPECT_FALSE(request({"--requeue"})->spec.extras->specials->expedite);
}

// What the environment alone asks srun for.
JobOptions by_environment() {
  JobOptions options;
  EXPECT_TRUE(apply_environment(known_job_options(kSrun).table, options));
  return options;
}

TEST(JobOptions, VariablesOfSrunCountMoreThanThoseOfAllCommands) {
  ::setenv("SLURM_EXPORT_ENV", "A", 1);
  ::setenv("SLURM_CPUS_PER_TASK", "2", 1);
  EXPECT_EQ(by_environment().export_list, "A");
  EXPECT_EQ(by_environment().cpus_per_task, 2u);
  ::setenv("SRUN_EXPORT_ENV", "B", 1);
  ::setenv("SRUN_CPUS_PER_TASK", "3", 1);
  EXPECT_EQ(by_environment().export_list, "B");
  EXPECT_EQ(by_environment().cpus_per_task, 3u);
  for (const char* name :
       {"SLURM_EXPORT_ENV", "SLURM_CPUS_PER_TASK", "SRUN_EXPORT_ENV", "SRUN_CPUS_PER_TASK"})
    ::unsetenv(name);
}

TEST(JobOptions, SwitchesAreOnForNothingYesAndNumbersButZero) {
  for (const char* value : {"", "yes", "YES", "1", "7"}) {
    ::setenv("SLURM_LABELIO", value, 1);
    EXPECT_TRUE(by_environment().label) << value;
  }
  for (const char* value : {"0", "no", "x", "-1"}) {
    ::setenv("SLURM_LABELIO", value, 1);
    EXPECT_FALSE(by_environment().label) << value;
  }
  ::unsetenv("SLURM_LABELIO");
}

TEST(JobOptions, MemoryIsGivenBackAfterAWhile) {
  const JobSpecials kept = *request({"--mem-update=20@1:30"}).value().spec.extras->specials;
  EXPECT_EQ(kept.memory_margin, 20u);
  EXPECT_EQ(kept.memory_delay_s, 90u);
  EXPECT_EQ(request({"--mem-update=0@1-0"}).value().spec.extras->specials->memory_delay_s, 86400u);
}

}  // namespace
}  // namespace ym::cli
