// SPDX-License-Identifier: Apache-2.0
#include "cli/scrontab/scrontab.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

TEST(Scrontab, ReadsLinesWithTheirOptions) {
  auto entries = parse_crontab(
      "# mine\n\nCOLOUR=\"dark red\"\n#SCRON --time=5 -n2\n#SCRON -J 'a b'\n"
      "*/5 * * * *  /bin/one x\n@daily /bin/two \\\n  more\n");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  const CrontabEntry& first = (*entries)[0];
  EXPECT_EQ(first.line, 6u);
  EXPECT_EQ(first.time, "*/5 * * * *");
  EXPECT_EQ(first.command, "/bin/one x");
  EXPECT_EQ(first.options, (std::vector<std::string>{"--time=5", "-n2", "-J", "a b"}));
  EXPECT_EQ(first.variables, std::vector<std::string>{"COLOUR=dark red"});
  EXPECT_TRUE((*entries)[1].options.empty()) << "options are for the next line only";
  EXPECT_EQ((*entries)[1].command, "/bin/two   more");
}

TEST(Scrontab, SaysWhichLineIsWrong) {
  EXPECT_EQ(parse_crontab("@daily true\n61 * * * * true\n").error().text,
            "line 2: \"61\" is no minute");
  EXPECT_EQ(parse_crontab("@daily").error().text, "line 1: a command is missing");
  EXPECT_FALSE(parse_crontab("@daily true \\"));
  EXPECT_FALSE(parse_crontab(std::string("@daily x\0y", 10)));
}

TEST(Scrontab, MakesJobs) {
  auto request = crontab_request("A=b\n#SCRON -t 7 -n 3 -o /tmp/x\n0 5 * * * do it\n", "/h", "ada");
  ASSERT_TRUE(request) << request.error().text;
  ASSERT_EQ(request->jobs.size(), 1u);
  const SubmitJob& job = request->jobs[0];
  EXPECT_EQ(request->lines, std::vector<std::uint32_t>{3});
  EXPECT_EQ(job.spec.extras->specials->cron, "0 5 * * *");
  EXPECT_EQ(job.spec.time_limit_s, 420u);
  EXPECT_EQ(job.spec.tasks, 3u);
  EXPECT_EQ(job.spec.work_dir, "/h");
  EXPECT_EQ(job.spec.name, "do it");
  EXPECT_NE(job.script.find("\ndo it\n"), std::string::npos);
  EXPECT_NE(job.environment.find("A=b"), std::string::npos);
  EXPECT_FALSE(crontab_request("#SCRON --nonsense\n@daily x\n", "/h", "ada"));
}

}  // namespace
}  // namespace ym::cli
