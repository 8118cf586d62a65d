// SPDX-License-Identifier: Apache-2.0
#include "notation/acct_frequency.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(AcctFrequency, IsANumberOrOneForEachKind) {
  EXPECT_EQ(parse_acct_frequency("15").value(), 15u);
  EXPECT_EQ(parse_acct_frequency("energy=5,task=0").value(), 0u);
  EXPECT_EQ(parse_acct_frequency("Task=7").value(), 7u);
  EXPECT_EQ(parse_acct_frequency("energy=5").value(), std::nullopt);
  EXPECT_EQ(parse_acct_frequency("").value(), std::nullopt);
  for (const char* wrong : {"x", "task=", "task=-1", "tusk=3", "task=86401", "=3"})
    EXPECT_FALSE(parse_acct_frequency(wrong)) << wrong;
}

}  // namespace
}  // namespace ym
