// SPDX-License-Identifier: Apache-2.0
#include "os/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ym {
namespace {

TEST(FillRandom, FillsAllOfItAndNeverTheSame) {
  std::vector<std::uint8_t> one(4096), other(4096);
  fill_random(one);
  fill_random(other);
  EXPECT_NE(one, other);
  // No quarter of it was left out.
  for (std::size_t i = 0; i < one.size(); i += 1024)
    EXPECT_TRUE(std::any_of(one.begin() + static_cast<std::ptrdiff_t>(i),
                            one.begin() + static_cast<std::ptrdiff_t>(i) + 1024,
                            [](std::uint8_t byte) { return byte != 0; }));
  fill_random({});
}

}  // namespace
}  // namespace ym
