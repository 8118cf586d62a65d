// SPDX-License-Identifier: Apache-2.0
#include "os/environment_block.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

using std::string_literals::operator""s;

TEST(EnvironmentBlock, KeepsEachNameOnceInOrder) {
  EnvironmentBlock block("PATH=/bin\0A=1\0=x\0nothing\0A=2\0Z=\0"s);
  EXPECT_EQ(block.bytes(), "A=1\0PATH=/bin\0Z=\0"s) << "the first of a repeated name";
  EXPECT_TRUE(block.has("Z"));
  EXPECT_EQ(block.get("Z"), "");
  EXPECT_FALSE(block.has(""));
  EXPECT_FALSE(block.has("nothing"));
  EXPECT_EQ(EnvironmentBlock("A=1"s).bytes(), "A=1\0"s) << "the last NUL may be missing";
  EXPECT_EQ(EnvironmentBlock(block.bytes()).bytes(), block.bytes());
}

TEST(EnvironmentBlock, ReplacesAddsAndRemoves) {
  EnvironmentBlock block("B=old\0C=3\0"s);
  block.set("B", "new");
  block.set("B", "newer");
  block.set("A", 1u);
  block.set_default("C", "four");
  block.set_default("D", "=4=");
  EXPECT_EQ(block.bytes(), "A=1\0B=newer\0C=3\0D==4=\0"s);
  EXPECT_EQ(block.get("B"), "newer");
  block.remove("C");
  block.remove("C");
  block.remove("c");
  EXPECT_EQ(block.bytes(), "A=1\0B=newer\0D==4=\0"s);
  EXPECT_EQ(block.get("C"), "");
}

// A name that is the start of another is a name of its own.
TEST(EnvironmentBlock, ComparesWholeNames) {
  EnvironmentBlock block("AB=2\0A=1\0A_B=3\0"s);
  EXPECT_EQ(block.bytes(), "A=1\0AB=2\0A_B=3\0"s);
  block.remove("A");
  EXPECT_FALSE(block.has("A"));
  EXPECT_EQ(block.get("AB"), "2");
  block.remove_containing("_");
  EXPECT_EQ(block.bytes(), "AB=2\0"s);
}

TEST(EnvironmentBlock, TakesOverAnother) {
  EnvironmentBlock block("A=1\0B=2\0"s), other("B=two\0SLURM_X=9\0C=3\0"s);
  EnvironmentBlock copy = block;
  block.add_missing(other);
  EXPECT_EQ(block.bytes(), "A=1\0B=2\0C=3\0"s);
  copy.set_all(other);
  EXPECT_EQ(copy.bytes(), "A=1\0B=two\0C=3\0SLURM_X=9\0"s);
}

}  // namespace
}  // namespace ym
