// SPDX-License-Identifier: Apache-2.0
#include "notation/distribution.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Distribution, HasThreeLevelsAndPacking) {
  auto all = Distribution::parse("cyclic:fcyclic:block,Pack").value();
  EXPECT_EQ(all.nodes, NodeSpread::Cyclic);
  EXPECT_EQ(all.sockets, Spread::Fcyclic);
  EXPECT_EQ(all.cores, Spread::Block);
  EXPECT_EQ(all.packing, Packing::Pack);
  EXPECT_EQ(Distribution::parse("plane=4")->plane, 4u);
  EXPECT_EQ(Distribution::parse("Arbitrary")->nodes, NodeSpread::Arbitrary);
  EXPECT_EQ(Distribution::parse("*:block")->nodes, NodeSpread::Default);
  EXPECT_EQ(Distribution::parse("*:block")->sockets, Spread::Block);
  EXPECT_EQ(Distribution::parse("NoPack")->packing, Packing::NoPack);
  EXPECT_EQ(Distribution::parse("").value(), Distribution{});
}

TEST(Distribution, IsPrintedSoThatItReadsTheSame) {
  for (const char* text : {"block", "*", "cyclic:block", "*:*:fcyclic", "plane=8:cyclic",
                           "arbitrary", "block:cyclic:block,NoPack", "*,Pack"}) {
    auto value = Distribution::parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->str(), text);
  }
}

TEST(Distribution, HasTheTitlesThatSlurmShows) {
  auto title = [](const char* text) { return Distribution::parse(text).value().title(); };
  EXPECT_EQ(title(""), "Block");
  EXPECT_EQ(title("cyclic,NoPack"), "Cyclic,NoPack");
  EXPECT_EQ(title("block:cyclic"), "BCyclic");
  EXPECT_EQ(title("*:block"), "BBlock");
  EXPECT_EQ(title("cyclic:fcyclic:block,Pack"), "CFCyclicBlock,Pack");
  EXPECT_EQ(title("*:*:fcyclic"), "BCyclicFCyclic");
  EXPECT_EQ(title("plane=4:block"), "Plane");
  EXPECT_EQ(title("arbitrary"), "arbitrary task distribution");
}

TEST(Distribution, NonsenseIsRefusedByName) {
  for (const char* text :
       {"blok", "plane", "plane=", "plane=0", "plane=x", "fcyclic", "block:", "block:x",
        "block:block:block:block", ",", "block,", "block,Pack,Pack", "plane=99999999"}) {
    auto value = Distribution::parse(text);
    ASSERT_FALSE(value) << text;
    EXPECT_TRUE(value.error().text.starts_with("\"" + std::string(text) + "\" is no way"));
  }
}

}  // namespace
}  // namespace ym
