// SPDX-License-Identifier: Apache-2.0
#include "notation/gpu_freq.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(GpuFreq, IsAmongTheFrequenciesOfResources) {
  EXPECT_EQ(gpu_freq_in("gpu:high,memory=low"), "high,memory=low");
  EXPECT_EQ(gpu_freq_in(""), "");
  EXPECT_EQ(gpu_freq_in("tool:high"), "");
}

TEST(GpuFreq, NamesClocksOfGraphicsAndMemory) {
  struct {
    const char* text;
    GpuFreq freq;
  } cases[] = {
      {"high", {.graphics = {SpeedKind::High, 0}}},
      {"1200", {.graphics = {SpeedKind::Number, 1200}}},
      {"memory=low", {.memory = {SpeedKind::Low, 0}}},
      {"verbose", {.verbose = true}},
      {"highm1,memory=5001,verbose",
       {.graphics = {SpeedKind::HighMinusOne, 0},
        .memory = {SpeedKind::Number, 5001},
        .verbose = true}},
  };
  for (const auto& [text, freq] : cases) {
    auto parsed = GpuFreq::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, freq) << text;
    EXPECT_EQ(parsed->str(), text);
  }
}

TEST(GpuFreq, NonsenseIsRefused) {
  for (const char* text : {"", "fast", "0", "high,low", "memory=", "high,", "memory=1,memory=2"})
    EXPECT_FALSE(GpuFreq::parse(text)) << text;
}

}  // namespace
}  // namespace ym
