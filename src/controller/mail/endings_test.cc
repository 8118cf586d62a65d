// SPDX-License-Identifier: Apache-2.0
#include "controller/mail/endings.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

Job ended(JobState state, std::uint8_t code, std::uint8_t signal = 0) {
  Job job;
  job.state = state;
  job.exit = {.code = code, .signal = signal};
  return job;
}

TEST(Endings, OfOneJob) {
  EXPECT_EQ(ending_text(ended(JobState::Completed, 0)), "COMPLETED, ExitCode 0");
  EXPECT_EQ(ending_text(ended(JobState::Failed, 3)), "FAILED, ExitCode 3");
  EXPECT_EQ(ending_text(ended(JobState::Cancelled, 0, 15)), "CANCELLED");
}

TEST(Endings, OfAnArraysElementsTogether) {
  Job good = ended(JobState::Completed, 0), bad = ended(JobState::Failed, 3),
      killed = ended(JobState::Cancelled, 0, 9);
  EXPECT_EQ(endings_text({&good, &good}), "COMPLETED, ExitCode [0-0]");
  EXPECT_EQ(endings_text({&bad, &bad}), "FAILED, ExitCode [3-3]");
  EXPECT_EQ(endings_text({&good, &bad}), "Mixed, ExitCode [0-3]");
  EXPECT_EQ(endings_text({&good, &killed}), "Mixed, MaxSignal [9]");
  EXPECT_EQ(endings_text({&killed, &bad}), "Mixed, MaxExitCode [3]");
  good.restarts = 1;
  EXPECT_EQ(endings_text({&good}), "COMPLETED, ExitCode [0-0], with requeued tasks");
}

}  // namespace
}  // namespace ym
