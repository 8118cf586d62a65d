// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wire/backup.h"
#include "wire/backup_messages.h"
#include "wire/codec.h"

namespace ym::wire {
namespace {

TEST(BackupMessages, SurviveTheirJourney) {
  auto part = decode<BackupPart>(encode(BackupPart{.bytes = std::string("\0x", 2)}));
  ASSERT_TRUE(part);
  EXPECT_EQ(part->bytes, std::string("\0x", 2));
  EXPECT_TRUE(decode<BackupState>(encode(BackupState{})));
  auto file = decode<BackupFile>(encode(BackupFile{.name = "n", .mode = 0640, .bytes = "b"}));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->mode, 0640u);
  EXPECT_EQ(file->bytes, "b");
}

}  // namespace
}  // namespace ym::wire
