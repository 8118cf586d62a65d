// SPDX-License-Identifier: Apache-2.0
#include "store/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/errc.h"
#include "store/journal_testing.h"

namespace ym {
namespace {

using testing::HasSubstr;

struct JournalTest : testing::Test {
  DiskMemory disk;
  Log log;

  std::unique_ptr<Journal> open(JournalOptions options = small_options()) {
    log = {};
    auto recovered = open_journal(disk, log, options);
    EXPECT_TRUE(recovered) << (recovered ? "" : recovered.error().text);
    return recovered ? std::move(recovered->journal) : nullptr;
  }
};

TEST_F(JournalTest, AnEmptyDirectoryGivesAnEmptyLogThatBeginsAtOne) {
  auto journal = open();
  EXPECT_EQ(journal->next_seq(), 1u);
  EXPECT_EQ(journal->durable_seq(), 0u);
  EXPECT_TRUE(log.records.empty());
}

TEST_F(JournalTest, WhatWasCommittedComesBackInOrderOverManySegments) {
  auto journal = open();
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(commit_records(*journal, 1 + i % 4, 50));
  std::uint64_t last = journal->durable_seq();
  EXPECT_EQ(last, 100u);
  journal.reset();
  journal = open();
  EXPECT_TRUE(log.consistent(50));
  EXPECT_EQ(log.last(), last);
  EXPECT_EQ(journal->next_seq(), last + 1);
  ASSERT_TRUE(commit_records(*journal, 3, 50));
  journal.reset();
  journal = open();
  EXPECT_TRUE(log.consistent(50));
  EXPECT_EQ(log.last(), last + 3);
}

TEST_F(JournalTest, OneSyncServesTheWholeGroup) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 1));
  std::uint64_t before = disk.syncs();
  ASSERT_TRUE(commit_records(*journal, 10));
  EXPECT_EQ(disk.syncs(), before + 1);
  ASSERT_TRUE(journal->commit());
  EXPECT_EQ(disk.syncs(), before + 1);
}

TEST_F(JournalTest, EmptyPayloadsAndGroupsLargerThanASegmentArePossible) {
  auto journal = open();
  std::vector<std::string_view> empty(3);
  ASSERT_TRUE(journal->append(empty));
  ASSERT_TRUE(journal->commit());
  std::string large(5000, 'x');
  std::string_view view = large;
  ASSERT_EQ(journal->append({&view, 1}).value(), 4u);
  ASSERT_TRUE(journal->commit());
  journal.reset();
  open();
  ASSERT_EQ(log.records.size(), 4u);
  EXPECT_EQ(log.records[3].second, large);
}

TEST_F(JournalTest, RestartingAgainAndAgainDoesNotPileUpFiles) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2));
  ASSERT_TRUE(commit_records(*journal, 2));
  for (int i = 0; i < 10; ++i) {
    journal.reset();
    journal = open();
    EXPECT_EQ(log.last(), 4u);
  }
  EXPECT_LE(disk.list(kDir)->size(), 2u);
}

TEST_F(JournalTest, CrashingAgainAndAgainDoesNotFillTheDisk) {
  auto journal = open();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(commit_records(*journal, 2));
    journal.reset();
    journal = open();
    EXPECT_EQ(log.last(), 2u * static_cast<unsigned>(i + 1));
    EXPECT_TRUE(log.consistent());
  }
  // Two of full size, the one in use and the one before; the others hold their records only.
  EXPECT_LE(disk.bytes_used(), 2 * 1024 + 20 * (kSegmentHeaderBytes + 2 * record_bytes(16)));
  std::uint64_t read = 0;
  ASSERT_TRUE(journal->read_from(1, 1 << 20, [&](std::uint64_t seq, std::string_view payload) {
    EXPECT_EQ(payload, payload_of(seq));
    read = seq;
  }));
  EXPECT_EQ(read, 40u);
}

TEST_F(JournalTest, TooLargeARecordOrTooMuchPendingIsRefusedAsAWhole) {
  auto options = small_options();
  options.record_bytes_max = 100;
  options.pending_bytes_max = 300;
  auto journal = open(options);
  std::string big(101, 'x'), fine(100, 'y');
  std::vector<std::string_view> group{fine, big};
  auto refused = journal->append(group);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kTooBig);
  EXPECT_EQ(journal->next_seq(), 1u);
  group = {fine, fine, fine};
  EXPECT_FALSE(journal->append(group));
  group = {fine, fine};
  EXPECT_TRUE(journal->append(group));
}

TEST_F(JournalTest, TheFeedReadsFromAnyDurableRecord) {
  auto journal = open();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(commit_records(*journal, 2, 40));
  ASSERT_TRUE(append_records(*journal, 1));
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t from = 1; from <= 61; ++from) {
      std::uint64_t expected = from;
      auto fn = [&](std::uint64_t seq, std::string_view payload) {
        EXPECT_EQ(seq, expected++);
        EXPECT_EQ(payload, payload_of(seq, 40));
      };
      EXPECT_EQ(journal->read_from(from, 1 << 20, fn).value(), 61u);
      EXPECT_EQ(expected, 61u);
    }
    std::uint64_t at = 1;
    for (int calls = 0; at < 61; ++calls) {
      ASSERT_LE(calls, 60);
      at = journal->read_from(at, 1, [](std::uint64_t, std::string_view) {}).value();
    }
    if (round == 0) {
      journal.reset();
      journal = open();
      ASSERT_TRUE(append_records(*journal, 1));
    }
  }
  auto early = journal->read_from(62, 1, [](std::uint64_t, std::string_view) {});
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().text, HasSubstr("does not exist yet"));
}

TEST_F(JournalTest, PruningNeedsASnapshotAndTellsReadersTheOldestRecord) {
  auto journal = open();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(commit_records(*journal, 2, 40));
  EXPECT_EQ(journal->prune(60).value(), 0u);
  ASSERT_TRUE(write_snapshot(disk, 30));
  ASSERT_TRUE(write_snapshot(disk, 50));
  EXPECT_GT(journal->prune(60).value(), 0u);
  EXPECT_LE(journal->oldest_seq(), 31u);
  EXPECT_GT(journal->oldest_seq(), 1u);
  auto gone = journal->read_from(1, 1, [](std::uint64_t, std::string_view) {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, store_errc::kPruned);
  EXPECT_THAT(gone.error().text, HasSubstr(fmt::format("oldest is {}", journal->oldest_seq())));
  journal.reset();
  journal = open();
  EXPECT_EQ(log.snapshot_seq, 50u);
  EXPECT_TRUE(log.consistent(40));
  EXPECT_EQ(log.last(), 60u);
}

TEST_F(JournalTest, PruningTrustsNoSnapshotWhoseNameACrashMayTake) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DiskMemory own;
    Log seen;
    auto recovered = open_journal(own, seen);
    ASSERT_TRUE(recovered);
    Journal& journal = *recovered->journal;
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(commit_records(journal, 10));
    own.faults.dir_syncs_to_fail = 2;
    EXPECT_FALSE(write_snapshot(own, journal.durable_seq()));
    EXPECT_FALSE(journal.prune(journal.durable_seq()));
    recovered = fail("gone");
    Prng luck(seed);
    own.crash(luck);
    Log after;
    auto again = open_journal(own, after);
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(after.last(), 100u);
  }
}

TEST_F(JournalTest, AFullDiskKeepsTheGroupUntilThereIsSpaceAgain) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2, 100));
  disk.faults.capacity = disk.bytes_used();
  Status status;
  int rounds = 0;
  while ((status = commit_records(*journal, 1, 100))) ASSERT_LT(++rounds, 20);
  EXPECT_GT(rounds, 2) << "a segment zeroed in advance needs no more space";
  EXPECT_EQ(status.error().code, store_errc::kNoSpace);
  EXPECT_TRUE(journal->failed());
  std::uint64_t durable = journal->durable_seq();
  EXPECT_FALSE(commit_records(*journal, 2, 100));
  EXPECT_EQ(journal->durable_seq(), durable);
  disk.faults.capacity.reset();
  ASSERT_TRUE(journal->retry());
  EXPECT_FALSE(journal->failed());
  EXPECT_EQ(journal->durable_seq(), durable + 3);
  Prng prng(3);
  disk.crash(prng);
  journal.reset();
  open();
  EXPECT_TRUE(log.consistent(100));
  EXPECT_EQ(log.last(), durable + 3);
}

TEST_F(JournalTest, AlmostNoSpaceGivesASmallerSegment) {
  auto journal = open();
  disk.faults.capacity = 300;
  ASSERT_TRUE(commit_records(*journal, 1, 100));
  EXPECT_EQ(disk.contents(segment_path(1))->size(), 300u);
}

TEST_F(JournalTest, AFullDiskAtTheStartOpensInTheFailedState) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2));
  ASSERT_TRUE(commit_records(*journal, 2));
  disk.faults.capacity = disk.bytes_used();
  journal.reset();
  journal = open();
  EXPECT_EQ(log.last(), 4u);
  EXPECT_TRUE(journal->failed());
  EXPECT_EQ(journal->durable_seq(), 2u);
  EXPECT_EQ(journal->next_seq(), 5u);
  disk.faults.capacity.reset();
  ASSERT_TRUE(commit_records(*journal, 1));
  EXPECT_EQ(journal->durable_seq(), 5u);
}

TEST_F(JournalTest, ASegmentPreparedInAdvanceIsAReserveForAFullDisk) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 1));
  int steps = 1;
  while (!journal->prepare_next(100).value()) ++steps;
  EXPECT_EQ(steps, 11);
  disk.faults.capacity = disk.bytes_used();
  int rounds = 0;
  while (commit_records(*journal, 1, 200)) ASSERT_LT(++rounds, 20);
  EXPECT_GE(rounds, 6);
}

// The kernel may mark pages clean that it could not write: a second sync of the same file would
// lie.
TEST_F(JournalTest, AfterAFailedSyncTheGroupMovesToANewSegment) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2));
  disk.faults.syncs_to_fail = 1;
  auto failed = commit_records(*journal, 2);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, store_errc::kIo);
  EXPECT_EQ(journal->durable_seq(), 2u);
  disk.faults.syncs_to_fail = 1;
  EXPECT_FALSE(journal->retry());
  ASSERT_TRUE(append_records(*journal, 1));
  ASSERT_TRUE(journal->retry());
  EXPECT_EQ(journal->durable_seq(), 5u);
  std::uint64_t expected = 1;
  ASSERT_TRUE(journal->read_from(1, 1 << 20, [&](std::uint64_t seq, std::string_view payload) {
    EXPECT_EQ(seq, expected++);
    EXPECT_EQ(payload, payload_of(seq));
  }));
  EXPECT_EQ(expected, 6u);
  Prng prng(1);
  disk.crash(prng);
  journal.reset();
  open();
  EXPECT_TRUE(log.consistent());
  EXPECT_EQ(log.last(), 5u);
}

// A process that died after a failed sync leaves pages that look fine and are on no disk.
TEST_F(JournalTest, WhatARestartReadFromThePageCacheIsMadeDurable) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2));
  disk.faults.syncs_to_fail = 1;
  ASSERT_FALSE(commit_records(*journal, 2));
  disk.kill_process();
  journal.reset();
  journal = open();
  EXPECT_EQ(log.last(), 4u);
  EXPECT_EQ(journal->durable_seq(), 4u);
  Prng prng(1);
  disk.crash(prng);
  journal.reset();
  open();
  EXPECT_TRUE(log.consistent());
  EXPECT_EQ(log.last(), 4u);
}

TEST_F(JournalTest, AFailedWriteIsRepeatedAtTheSamePlace) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 2));
  std::size_t files = disk.list(kDir)->size();
  disk.faults.writes_to_fail = 2;
  EXPECT_FALSE(commit_records(*journal, 2));
  EXPECT_FALSE(commit_records(*journal, 1));
  EXPECT_TRUE(journal->retry());
  EXPECT_EQ(disk.list(kDir)->size(), files);
  journal.reset();
  open();
  EXPECT_TRUE(log.consistent());
  EXPECT_EQ(log.last(), 5u);
}

TEST_F(JournalTest, AFailedSyncOfTheDirectoryIsNoSuccess) {
  auto journal = open();
  disk.faults.dir_syncs_to_fail = 1;
  EXPECT_FALSE(commit_records(*journal, 2));
  EXPECT_EQ(journal->durable_seq(), 0u);
  EXPECT_TRUE(commit_records(*journal, 1));
  EXPECT_EQ(journal->durable_seq(), 3u);
  journal.reset();
  open();
  EXPECT_TRUE(log.consistent());
  EXPECT_EQ(log.last(), 3u);
}

TEST_F(JournalTest, ASecondOpenerAndAnotherClusterAreRefused) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 1));
  Log other;
  auto second = open_journal(disk, other);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, store_errc::kLocked);
  journal.reset();
  auto options = small_options();
  options.cluster_id = 8;
  options.accept_loss = true;
  auto foreign = open_journal(disk, other, options);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, store_errc::kWrongOwner);
  EXPECT_THAT(foreign.error().text, HasSubstr("belongs to cluster 7"));
}

TEST_F(JournalTest, AReadErrorStopsTheStartAndChangesNothing) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 1));
  journal.reset();
  disk.faults.unreadable.insert(segment_path(1));
  auto options = small_options();
  options.accept_loss = true;
  auto refused = open_journal(disk, log, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kIo);
  disk.faults.unreadable.clear();
  open();
  EXPECT_EQ(log.last(), 1u);
}

TEST_F(JournalTest, AnErrorOfTheReplayStopsTheStart) {
  auto journal = open();
  ASSERT_TRUE(commit_records(*journal, 3));
  journal.reset();
  Replay replay{.snapshot = {}, .chunk = {}, .record = [](std::uint64_t seq, std::string_view) {
                  return seq == 2 ? Status(fail("cannot apply record 2")) : Status();
                }};
  auto refused = Journal::open(disk, kDir, small_options(), replay);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "cannot apply record 2");
}

}  // namespace
}  // namespace ym
