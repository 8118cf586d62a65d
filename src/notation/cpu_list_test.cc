// SPDX-License-Identifier: Apache-2.0
#include "notation/cpu_list.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(*parse_cpu_list("0-3,8"), (CpuNumbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(*parse_cpu_list("8,2-3,2"), (CpuNumbers{2, 3, 8}));
  EXPECT_EQ(*parse_cpu_list(""), CpuNumbers{});
  EXPECT_EQ(print_cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(print_cpu_list({}), "");
  for (const char* wrong : {",", "1,", "3-1", "a", "-1", "8192", "1-8192", "1--2", " 1"})
    EXPECT_FALSE(parse_cpu_list(wrong)) << wrong;
}

TEST(CpuList, MasksAreHexadecimal) {
  EXPECT_EQ(*parse_cpu_mask("0x10f"), (CpuNumbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(*parse_cpu_mask("F0"), (CpuNumbers{4, 5, 6, 7}));
  EXPECT_EQ(*parse_cpu_mask("0x0000000000000000000000000000000000001"), (CpuNumbers{0}));
  EXPECT_EQ(print_cpu_mask({0, 1, 2, 3, 8}), "0x10f");
  EXPECT_EQ(print_cpu_mask({1}, 8), "0x00000002");
  EXPECT_EQ(print_cpu_mask({64}), "0x10000000000000000");
  EXPECT_EQ(print_cpu_mask({}), "0x0");
  for (const char* wrong : {"", "0", "0x", "0x0", "g", "0x1g", "-1"})
    EXPECT_FALSE(parse_cpu_mask(wrong)) << wrong;
  EXPECT_FALSE(parse_cpu_mask(std::string(kCpuNumberEnd / 4 + 1, 'f')));
}

TEST(CpuList, WhatIsPrintedIsReadAgain) {
  Prng prng(3);
  for (int round = 0; round < 500; ++round) {
    CpuNumbers numbers;
    std::uint64_t density = 1 + prng.below(8);
    for (std::uint32_t n = 0; n < 200; ++n)
      if (prng.chance(1, density)) numbers.push_back(n);
    EXPECT_EQ(*parse_cpu_list(print_cpu_list(numbers)), numbers);
    if (!numbers.empty()) EXPECT_EQ(*parse_cpu_mask(print_cpu_mask(numbers)), numbers);
  }
}

}  // namespace
}  // namespace ym
