// SPDX-License-Identifier: Apache-2.0
#include "cli/scancel/scancel.h"

#include <gtest/gtest.h>

#include "model/errc.h"

namespace ym::cli {
namespace {

AlterJobs request(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(scancel_page(), scancel_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  std::vector<JobTarget> targets;
  for (const std::string& operand : parsed.operands)
    for (JobTarget& target : parse_targets(operand).value()) targets.push_back(target);
  return scancel_request(parsed.settings, targets);
}

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

TEST(Scancel, NamesSteps) {
  AlterJobs made = request({"7.0", "7.batch"});
  EXPECT_EQ(made.filter.targets[0].step, StepId{0});
  EXPECT_EQ(made.filter.targets[1].step, kBatchStep);
}

TEST(Scancel, IsSilentAboutJobsThatAreGone) {
  auto code = [](Errc error) { return static_cast<std::uint32_t>(error); };
  AlterAnswer answer{
      .outcomes = {{.job = {7}, .display = "7"},
                   {.job = {8}, .display = "8", .code = code(Errc::InvalidJobId), .text = "x"},
                   {.job = {9}, .display = "9", .code = code(Errc::AlreadyDone), .text = "done"}}};
  CancelReport report = report_of(answer, {});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(report.complaints.empty());
  answer.outcomes.push_back(
      {.job = {5}, .display = "5", .code = code(Errc::AccessDenied), .text = "Access denied"});
  report = report_of(answer, {});
  EXPECT_EQ(report.exit_code, 210);  // as Slurm's: the lowest byte of 2002
  EXPECT_EQ(report.complaints,
            (std::vector<std::string>{"Kill job error on job id 5: Access denied"}));
}

}  // namespace
}  // namespace ym::cli
