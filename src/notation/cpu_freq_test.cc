// SPDX-License-Identifier: Apache-2.0
#include "notation/cpu_freq.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(CpuFreq, IsWrittenAsSlurmDoes) {
  for (auto [text, shown] : {std::pair{"high", "High"},
                             {"low-high:ondemand", "Low-High:OnDemand"},
                             {"2400000", "2400000"},
                             {"HIGHM1:userspace", "HighM1:UserSpace"},
                             {"performance", "Performance"},
                             {"1-2", "1-2"}}) {
    auto freq = CpuFreq::parse(text);
    ASSERT_TRUE(freq) << text;
    EXPECT_EQ(freq->str(), shown);
    EXPECT_EQ(CpuFreq::parse(shown).value(), *freq);
  }
}

TEST(CpuFreq, RefusesWhatIsNoFrequency) {
  for (const char* text : {"", "fast", "0", "-", "low-", "-high", "low-high:", "low:fast", "2-1",
                           "1-2-3", "Performance-high", "4294967296"})
    EXPECT_FALSE(CpuFreq::parse(text)) << text;
}

}  // namespace
}  // namespace ym
