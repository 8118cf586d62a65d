// SPDX-License-Identifier: Apache-2.0
#include "wire/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "wire/codec.h"

namespace ym::wire {
namespace {

using testing::HasSubstr;

std::string a_backup() {
  BackupWriter writer;
  BackupHead head{
      .cluster = "emil", .seq = Seq{42}, .time = Instant{7}, .release = "0.1", .format = 3};
  std::string bytes = BackupWriter::preamble();
  bytes += writer.record(BackupKind::Head, encode(head));
  bytes += writer.record(BackupKind::Blob, "#!/bin/sh\n");
  bytes += writer.record(BackupKind::Chunk, "state");
  bytes += writer.record(BackupKind::Chunk, "");
  bytes += writer.record(BackupKind::File, encode(BackupFile{.name = "tls/ca.pem", .bytes = "x"}));
  return bytes + writer.end();
}

// What the reader gave, in pieces of `step` bytes; or its complaint.
std::string read(std::string_view bytes, std::size_t step) {
  std::string got;
  BackupReader reader([&](BackupKind kind, std::string_view payload) -> Status {
    got += static_cast<char>('0' + static_cast<int>(kind));
    if (kind != BackupKind::Head && kind != BackupKind::File) got += payload;
    return {};
  });
  for (std::size_t at = 0; at < bytes.size(); at += step)
    if (Status ok = reader.feed(bytes.substr(at, step)); !ok) return ok.error().text;
  if (Status ok = reader.finish(); !ok) return ok.error().text;
  return got;
}

TEST(Backup, ComesBackAsItWasWhateverThePieces) {
  std::string bytes = a_backup();
  for (std::size_t step : {1u, 3u, 17u, 1000u})
    EXPECT_EQ(read(bytes, step), "12#!/bin/sh\n3state34");
}

TEST(Backup, SaysItsFormatAndOneOfBeforeSaysNone) {
  BackupHead head{.cluster = "emil", .seq = Seq{42}, .time = Instant{7}, .release = "0.1"};
  std::string before = encode(head);  // what has its default is not written
  EXPECT_EQ(decode<BackupHead>(before)->format, 0u);
  head.format = 3;
  EXPECT_EQ(decode<BackupHead>(encode(head))->format, 3u);
  EXPECT_TRUE(encode(head).starts_with(before));
}

TEST(Backup, IsRefusedIfAnyByteHasChanged) {
  std::string bytes = a_backup();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_THAT(read(damaged, 1000), HasSubstr("backup")) << "byte " << at;
  }
}

TEST(Backup, IsRefusedWhereverItEndsTooEarlyOrGoesOn) {
  std::string bytes = a_backup();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(read(bytes.substr(0, size), 1000), HasSubstr("is not complete")) << size;
  EXPECT_THAT(read(bytes + "x", 1000), HasSubstr("something follows its end"));
}

TEST(Backup, OfALaterReleaseIsCalledSo) {
  std::string later("YMBACKUP\x02\0\0\0", 12);
  std::uint32_t checksum = crc32c(later);
  later.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  EXPECT_THAT(read(later, 1000), HasSubstr("written by a later release (format 2"));
  EXPECT_EQ(read("#!/bin/sh\nsomething else\n", 1000), "this is no backup");
}

TEST(Backup, HasItsRecordsInOrder) {
  BackupWriter writer;
  std::string bytes = BackupWriter::preamble() + writer.record(BackupKind::Chunk, "state");
  EXPECT_THAT(read(bytes, 1000), HasSubstr("record 0 is not what belongs there"));
  BackupWriter second;
  bytes = BackupWriter::preamble() + second.record(BackupKind::Head, "") +
          second.record(BackupKind::Chunk, "") + second.record(BackupKind::Blob, "");
  EXPECT_THAT(read(bytes, 1000), HasSubstr("record 2 is not what belongs there"));
}

TEST(Backup, TakesNoNameThatLeavesTheFolder) {
  for (const char* good : {"a", "tls/ca.pem", ".hidden", "a/..b"})
    EXPECT_TRUE(is_safe_backup_name(good)) << good;
  for (std::string_view bad : {"", "/etc/passwd", "..", "a/../b", "a//b", "./a", "a/"})
    EXPECT_FALSE(is_safe_backup_name(bad)) << bad;
  EXPECT_FALSE(is_safe_backup_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace ym::wire
