// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/common/allocation.h"
#include "cli/common/signals.h"
#include "cli/srun/bcast.h"
#include "cli/srun/exits.h"
#include "cli/srun/output.h"
#include "cli/srun/session.h"
#include "notation/pattern.h"

namespace ym::cli {
namespace {

TEST(Output, OfSeveralTasksIsPassedOnByLines) {
  OutputSplitter splitter(2, false, true);
  std::string out;
  splitter.take(0, StreamKind::Stdout, "hel", out);
  splitter.take(1, StreamKind::Stdout, "other\n", out);
  splitter.take(0, StreamKind::Stdout, "lo\nrest", out);
  EXPECT_EQ(out, "other\nhello\n");
  splitter.finish(0, StreamKind::Stdout, out);
  EXPECT_EQ(out, "other\nhello\nrest");
}

TEST(Output, HasLabelsOfOneWidth) {
  OutputSplitter splitter(11, true, false);
  std::string out;
  splitter.take(3, StreamKind::Stdout, "a\nb\n", out);
  splitter.take(10, StreamKind::Stderr, "c", out);
  splitter.finish(10, StreamKind::Stderr, out);
  EXPECT_EQ(out, " 3: a\n 3: b\n10: c\n");
}

TEST(Output, OfOneTaskComesAtOnce) {
  OutputSplitter splitter(1, false, false);
  std::string out;
  splitter.take(0, StreamKind::Stdout, "prompt> ", out);
  EXPECT_EQ(out, "prompt> ");
}

TEST(Output, AnEndlessLineIsCut) {
  OutputSplitter splitter(2, false, true);
  std::string out;
  splitter.take(0, StreamKind::Stdout, std::string(kLineMax + 1, 'x'), out);
  EXPECT_EQ(out.size(), kLineMax + 1);
}

TEST(Exits, TheHighestCodeCounts) {
  TaskExits exits({"n1", "n1", "n2"});
  EXPECT_TRUE(exits.record(0, {.code = 3}));
  EXPECT_FALSE(exits.record(0, {.code = 9}));
  EXPECT_FALSE(exits.record(7, {.code = 9}));
  EXPECT_TRUE(exits.record(1, {.code = 0}));
  EXPECT_FALSE(exits.all_ended());
  EXPECT_EQ(exits.exit_code(), 3);
  EXPECT_TRUE(exits.record(2, {.signal = 9}));
  EXPECT_TRUE(exits.all_ended());
  EXPECT_EQ(exits.exit_code(), 137);
}

TEST(Exits, AreToldOnceAndTogether) {
  TaskExits exits({"n1", "n1", "n2", "n2"});
  exits.record(0, {.code = 7});
  exits.record(1, {.code = 7});
  exits.record(2, {.signal = 9});
  EXPECT_EQ(exits.news(), (std::vector<std::string>{"n1: tasks 0-1: Exited with exit code 7",
                                                    "n2: task 2: Killed"}));
  EXPECT_TRUE(exits.news().empty());
  EXPECT_EQ(exits.status(), (std::vector<std::string>{"task 3: running", "tasks 0-2: exited"}));
}

PatternValues values() {
  return {.job = 7, .step = {.number = 0}, .node = "n1", .user = "ada", .job_name = "x"};
}

TEST(TaskExits, TasksThatEndAlikeMayBeToldOnce) {
  TaskExits exits({"n1", "n2", "n2"}, true);
  EXPECT_TRUE(exits.record(0, {.code = 3}));
  EXPECT_EQ(exits.news(), (std::vector<std::string>{"n1: task 0: Exited with exit code 3"}));
  EXPECT_TRUE(exits.record(1, {.code = 3}));
  EXPECT_TRUE(exits.record(2, {.code = 4}));
  EXPECT_EQ(exits.news(), (std::vector<std::string>{"n2: task 2: Exited with exit code 4"}));
}

TEST(Streams, OneFileForTheStepIsOurs) {
  JobOptions options;
  options.std_out = "out-%j.%s";
  auto plan = plan_streams(options, values()).value();
  EXPECT_EQ(plan.local_out, "out-7.0");
  EXPECT_EQ(plan.local_err, "out-7.0");
  EXPECT_EQ(plan.node_out, "");
}

TEST(Streams, FilesOfTasksAreTheNodes) {
  JobOptions options;
  options.std_out = "out-%t";
  options.std_err = "none";
  options.std_in = "none";
  auto plan = plan_streams(options, values()).value();
  EXPECT_EQ(plan.local_out, "");
  EXPECT_EQ(plan.node_out, "out-%t");
  EXPECT_EQ(plan.node_err, "/dev/null");
  EXPECT_FALSE(plan.read_input);
}

TEST(Streams, ANumberChoosesATask) {
  JobOptions options;
  options.tasks = 4;
  options.std_in = "2";
  options.std_out = "3";
  auto plan = plan_streams(options, values()).value();
  EXPECT_EQ(plan.stdin_task, 2u);
  EXPECT_EQ(plan.only_task, 3u);
  options.std_in = "4";
  EXPECT_FALSE(plan_streams(options, values()));
}

TEST(Allocation, CountsAreShortened) {
  EXPECT_EQ(repeat_counts({}), "");
  EXPECT_EQ(repeat_counts({4}), "4");
  EXPECT_EQ(repeat_counts({4, 4, 2}), "4(x2),2");
}

TEST(Allocation, TasksFillTheNodesInBlocks) {
  EXPECT_EQ(tasks_per_node(4, 1, {4, 4}), (std::vector<std::uint32_t>{2, 2}));
  EXPECT_EQ(tasks_per_node(2, 1, {4, 4}), (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(tasks_per_node(5, 2, {4, 4}), (std::vector<std::uint32_t>{3, 2}));
  EXPECT_EQ(tasks_per_node(1, 1, {}), (std::vector<std::uint32_t>{}));
}

TEST(Bcast, TheCopyHasAPlaceAndAName) {
  StepCreated step{.job = JobId{7}, .step = {.id = StepId{2}}};
  EXPECT_EQ(bcast_destination("", "", "/w", step), "/w/slurm_bcast_7.2");
  EXPECT_EQ(bcast_destination("", "DestDir=/t", "/w", step), "/t/slurm_bcast_7.2");
  EXPECT_EQ(bcast_destination("/s/", "DestDir=/t", "/w", step), "/s/slurm_bcast_7.2");
  EXPECT_EQ(bcast_destination("/s/x", "", "/w", step), "/s/x");
}

TEST(Bcast, AProgramIsFoundAsTheShellFindsIt) {
  EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("./sh", "/bin"), "./sh");
  EXPECT_EQ(find_program("no-such-program", "/bin"), "no-such-program");
}

TEST(Signals, HaveNamesAndNumbers) {
  EXPECT_EQ(parse_signal("KILL"), 9);
  EXPECT_EQ(parse_signal("sigterm"), 15);
  EXPECT_EQ(parse_signal("10"), 10);
  EXPECT_EQ(parse_signal("999"), std::nullopt);
  EXPECT_EQ(parse_signal("NOPE"), std::nullopt);
  EXPECT_EQ(signal_name(2), "SIGINT");
}

}  // namespace
}  // namespace ym::cli
