// SPDX-License-Identifier: Apache-2.0
// The power goes at every place where it can, under many seeds. Safety: what was acknowledged is
// there, in order, and nothing else is but a prefix of what was appended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/errc.h"
#include "store/journal_testing.h"

namespace ym {
namespace {

constexpr std::size_t kLength = 60;

struct Promise {
  std::uint64_t acknowledged = 0;
  std::uint64_t appended = 0;
};

// A little of everything until the power goes or the work is done.
void work(Journal& journal, DiskMemory& disk, Prng& prng, Promise& promise) {
  for (int i = 0; i < 12; ++i) {
    if (prng.chance(1, 8)) disk.faults.syncs_to_fail = 1;
    if (prng.chance(1, 10)) disk.faults.writes_to_fail = 1;
    if (prng.chance(1, 10)) disk.faults.dir_syncs_to_fail = 1;
    EXPECT_TRUE(append_records(journal, static_cast<int>(1 + prng.below(25)), kLength));
    promise.appended = journal.next_seq() - 1;
    bool committed = journal.commit().has_value();
    promise.acknowledged = std::max(promise.acknowledged, journal.durable_seq());
    if (prng.chance(1, 4)) (void)journal.prepare_next(700);
    if (prng.chance(1, 4) && journal.durable_seq() > 3) {
      (void)write_snapshot(disk, journal.durable_seq() - prng.below(3));
    }
    if (prng.chance(1, 3)) (void)journal.prune(journal.durable_seq());
    if (!committed && disk.faults.power_after == 0) return;
  }
}

void check(const Log& log, const Promise& promise) {
  EXPECT_TRUE(log.consistent(kLength));
  EXPECT_GE(log.last(), promise.acknowledged);
  EXPECT_LE(log.last(), promise.appended);
}

TEST(JournalCrash, NothingAcknowledgedIsLostWhereverThePowerGoes) {
  auto options = small_options();
  options.segment_bytes = 4096;
  int torn = 0, crashes = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (std::uint64_t after = 0;; ++after) {
      SCOPED_TRACE(fmt::format("seed {} power_after {}", seed, after));
      DiskMemory disk;
      Prng prng(seed);
      Prng luck(seed * 1000 + after);
      Promise promise;
      bool done = false;
      disk.faults.power_after = after;
      // Three lives on the same disk: the second and third crash somewhere, too.
      for (int life = 0; life < 3; ++life) {
        Log log;
        auto recovered = open_journal(disk, log, options);
        if (recovered) {
          check(log, promise);
          torn += recovered->torn_bytes > 0;
          promise.appended = log.last();
          promise.acknowledged = recovered->journal->durable_seq();
          work(*recovered->journal, disk, prng, promise);
        } else {
          ASSERT_NE(recovered.error().code, store_errc::kCorrupt) << recovered.error().text;
        }
        recovered = fail("gone");
        if (life == 0)
          done = *disk.faults.power_after > 0;  // never went out: every place was tried
        ++crashes;
        disk.crash(luck);
        disk.faults.power_after = luck.below(60);
      }
      disk.faults = {};
      Log log;
      auto recovered = open_journal(disk, log, options);
      ASSERT_TRUE(recovered) << recovered.error().text;
      check(log, promise);
      if (HasFailure()) return;
      if (done) break;
    }
  }
  EXPECT_GT(crashes, 5000);
  EXPECT_GT(torn, 100) << "the disk must have torn writes, or this test proves little";
}

TEST(JournalCrash, TheSameSeedGivesTheSameDisk) {
  auto run = [] {
    DiskMemory disk;
    Prng prng(5);
    Promise promise;
    Log log;
    auto recovered = open_journal(disk, log);
    work(*recovered->journal, disk, prng, promise);
    disk.crash(prng);
    std::string all;
    for (const std::string& name : *disk.list(kDir))
      all += name + *disk.contents(kDir + "/" + name);
    return all;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace ym
