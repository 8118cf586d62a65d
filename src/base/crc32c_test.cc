// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

#include "base/prng.h"

namespace ym {
namespace {

TEST(Crc32c, GivesThePublishedNumbers) {
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending += static_cast<char>(i);
  struct Row {
    std::string bytes;
    std::uint32_t crc;
  };
  for (const Row& row :
       {Row{"", 0}, Row{"123456789", 0xe3069283}, Row{std::string(32, '\0'), 0x8a9136aa},
        Row{std::string(32, '\xff'), 0x62a8ab43}, Row{ascending, 0x46dd794e}}) {
    EXPECT_EQ(crc32c(row.bytes), row.crc);
    EXPECT_EQ(crc32c_by_table(row.bytes), row.crc);
  }
}

TEST(Crc32c, TableAndInstructionAgreeOnAnyBytesAndAnySplit) {
  Prng prng(1);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(prng.below(300), '\0');
    for (char& c : bytes) c = static_cast<char>(prng.below(256));
    std::size_t cut = prng.below(bytes.size() + 1);
    std::string_view all = bytes;
    EXPECT_EQ(crc32c(all), crc32c_by_table(all));
    EXPECT_EQ(crc32c(all.substr(cut), crc32c(all.substr(0, cut))), crc32c(all));
    EXPECT_EQ(crc32c_by_table(all.substr(cut), crc32c_by_table(all.substr(0, cut))), crc32c(all));
  }
}

}  // namespace
}  // namespace ym
