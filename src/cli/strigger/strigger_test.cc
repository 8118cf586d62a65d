// SPDX-License-Identifier: Apache-2.0
#include "cli/strigger/strigger.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

StriggerSettings settings(const std::vector<std::string>& arguments) {
  auto parsed = parse_command(strigger_page(), strigger_table(), arguments, Operands::Mix);
  EXPECT_FALSE(parsed.exit_code);
  return parsed.settings;
}
std::string wrong(const std::vector<std::string>& arguments) {
  Status fine = check_line(settings(arguments));
  return fine ? "" : fine.error().text;
}

TEST(Strigger, MakesATriggerForEachEvent) {
  auto made = wanted_triggers(
      settings({"--set", "--down", "--up", "--node=n[1,2]", "-p", "/bin/x y", "--flags=perm"}));
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].event, TriggerEvent::NodeDown);
  EXPECT_EQ(made[0].nodes, "n[1-2]");
  EXPECT_TRUE(made[1].permanent);
  auto time = wanted_triggers(settings({"--set", "-t", "-j", "7", "-o", "-60", "-p", "/x"}));
  EXPECT_EQ(time.at(0).offset_s, -60);
  EXPECT_EQ(time.at(0).job, JobId{7});
}

TEST(Strigger, SaysWhatIsMissing) {
  EXPECT_NE(wrong({}), "");
  EXPECT_EQ(wrong({"--get"}), "");
  EXPECT_NE(wrong({"--clear"}), "");
  EXPECT_EQ(wrong({"--clear", "--id=3"}), "");
  EXPECT_NE(wrong({"--set", "--down"}), "");
  EXPECT_NE(wrong({"--set", "--down", "-p", "relative"}), "");
  EXPECT_NE(wrong({"--set", "--fini", "-p", "/x"}), "");
  EXPECT_NE(wrong({"--set", "--down", "-o", "-5", "-p", "/x"}), "");
  EXPECT_EQ(wrong({"--set", "--fini", "-j", "3", "-p", "/x"}), "");
  EXPECT_NE(wrong({"--set", "-g", "-p", "/x"}), "");
}

TEST(Strigger, ShowsTriggers) {
  std::vector<Trigger> rows = {{.id = {1},
                                .user_name = "ada",
                                .event = TriggerEvent::JobFini,
                                .job = {7},
                                .program = "/bin/x y"},
                               {.id = {12},
                                .user_name = "root",
                                .event = TriggerEvent::NodeIdle,
                                .offset_s = 30,
                                .permanent = true,
                                .program = "/z"}};
  EXPECT_EQ(render_triggers(settings({"--get"}), rows),
            "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS "
            "PROGRAM\n"
            "      1 job             7 fini                                     0 ada            "
            "/bin/x y\n"
            "     12 node            * idle                                    30 root     PERM  "
            "/z\n");
  EXPECT_EQ(render_triggers(settings({"--get", "--noheader", "--fini"}), rows).find("idle"),
            std::string::npos);
}

}  // namespace
}  // namespace ym::cli
