// SPDX-License-Identifier: Apache-2.0
#include "cli/sstat/sstat.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

SstatRow some_row() {
  SstatRow row{.id = "7.0", .nodes = "n[1-2]", .pids = {11, 12}};
  add_task(row.usage,
           {.rank = 0, .usage = {.user_ms = 61000, .max_rss_kb = 51200, .read_bytes = 1000}}, "n1");
  add_task(row.usage,
           {.rank = 1, .usage = {.user_ms = 1000, .max_rss_kb = 1001, .read_bytes = 2048}}, "n2");
  return row;
}

std::string rendered(SstatSettings settings) {
  return render_usage(settings, {some_row()}).value();
}

TEST(Sstat, ShowsTheExtremesWithTheirTasksAndTheAverages) {
  SstatSettings settings{.fields =
                             "JobID,MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,MinCPU,minCPUTask,"
                             "AveCPU,NTasks,MaxDiskRead,AveDiskRead",
                         .header = false,
                         .bars = true};
  EXPECT_EQ(rendered(settings), "7.0|50M|n1|0|26100K|00:00:01|1|00:00:31|2|2K|1524\n");
  settings.convert = false;
  settings.fields = "MaxRSS";
  EXPECT_EQ(rendered(settings), "52428800\n");
}

TEST(Sstat, ShowsUsageByTheNamesOfTrackableResources) {
  SstatSettings settings{.fields = "TRESUsageInMax,TRESUsageInMaxTask,TRESUsageInMinNode",
                         .header = false,
                         .bars = true};
  EXPECT_EQ(rendered(settings),
            "fs/disk=2048,mem=51200K,pages=0,vmem=0K|fs/disk=1,mem=0,pages=0,vmem=0|cpu=n2\n");
  settings.fields = "TRESUsageInTot,TRESUsageInAve,TRESUsageOutTot,TRESUsageOutMin,ReqCPUFreq";
  EXPECT_EQ(rendered(settings),
            "cpu=00:01:02,fs/disk=3048,mem=52201K,pages=0,vmem=0K|"
            "cpu=00:00:31,fs/disk=1524,mem=26100K,pages=0,vmem=0K|fs/disk=0||0\n");
}

TEST(Sstat, JustifiesInColumnsAndCutsWhatIsTooLong) {
  SstatSettings settings{.fields = "JobID%5,Nodelist%-4,Pids%6"};
  EXPECT_EQ(rendered(settings),
            "JobID Nod+   Pids \n"
            "----- ---- ------ \n"
            "  7.0 n[1+  11,12 \n");
}

TEST(Sstat, ParsableLinesMayEndWithABar) {
  EXPECT_EQ(rendered({.fields = "JobID,NTasks", .last_bar = true}), "JobID|NTasks|\n7.0|2|\n");
}

TEST(Sstat, RefusesFieldsThatDoNotExist) {
  EXPECT_FALSE(render_usage({.fields = "JobID,Nonsense"}, {}));
  EXPECT_FALSE(render_usage({.fields = "JobID%x"}, {}));
  EXPECT_TRUE(render_usage({}, {}));
}

}  // namespace
}  // namespace ym::cli
