// SPDX-License-Identifier: Apache-2.0
#include "cli/scancel/scancel.h"

#include <gtest/gtest.h>

#include "model/errc.h"

namespace ym::cli {
namespace {

std::vector<AlterJobs> requests(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(scancel_page(), scancel_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  std::vector<JobTarget> targets;
  for (const std::string& operand : parsed.operands)
    for (JobTarget& target : parse_targets(operand).value()) targets.push_back(target);
  return scancel_requests(parsed.settings, targets);
}
AlterJobs request(const std::vector<std::string>& arguments) { return requests(arguments)[0]; }

std::uint32_t code_of(Errc error) { return static_cast<std::uint32_t>(error); }

TEST(Scancel, EndsJobsUnlessASignalIsGiven) {
  AlterJobs made = request({"7", "8_[1-2]", "-u", "root"});
  EXPECT_EQ(made.verb, JobVerb::Cancel);
  ASSERT_EQ(made.filter.targets.size(), 2u);
  EXPECT_EQ(made.filter.targets[0].job.value, 7u);
  EXPECT_EQ(made.filter.targets[1].tasks->str(), "1-2");
  EXPECT_EQ(made.filter.users, (std::vector<std::string>{"root"}));
  EXPECT_EQ(request({"-s", "USR1", "7"}).verb, JobVerb::Signal);
  EXPECT_EQ(request({"-s", "USR1", "7"}).signal, 10);
  EXPECT_EQ(request({"-s", "KILL", "7"}).verb, JobVerb::Cancel);
  EXPECT_TRUE(request({"-b", "-s", "TERM", "7"}).batch_only);
  EXPECT_TRUE(request({"-f", "-s", "TERM", "7"}).whole_job);
}

TEST(Scancel, KnowsTheRareOptions) {
  auto parse = [](const std::vector<std::string>& arguments) {
    return parse_command(scancel_page(), scancel_table(), arguments, Operands::Mix).settings;
  };
  EXPECT_EQ(parse({"7", "--admin-comment=too large"}).admin_comment, "too large");
  EXPECT_FALSE(parse({"7"}).admin_comment);
  EXPECT_TRUE(parse({"-c", "7"}).cron);
  EXPECT_EQ(parse({"--sibling=other", "7"}).refusal,
            "scancel: error: Invalid sibling cluster: other");
}

TEST(Scancel, AStepIsARequestOfItsOwn) {
  auto made = requests({"7.0", "8", "7.batch", "7", "-s", "KILL"});
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].verb, JobVerb::Cancel);
  EXPECT_EQ(made[0].filter.targets.size(), 2u);
  EXPECT_EQ(made[1].verb, JobVerb::Signal);
  EXPECT_EQ(made[1].filter.targets[0].step, StepId{0});
  EXPECT_EQ(made[2].filter.targets[0].step, kBatchStep);
}

TEST(Scancel, AnUnknownElementIsNoStepOfItsJob) {
  auto made = requests({"9960_3", "9960.batch"});
  ASSERT_EQ(made.size(), 2u);
  JobOutcome unknown{.job = {9960}, .code = code_of(Errc::InvalidJobId), .text = "no"};
  unknown.display = "9960_3";
  CancelReport element = report_of({.outcomes = {unknown}}, {}, made[0]);
  EXPECT_TRUE(element.complaints.empty());
  EXPECT_EQ(element.exit_code, 0);
  unknown.display = "9960";
  CancelReport step = report_of({.outcomes = {unknown}}, {}, made[1]);
  EXPECT_EQ(step.complaints,
            (std::vector<std::string>{"Kill job error on job step id 9960.batch: no"}));
  EXPECT_EQ(step.exit_code, 1);
}

TEST(Scancel, TellsWhatItEnds) {
  using Texts = std::vector<std::string>;
  ScancelSettings ids{.verbose = 1}, name{.names = {"x"}, .verbose = 1};
  EXPECT_EQ(announcements(ids, request({"7", "8_[1-2]", "9_4"})),
            (Texts{"Terminating job 7", "Terminating job 8_[1-2]", "Terminating job 9_4"}));
  EXPECT_EQ(announcements({}, request({"7"})), Texts{});
  AlterAnswer answer{
      .outcomes = {{.job = {7}, .display = "7"}, {.job = {8}, .display = "8_[1-2]"}}};
  EXPECT_EQ(report_of(answer, ids, request({"7"})).remarks, Texts{});
  EXPECT_EQ(report_of(answer, name, request({"-n", "x"})).remarks,
            (Texts{"Terminating job 7", "Terminating job 8_[1-2]"}));
  EXPECT_EQ(report_of(answer, name, request({"-n", "x", "-s", "USR1"})).remarks[0],
            "Signal 10 to job 7");
  EXPECT_EQ(report_of({.outcomes = {answer.outcomes[0]}}, ids, request({"7.0"})).remarks,
            Texts{"Terminating step 7.0"});
  CancelReport none = report_of({}, name, request({"-n", "x"}));
  EXPECT_EQ(none.complaints, Texts{"No active jobs match ALL job filters, including: job_name=x"});
  EXPECT_EQ(none.exit_code, 0);
}

TEST(Scancel, AnArrayIsEndedWithoutAWordAboutElementsThatWereOver) {
  ScancelSettings verbose{.verbose = 1};
  JobOutcome over{.job = {8}, .display = "7_1", .code = code_of(Errc::AlreadyDone), .text = "done"};
  JobOutcome ended{.job = {7}, .display = "7_[2-4]"};
  EXPECT_TRUE(report_of({.outcomes = {ended, over}}, verbose, request({"7"})).complaints.empty());
  EXPECT_EQ(report_of({.outcomes = {over}}, verbose, request({"7"})).complaints.size(), 1u);
  EXPECT_EQ(report_of({.outcomes = {ended, over}}, verbose, request({"7_1"})).complaints.size(),
            1u);
}

TEST(Scancel, IsSilentAboutJobsThatAreGone) {
  AlterAnswer answer{
      .outcomes = {
          {.job = {7}, .display = "7"},
          {.job = {8}, .display = "8", .code = code_of(Errc::InvalidJobId), .text = "x"},
          {.job = {9}, .display = "9", .code = code_of(Errc::AlreadyDone), .text = "done"}}};
  CancelReport report = report_of(answer, {});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(report.complaints.empty());
  answer.outcomes.push_back(
      {.job = {5}, .display = "5", .code = code_of(Errc::AccessDenied), .text = "Access denied"});
  report = report_of(answer, {});
  EXPECT_EQ(report.exit_code, 210);  // as Slurm's: the lowest byte of 2002
  EXPECT_EQ(report.complaints,
            (std::vector<std::string>{"Kill job error on job id 5: Access denied"}));
}

}  // namespace
}  // namespace ym::cli
