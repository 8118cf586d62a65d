// SPDX-License-Identifier: Apache-2.0
#include "store/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "store/errc.h"
#include "store/journal_testing.h"
#include "store/layout.h"

namespace ym {
namespace {

using testing::HasSubstr;

std::string path_of(std::uint64_t seq) { return kDir + "/" + snapshot_name(seq); }

struct SnapshotTest : testing::Test {
  DiskMemory disk;
  Log log;

  // Records 1 … 20, snapshots after 8 and 14.
  void SetUp() override {
    auto recovered = open_journal(disk, log);
    ASSERT_TRUE(commit_records(*recovered->journal, 10));
    ASSERT_TRUE(commit_records(*recovered->journal, 10));
    ASSERT_TRUE(write_snapshot(disk, 8));
    ASSERT_TRUE(write_snapshot(disk, 14));
  }
  Result<Recovered> open() {
    log = {};
    return open_journal(disk, log);
  }
};

TEST_F(SnapshotTest, RecoveryIsTheNewestSnapshotAndTheTail) {
  auto recovered = open();
  ASSERT_TRUE(recovered);
  EXPECT_EQ(recovered->snapshot_seq, 14u);
  EXPECT_EQ(recovered->records, 6u);
  EXPECT_THAT(log.chunks, testing::ElementsAre("state after 14, part 0", "state after 14, part 1",
                                               "state after 14, part 2"));
  EXPECT_TRUE(log.consistent());
  EXPECT_EQ(log.last(), 20u);
  EXPECT_TRUE(recovered->warnings.empty());
}

TEST_F(SnapshotTest, OnlyTheLastTwoAreKept) {
  ASSERT_TRUE(write_snapshot(disk, 20));
  EXPECT_THAT(list_snapshots(disk, kDir).value(), testing::ElementsAre(20u, 14u));
}

TEST_F(SnapshotTest, ADamagedOrCutNewestFallsBackToTheOlderOneAtEveryByte) {
  std::string whole = *disk.contents(path_of(14));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (bool flip : {true, false}) {
      SCOPED_TRACE(fmt::format("{} at {}", flip ? "flip" : "cut", at));
      std::string damaged = flip ? whole : whole.substr(0, at);
      if (flip) damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
      disk.put_file(path_of(14), damaged);
      auto recovered = open();
      ASSERT_TRUE(recovered) << recovered.error().text;
      EXPECT_EQ(log.snapshot_seq, 8u);
      EXPECT_EQ(log.chunks.size(), 3u);
      EXPECT_TRUE(log.consistent());
      EXPECT_EQ(log.last(), 20u);
      ASSERT_FALSE(recovered->warnings.empty());
      EXPECT_THAT(recovered->warnings[0], HasSubstr(path_of(14)));
    }
  }
}

TEST_F(SnapshotTest, WithoutAnySoundSnapshotTheWholeLogIsReplayed) {
  disk.flip(path_of(14), 70, 1);
  disk.flip(path_of(8), 70, 1);
  auto recovered = open();
  ASSERT_TRUE(recovered);
  EXPECT_EQ(log.snapshot_seq, 0u);
  EXPECT_EQ(log.last(), 20u);
  EXPECT_EQ(recovered->warnings.size(), 2u);
}

TEST_F(SnapshotTest, WithoutASoundSnapshotAPrunedLogIsRefused) {
  {
    auto recovered = open();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(commit_records(*recovered->journal, 5));
    ASSERT_TRUE(write_snapshot(disk, 100));
    ASSERT_TRUE(write_snapshot(disk, 110));
    ASSERT_GT(recovered->journal->prune(111).value(), 0u);
  }
  disk.flip(path_of(100), 70, 1);
  disk.flip(path_of(110), 70, 1);
  auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kCorrupt);
  EXPECT_THAT(refused.error().text, HasSubstr("records from 1 on are missing"));
}

TEST_F(SnapshotTest, AnAbandonedSnapshotLeavesNothing) {
  std::size_t before = disk.list(kDir)->size();
  {
    auto writer = SnapshotWriter::begin(disk, kDir, 7, 20);
    ASSERT_TRUE(writer->add("half"));
  }
  EXPECT_EQ(disk.list(kDir)->size(), before);
}

TEST_F(SnapshotTest, AFailedSyncOrAFullDiskGivesNoSnapshot) {
  disk.faults.syncs_to_fail = 1;
  EXPECT_FALSE(write_snapshot(disk, 20));
  disk.faults.capacity = disk.bytes_used() + 50;
  EXPECT_FALSE(write_snapshot(disk, 20));
  disk.faults = {};
  EXPECT_THAT(list_snapshots(disk, kDir).value(), testing::ElementsAre(14u, 8u));
}

TEST_F(SnapshotTest, ANewerFormatIsRefused) {
  std::string bytes = *disk.contents(path_of(14));
  layout::put<std::uint32_t>(bytes, 8, 99);
  layout::put<std::uint32_t>(bytes, 12, crc32c(std::string_view(bytes).substr(0, 12)));
  disk.put_file(path_of(14), bytes);
  auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kFuture);
}

TEST_F(SnapshotTest, LargeChunksAndManyChunksComeBackWhole) {
  auto writer = SnapshotWriter::begin(disk, kDir, 7, 20);
  std::string large(3'000'000, 'x');
  ASSERT_TRUE(writer->add(large));
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(writer->add(payload_of(static_cast<std::uint64_t>(i), 500)));
  ASSERT_TRUE(writer->add(""));
  ASSERT_TRUE(writer->finish());
  EXPECT_FALSE(writer->finish());
  ASSERT_TRUE(open());
  ASSERT_EQ(log.chunks.size(), 5002u);
  EXPECT_EQ(log.chunks[0], large);
  EXPECT_EQ(log.chunks[4321], payload_of(4320, 500));
}

}  // namespace
}  // namespace ym
