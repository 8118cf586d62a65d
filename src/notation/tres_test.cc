// SPDX-License-Identifier: Apache-2.0
#include "notation/tres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "notation/size.h"

namespace ym {
namespace {

using testing::HasSubstr;

std::string canonical(std::string_view text) {
  auto list = Tres::parse(text);
  return list ? list->str() : list.error().text;
}

TEST(Tres, PrintsInSlurmsOrder) {
  EXPECT_EQ(canonical("license/foo=3,gres/gpu:a100=1,gres/gpu=2,billing=4,node=1,mem=8192,cpu=4"),
            "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2,gres/gpu:a100=1,license/foo=3");
  EXPECT_EQ(canonical("CPU=1,GRES/Gpu=2, Mem=1500"), "cpu=1,mem=1500M,gres/Gpu=2");
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("energy=18446744073709551614"), "energy=18446744073709551614");
}

TEST(Tres, SaysWhatIsWrong) {
  EXPECT_THAT(canonical("cpu"), HasSubstr("\"cpu\" has no amount"));
  EXPECT_THAT(canonical("cpu=1,,mem=1"), HasSubstr("\"\" has no amount"));
  EXPECT_THAT(canonical("cpu=1,cpu=2"), HasSubstr("cpu stands twice"));
  EXPECT_THAT(canonical("cpu=x"), HasSubstr("Invalid amount \"x\" of the resource cpu"));
  EXPECT_THAT(canonical("cpu=-1"), HasSubstr("Invalid amount"));
  EXPECT_THAT(canonical("=1"), HasSubstr("is no name of a resource"));
  EXPECT_THAT(canonical("mem=lots"), HasSubstr("Invalid size"));
}

TEST(Tres, LimitsMayBeRemovedWithMinusOne) {
  auto limits = Tres::parse_limits("cpu=-1,mem=-1,node=3");
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->get("cpu"), Tres::kNoLimit);
  EXPECT_EQ(limits->str(), "cpu=-1,mem=-1,node=3");
}

TEST(Tres, AddsSumsAndMergeReplaces) {
  Tres a = *Tres::parse("cpu=4,mem=1G"), b = *Tres::parse("cpu=2,gres/gpu=1"), c = a;
  a.add(b);
  EXPECT_EQ(a.str(), "cpu=6,mem=1G,gres/gpu=1");
  c.merge(b);
  EXPECT_EQ(c.str(), "cpu=2,mem=1G,gres/gpu=1");
  c.erase("mem");
  EXPECT_EQ(c.find("mem"), std::nullopt);
  EXPECT_EQ(c.get("mem"), 0u);
  Tres huge;
  huge.set("energy", Tres::kNoLimit - 1);
  huge.add(huge);
  EXPECT_EQ(huge.get("energy"), Tres::kNoLimit - 1);
}

TEST(Tres, EveryListComesBackFromItsText) {
  Prng prng(1);
  static constexpr std::string_view kNames[] = {
      "cpu",          "mem",     "node",   "gres/gpu", "gres/gpu:a100",
      "license/x@db", "bb/cray", "energy", "billing",  "gres/tmp_disk"};
  for (int round = 0; round < 5000; ++round) {
    Tres list;
    for (std::uint64_t i = prng.below(8); i > 0; --i)
      list.set(kNames[prng.below(std::size(kNames))],
               prng.below(std::uint64_t{1} << prng.between(1, 43)));
    ASSERT_EQ(Tres::parse(list.str()), list) << list.str();
    Tres twice = list;
    twice.add(list);
    for (const auto& [name, amount] : list.entries()) ASSERT_EQ(twice.get(name), 2 * amount);
  }
}

}  // namespace
}  // namespace ym
