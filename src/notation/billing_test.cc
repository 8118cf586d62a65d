// SPDX-License-Identifier: Apache-2.0
#include "notation/billing.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

std::uint64_t bill(const char* weights, const char* tres, bool largest = false) {
  return BillingWeights::parse(weights).value().bill(Tres::parse(tres).value(), largest);
}

TEST(BillingWeights, AddUp) {
  // The manual's examples.
  EXPECT_EQ(bill("CPU=1.0,Mem=0.25G,GRES/gpu=2.0", "cpu=1,mem=8G"), 3u);
  EXPECT_EQ(bill("CPU=1.0,Mem=0.25G,GRES/gpu=2.0", "cpu=1,mem=8G", true), 2u);
  EXPECT_EQ(bill("mem=.25", "mem=8G"), 2048u);
  EXPECT_EQ(bill("mem=.25G", "mem=8G"), 2u);
  EXPECT_EQ(bill("cpu=3.0", "cpu=2,mem=7G"), 6u);
  EXPECT_EQ(bill("cpu=1,gres/gpu:a100=10", "cpu=2,gres/gpu=2,gres/gpu:a100=1"), 12u);
}

TEST(BillingWeights, AreRoundedDown) {
  EXPECT_EQ(bill("cpu=0.5", "cpu=3"), 1u);
  EXPECT_EQ(bill("cpu=0.5,mem=0.5G", "cpu=1,mem=1G"), 1u) << "only once, at the end";
}

TEST(BillingWeights, MayBeNegativeButNoBillIs) {
  EXPECT_EQ(bill("cpu=2,node=-1", "cpu=4,node=2"), 6u);
  EXPECT_EQ(bill("cpu=-2", "cpu=4"), 0u);
}

TEST(BillingWeights, HaveUnits) {
  EXPECT_EQ(bill("mem=1M", "mem=5M"), 5u);
  EXPECT_EQ(bill("mem=1K", "mem=5M"), 5120u);
  EXPECT_EQ(bill("mem=1T", "mem=3T"), 3u);
  EXPECT_EQ(bill("cpu=1K", "cpu=2048"), 2u);
}

TEST(BillingWeights, AreBoundedAndRefused) {
  EXPECT_EQ(bill("cpu=1000000", "cpu=18446744073709551614"), 1'000'000ull << 30);
  for (const char* bad :
       {"cpu", "cpu=", "=1", "cpu=x", "cpu=1Q", "cpu=1000001", "cpu=--1", "cpu=G"})
    EXPECT_FALSE(BillingWeights::parse(bad)) << bad;
  EXPECT_TRUE(BillingWeights::parse("").value().empty());
}

}  // namespace
}  // namespace ym
