// SPDX-License-Identifier: Apache-2.0
#include "bcast/compress.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Compress, ComesBackAsItWas) {
  std::string text(100000, 'x');
  std::string small = compress(text);
  ASSERT_LT(small.size(), 2000u);
  EXPECT_EQ(decompress(small, text.size()).value(), text);
}

TEST(Compress, WhatDoesNotShrinkIsLeftAlone) {
  EXPECT_EQ(compress("ab"), "");
  EXPECT_EQ(compress(""), "");
}

TEST(Compress, DamageAndWrongSizesAreSeen) {
  std::string small = compress(std::string(1000, 'x'));
  EXPECT_FALSE(decompress(small, 999));
  EXPECT_FALSE(decompress(small, 1001));
  EXPECT_FALSE(decompress("nonsense", 1000));
  EXPECT_FALSE(decompress(small, kCompressMax + 1));
}

}  // namespace
}  // namespace ym
