// SPDX-License-Identifier: Apache-2.0
#include "notation/job_defaults.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(JobDefaults, AreForGpus) {
  auto both = JobDefaults::parse("defcpupergpu=2,DefMemPerGPU=1024").value();
  EXPECT_EQ(both.cpus_per_gpu, 2u);
  EXPECT_EQ(both.memory_per_gpu_mb, 1024u);
  auto none = JobDefaults::parse("").value();
  EXPECT_FALSE(none.cpus_per_gpu || none.memory_per_gpu_mb);
}

TEST(JobDefaults, RefuseWhatTheyDoNotKnow) {
  for (const char* text : {"DefCpuPerGPU", "DefCpuPerGPU=", "DefCpuPerGPU=x", "DefMemPerGPU=-1",
                           "DefMemPerGPU=1G", "DefNodePerGPU=1", "DefMemPerGPU=4294967296"}) {
    auto refused = JobDefaults::parse(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_TRUE(refused.error().text.contains(text)) << refused.error().text;
  }
}

}  // namespace
}  // namespace ym
