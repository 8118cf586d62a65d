// SPDX-License-Identifier: Apache-2.0
#include "notation/size.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace ym {
namespace {

TEST(Size, ANumberWithoutUnitIsMegabytes) {
  for (auto [text, megabytes] : std::vector<std::pair<std::string, std::uint64_t>>{{"4096", 4096},
                                                                                   {"4G", 4096},
                                                                                   {"4g", 4096},
                                                                                   {"4GB", 4096},
                                                                                   {"4GiB", 4096},
                                                                                   {"1M", 1},
                                                                                   {"1T", 1 << 20},
                                                                                   {"1p", 1 << 30},
                                                                                   {"0", 0},
                                                                                   {"1K", 1},
                                                                                   {"1024k", 1},
                                                                                   {"1025K", 2},
                                                                                   {"0K", 0}})
    EXPECT_EQ(parse_megabytes(text), megabytes) << text;
}

TEST(Size, RefusesWhatIsNoSize) {
  for (auto text :
       {"", "G", "-1", "1.5G", "4X", "4GG", "4Gi", "4 G", " 4", "4b", "18446744073709551616"})
    EXPECT_FALSE(parse_megabytes(text)) << text;
  EXPECT_EQ(parse_megabytes("18446744073709551615P").error().text,
            "The size 18446744073709551615P is too large");
  EXPECT_FALSE(parse_megabytes("17592186044416"));
  EXPECT_FALSE(parse_megabytes("18446744073709551615K"));
  EXPECT_EQ(parse_megabytes("17592186044415"), kMegabytesMax);
}

TEST(Size, BytesTakeTheirDefaultUnitFromTheCaller) {
  EXPECT_EQ(parse_bytes("10"), 10u);
  EXPECT_EQ(parse_bytes("10", 1024), 10240u);
  EXPECT_EQ(parse_bytes("1G", 1024), std::uint64_t{1} << 30);
  EXPECT_FALSE(parse_bytes("16384P"));
  EXPECT_FALSE(parse_bytes("18446744073709551615", 2));
}

TEST(Size, PrintsTheLargestExactUnit) {
  EXPECT_EQ(print_megabytes(0), "0");
  EXPECT_EQ(print_megabytes(4096), "4G");
  EXPECT_EQ(print_megabytes(2500), "2500M");
  EXPECT_EQ(print_megabytes(1 << 20), "1T");
  EXPECT_EQ(print_megabytes(std::uint64_t{1} << 40), "1024P");
}

TEST(Size, EverySizeComesBackFromItsPrint) {
  Prng prng(1);
  for (int round = 0; round < 20000; ++round) {
    std::uint64_t size = prng.below(std::uint64_t{1} << prng.between(1, 40)) << prng.below(4);
    ASSERT_EQ(parse_megabytes(print_megabytes(size)), size);
    ASSERT_EQ(parse_bytes(print_megabytes(size), 1 << 20), size << 20);
  }
}

}  // namespace
}  // namespace ym
