// SPDX-License-Identifier: Apache-2.0
// Damage of every kind at every place: refused in clear words or cut where nothing acknowledged is
// lost; with accept_loss everything before it is kept and everything damaged is set aside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "store/errc.h"
#include "store/journal_testing.h"
#include "store/layout.h"

namespace ym {
namespace {

using testing::HasSubstr;

JournalOptions accepting() {
  auto options = small_options();
  options.segment_bytes = 320;
  options.accept_loss = true;
  return options;
}
JournalOptions refusing() {
  auto options = accepting();
  options.accept_loss = false;
  return options;
}

// Records 1 … 13 in groups (1) (2 3) (4) (5 6) …, several segments; the last group is (13).
std::map<std::string, std::string> sample() {
  DiskMemory disk;
  Log log;
  auto recovered = open_journal(disk, log, refusing());
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(commit_records(*recovered->journal, 1 + i % 2, 30));
  std::map<std::string, std::string> files;
  for (const std::string& name : *disk.list(kDir)) files[name] = *disk.contents(kDir + "/" + name);
  EXPECT_GE(files.size(), 2u);
  EXPECT_EQ(recovered->journal->durable_seq(), 13u);
  return files;
}

void put_all(DiskMemory& disk, const std::map<std::string, std::string>& files) {
  for (const auto& [name, bytes] : files) disk.put_file(kDir + "/" + name, bytes);
}

// The record that byte `offset` of a segment belongs to; the one after the last for the zeros.
std::uint64_t record_at(std::string_view bytes, std::size_t offset) {
  auto header = decode_segment_header(bytes);
  std::size_t at = kSegmentHeaderBytes;
  std::uint64_t seq = header->first_seq;
  if (offset < at) return seq;
  while (auto record = decode_record(bytes, at)) {
    at += record->bytes;
    if (offset < at) return seq;
    ++seq;
  }
  return seq;
}

// Opens the damaged log in both ways. `intact` is the last record before the damage.
void expect_safe(const std::map<std::string, std::string>& files, std::uint64_t intact,
                 bool& refused) {
  DiskMemory disk;
  put_all(disk, files);
  Log log;
  auto recovered = open_journal(disk, log, refusing());
  refused = !recovered;
  if (recovered) {
    EXPECT_TRUE(log.consistent(30));
    EXPECT_GE(log.last(), intact);
    return;
  }
  EXPECT_EQ(recovered.error().code, store_errc::kCorrupt);
  EXPECT_THAT(recovered.error().text, HasSubstr("journal-"));
  EXPECT_THAT(recovered.error().text, HasSubstr("at offset"));
  EXPECT_THAT(recovered.error().text, HasSubstr("start with -i"));
  for (const auto& [name, bytes] : files) EXPECT_EQ(disk.contents(kDir + "/" + name), bytes);

  log = {};
  recovered = open_journal(disk, log, accepting());
  ASSERT_TRUE(recovered) << recovered.error().text;
  EXPECT_TRUE(log.consistent(30));
  EXPECT_GE(log.last(), intact);
  EXPECT_EQ(recovered->lost_from, log.last() + 1);
  EXPECT_GE(recovered->lost_through, recovered->lost_from);
  EXPECT_FALSE(recovered->set_aside.empty());
  for (const std::string& path : recovered->set_aside) {
    std::string name = path.substr(kDir.size() + 1, segment_name(1).size());
    EXPECT_EQ(disk.contents(path), files.at(name)) << "set aside as it was";
  }
  // And life goes on.
  std::uint64_t last = log.last();
  ASSERT_TRUE(commit_records(*recovered->journal, 2, 30));
  recovered = fail("closed");
  log = {};
  recovered = open_journal(disk, log, refusing());
  ASSERT_TRUE(recovered) << recovered.error().text;
  EXPECT_TRUE(log.consistent(30));
  EXPECT_EQ(log.last(), last + 2);
}

TEST(JournalDamage, AFlippedBitAnywhereLosesNothingBeforeIt) {
  auto files = sample();
  int refusals = 0, cuts = 0;
  for (const auto& [name, bytes] : files) {
    for (std::size_t offset = 0; offset < bytes.size(); ++offset) {
      std::uint64_t seq = record_at(bytes, offset);
      SCOPED_TRACE(fmt::format("{} offset {} record {}", name, offset, seq));
      auto damaged = files;
      damaged[name][offset] = static_cast<char>(damaged[name][offset] ^ (1 << offset % 8));
      bool refused = false;
      expect_safe(damaged, seq - 1, refused);
      refusals += refused;
      cuts += !refused;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(refusals, 500);
  EXPECT_GT(cuts, 10);
}

TEST(JournalDamage, OnlyTheLastGroupMayBeCutSilently) {
  auto files = sample();
  for (const auto& [name, bytes] : files) {
    std::size_t at = kSegmentHeaderBytes;
    for (auto record = decode_record(bytes, at); record; record = decode_record(bytes, at)) {
      auto damaged = files;
      damaged[name][at + kRecordHeaderBytes + 2] ^= 1;
      bool refused = false;
      expect_safe(damaged, record->seq - 1, refused);
      EXPECT_EQ(refused, record->seq != 13) << record->seq;
      at += record->bytes;
    }
  }
}

TEST(JournalDamage, AFileTruncatedAnywhereLosesNothingBeforeTheCut) {
  auto files = sample();
  for (const auto& [name, bytes] : files) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::uint64_t seq = record_at(bytes, size);
      SCOPED_TRACE(fmt::format("{} cut to {} in record {}", name, size, seq));
      auto damaged = files;
      damaged[name].resize(size);
      bool refused = false;
      expect_safe(damaged, seq - 1, refused);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(JournalDamage, AMissingSegmentIsAGapAndRefused) {
  auto files = sample();
  ASSERT_GE(files.size(), 3u);
  for (const auto& [name, bytes] : files) {
    if (name == files.rbegin()->first) continue;  // the last one: nothing tells that it ever was
    auto damaged = files;
    damaged.erase(name);
    bool refused = false;
    expect_safe(damaged, decode_segment_header(bytes)->first_seq - 1, refused);
    EXPECT_TRUE(refused);
  }
}

TEST(JournalDamage, AGapInTheNumbersWithinASegmentIsRefused) {
  std::string bytes =
      encode_segment_header({.index = 1, .first_seq = 1, .durable_through = 1, .cluster_id = 7});
  append_record(bytes, 1, 0, payload_of(1));
  append_record(bytes, 3, 0, payload_of(3));
  DiskMemory disk;
  disk.put_file(segment_path(1), bytes);
  Log log;
  auto refused = open_journal(disk, log);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kCorrupt);
  EXPECT_THAT(refused.error().text, HasSubstr("record 2"));
}

TEST(JournalDamage, ANewerFormatIsRefusedEvenWithAcceptLoss) {
  auto files = sample();
  std::string& bytes = files.rbegin()->second;
  layout::put<std::uint32_t>(bytes, 8, 2);
  layout::put<std::uint32_t>(bytes, 12, crc32c(std::string_view(bytes).substr(0, 12)));
  DiskMemory disk;
  put_all(disk, files);
  Log log;
  auto refused = open_journal(disk, log, accepting());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, store_errc::kFuture);
  EXPECT_THAT(refused.error().text, HasSubstr("format version 2"));
  EXPECT_THAT(refused.error().text, HasSubstr("newer release"));
}

// The pages of one write reach the device in any order: a later one may be there without an earlier
// one.
TEST(JournalDamage, AGroupWhoseFirstSectorsNeverArrivedIsTornNotDamaged) {
  auto options = refusing();
  options.segment_bytes = 8192;
  DiskMemory disk;
  Log log;
  auto recovered = open_journal(disk, log, options);
  ASSERT_TRUE(commit_records(*recovered->journal, 1, 300));
  ASSERT_TRUE(commit_records(*recovered->journal, 10, 300));
  recovered = fail("closed");
  std::string bytes = *disk.contents(segment_path(1));
  std::string torn = bytes;
  torn.replace(1024, 512, 512, '\0');
  disk.put_file(segment_path(1), torn);
  log = {};
  recovered = open_journal(disk, log, options);
  ASSERT_TRUE(recovered) << recovered.error().text;
  EXPECT_TRUE(log.consistent(300));
  EXPECT_EQ(log.last(), 2u);
  EXPECT_GT(recovered->torn_bytes, 0u);

  // A changed bit in the same place is no lost sector.
  recovered = fail("closed");
  DiskMemory other;
  bytes[1100] ^= 1;
  other.put_file(segment_path(1), bytes);
  recovered = open_journal(other, log, options);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, store_errc::kCorrupt);
}

TEST(JournalDamage, DamageBelowTheSnapshotStopsNobody) {
  auto files = sample();
  DiskMemory disk;
  put_all(disk, files);
  ASSERT_TRUE(write_snapshot(disk, 12));
  for (const auto& [name, bytes] : files) {
    for (std::size_t at = kSegmentHeaderBytes; auto record = decode_record(bytes, at);
         at += record->bytes) {
      if (record->seq <= 12) disk.flip(kDir + "/" + name, at + kRecordHeaderBytes, 1);
    }
  }
  Log log;
  auto recovered = open_journal(disk, log, refusing());
  ASSERT_TRUE(recovered) << recovered.error().text;
  EXPECT_EQ(log.snapshot_seq, 12u);
  EXPECT_TRUE(log.consistent(30));
  EXPECT_EQ(log.last(), 13u);
  EXPECT_FALSE(recovered->warnings.empty());
  auto feed = recovered->journal->read_from(1, 1 << 20, [](std::uint64_t, std::string_view) {});
  ASSERT_FALSE(feed);
  EXPECT_EQ(feed.error().code, store_errc::kCorrupt);
}

TEST(JournalDamage, ALogThatEndsBeforeTheSnapshotGoesOnBehindIt) {
  auto files = sample();
  DiskMemory disk;
  put_all(disk, files);
  ASSERT_TRUE(write_snapshot(disk, 13));
  std::string last = kDir + "/" + files.rbegin()->first;
  disk.put_file(last, disk.contents(last)->substr(0, kSegmentHeaderBytes + 10));
  for (int round = 0; round < 3; ++round) {
    Log log;
    auto recovered = open_journal(disk, log, refusing());
    ASSERT_TRUE(recovered) << recovered.error().text;
    EXPECT_TRUE(log.consistent(30));
    EXPECT_EQ(log.last(), 13u + static_cast<std::uint64_t>(round));
    ASSERT_TRUE(commit_records(*recovered->journal, 1, 30));
  }
}

}  // namespace
}  // namespace ym
