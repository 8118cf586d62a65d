// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/notices.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Notices, SayWhatWasEndedWhereAndWhy) {
  NoticeFacts facts{.job = {7},
                    .step = kBatchStep,
                    .node = "n1",
                    .at = Instant::from_unix_seconds(1'700'000'000),
                    .zone_offset_s = 3600};
  EXPECT_EQ(notice_of(KillCause::TimeLimit, facts),
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2023-11-14T23:13:20 DUE TO TIME "
            "LIMIT ***\n");
  facts.step = {0};
  EXPECT_EQ(notice_of(KillCause::Cancelled, facts),
            "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2023-11-14T23:13:20 ***\n");
  EXPECT_EQ(notice_of(KillCause::None, facts), "");
}

}  // namespace
}  // namespace ym
