// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_home.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "store/errc.h"
#include "store/etcd_for_test.h"

namespace ym {
namespace {

struct Leader {
  Leader(EtcdForTest& etcd, std::string who, EtcdConnect connect = {})
      : home({.connect = connect ? connect : [&etcd] { return etcd.connect(); },
              .prefix = "/p",
              .members = "test"}),
        name(std::move(who)) {}

  Status take_over(std::uint64_t known = 0) {
    auto seen = home.look();
    if (!seen) return std::unexpected(seen.error());
    auto epoch = home.seize(name, *seen);
    if (!epoch) return std::unexpected(epoch.error());
    JournalOptions options;
    options.known_seq = known;
    auto found = home.open(options, replay());
    if (!found) return std::unexpected(found.error());
    opened = std::move(*found);
    return {};
  }
  Replay replay() {
    return {.snapshot =
                [this](std::uint64_t seq) {
                  snapshot = seq;
                  return Status();
                },
            .chunk =
                [this](std::string_view chunk) {
                  chunks.emplace_back(chunk);
                  return Status();
                },
            .record =
                [this](std::uint64_t, std::string_view payload) {
                  records.emplace_back(payload);
                  return Status();
                }};
  }
  Status acknowledge(int count, std::size_t length = 20) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i)
      texts.push_back(
          fmt::format("{} {} {}", name, opened.log->next_seq() + i, std::string(length, 'x')));
    std::vector<std::string_view> views(texts.begin(), texts.end());
    if (auto appended = opened.log->append(views); !appended)
      return std::unexpected(appended.error());
    if (Status done = opened.log->commit(); !done) return done;
    records.insert(records.end(), texts.begin(), texts.end());
    return {};
  }

  EtcdHome home;
  std::string name;
  OpenedLog opened;
  std::uint64_t snapshot = 0;
  std::vector<std::string> chunks, records;
};

TEST(EtcdHome, OneLeadsAndTheNextReadsWhatItAcknowledged) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  ASSERT_TRUE(a.take_over());
  ASSERT_TRUE(a.acknowledge(3));
  ASSERT_TRUE(a.acknowledge(2));
  EXPECT_EQ(b.home.look()->name, "a");
  EXPECT_FALSE(b.home.look()->vacant);
  ASSERT_TRUE(a.home.renew());
  etcd.end_leases();
  EXPECT_TRUE(b.home.look()->vacant);
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(b.records, a.records);
  EXPECT_EQ(b.home.epoch(), 2u);
  EXPECT_EQ(a.acknowledge(1).error().code, store_errc::kFenced);
  EXPECT_EQ(a.home.renew().error().code, store_errc::kFenced);
  EXPECT_EQ(a.opened.log->confirm().error().code, store_errc::kFenced);
  ASSERT_TRUE(b.acknowledge(1));
}

TEST(EtcdHome, TakingOverFromALeaderThatIsWellFencesIt) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  ASSERT_TRUE(a.take_over());
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(a.acknowledge(1).error().code, store_errc::kFenced);
  EXPECT_EQ(a.home.renew().error().code, store_errc::kFenced);
  EXPECT_TRUE(b.acknowledge(1));
}

TEST(EtcdHome, SaysWhenItsLogHasBeenReplaced) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  EXPECT_EQ(b.home.last_restore().value(), "");
  ASSERT_TRUE(a.take_over());
  ASSERT_TRUE(a.home.note_restore(false));
  std::string begun = b.home.last_restore().value();
  ASSERT_TRUE(a.home.note_restore(true));
  EXPECT_NE(begun, "");
  EXPECT_NE(b.home.last_restore().value(), begun);
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(a.home.note_restore(true).error().code, store_errc::kFenced);
}

TEST(EtcdHome, GivesEveryKeyAsItIs) {
  EtcdForTest etcd;
  Leader a(etcd, "a");
  ASSERT_TRUE(a.take_over());
  ASSERT_TRUE(a.acknowledge(1));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(a.home.share_text(fmt::format("t{:02}", i), "x"));
  std::vector<std::string> names;
  ASSERT_TRUE(a.home.each_key([&](std::string_view name, std::string_view) {
    names.emplace_back(name);
    return Status();
  }));
  EXPECT_EQ(names.size(), etcd.count("/p/"));
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(names.back(), "texts/t19");
}

TEST(EtcdHome, OfTwoWhoSawTheSameOneLeads) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  Leadership seen = *a.home.look();
  ASSERT_TRUE(a.home.seize("a", seen));
  EXPECT_EQ(b.home.seize("b", seen).error().code, store_errc::kExists);
}

TEST(EtcdHome, AnAnswerThatWasLostDoublesNothing) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  ASSERT_TRUE(a.take_over());
  std::string_view one = "one", two = "two";
  ASSERT_TRUE(a.opened.log->append({&one, 1}));
  etcd.lose_answers = 1;
  EXPECT_FALSE(a.opened.log->commit());
  EXPECT_EQ(a.opened.log->durable_seq(), 0u);
  auto follower = *b.home.follow();  // has seen it already
  std::vector<std::string> followed;
  Replay replay{
      .snapshot = {}, .chunk = {}, .record = [&](std::uint64_t, std::string_view payload) {
        followed.emplace_back(payload);
        return Status();
      }};
  ASSERT_TRUE(follower->poll(replay));
  ASSERT_TRUE(a.opened.log->append({&two, 1}));
  ASSERT_TRUE(a.opened.log->commit());
  EXPECT_EQ(a.opened.log->durable_seq(), 2u);
  ASSERT_TRUE(follower->poll(replay));
  EXPECT_EQ(followed, (std::vector<std::string>{"one", "two"}));
}

TEST(EtcdHome, LongGroupsTravelInPartsAndUnfinishedOnesDoNotCount) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b"), c(etcd, "c");
  ASSERT_TRUE(a.take_over());
  ASSERT_TRUE(a.acknowledge(4, 700'000));
  EXPECT_EQ(etcd.count("/p/log/"), 4u);
  // The first part of the next one arrives, and then etcd is away for the leader's last moments.
  std::string big(2'000'000, 'y');
  std::string_view view = big;
  ASSERT_TRUE(a.opened.log->append({&view, 1}));
  etcd.lose_answers = 1;  // it is told that the first part failed
  EXPECT_FALSE(a.opened.log->commit());
  etcd.end_leases();
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(b.records, a.records);
  EXPECT_EQ(b.opened.found.torn_bytes, 1u);
  ASSERT_TRUE(b.acknowledge(1));
  etcd.end_leases();
  ASSERT_TRUE(c.take_over());
  EXPECT_EQ(c.records, b.records);
}

TEST(EtcdHome, SnapshotsShortenTheLogAndTheFeedReadsTheRest) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  ASSERT_TRUE(a.take_over());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(a.acknowledge(3));
  std::string long_chunk(2'000'000, 'c');
  for (std::uint64_t seq : {9, 18, 27})
    ASSERT_TRUE(a.opened.log->write_snapshot(seq, [&](const ChunkFn& take) -> Status {
      if (Status ok = take("head"); !ok) return ok;
      return take(long_chunk);
    }));
  EXPECT_EQ(etcd.count("/p/snapshots/"), kSnapshotsKept);
  EXPECT_EQ(*a.opened.log->prune(30), 1u);  // the older snapshot still needs records from 19 on
  EXPECT_EQ(a.opened.log->oldest_seq(), 19u);
  EXPECT_GT(etcd.compacted, 0u);
  std::vector<std::uint64_t> fed;
  auto next = a.opened.log->read_from(
      20, 1'000'000, [&](std::uint64_t seq, std::string_view) { fed.push_back(seq); });
  ASSERT_TRUE(next) << next.error().text;
  EXPECT_EQ(fed.front(), 20u);
  EXPECT_EQ(*next, fed.back() + 1);
  EXPECT_EQ(a.opened.log->read_from(3, 100, [](auto, auto) {}).error().code, store_errc::kPruned);
  etcd.end_leases();
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(b.snapshot, 27u);
  EXPECT_EQ(b.chunks, (std::vector<std::string>{"head", long_chunk}));
  EXPECT_EQ(b.records.size(), 3u);
  EXPECT_EQ(b.opened.log->next_seq(), 31u);
}

TEST(EtcdHome, ScriptsAreStoredOnceAndForgottenWhenNobodyWantsThem) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  ASSERT_TRUE(a.take_over());
  std::string big(3'000'000, 'b');
  auto small = a.opened.blobs->put(BlobKind::Script, "#!/bin/sh\n");
  auto large = a.opened.blobs->put(BlobKind::Environment, big);
  ASSERT_TRUE(small && large);
  ASSERT_TRUE(a.opened.blobs->sync());
  std::uint64_t calls = etcd.calls;
  ASSERT_TRUE(a.opened.blobs->put(BlobKind::Script, "#!/bin/sh\n"));
  ASSERT_TRUE(a.opened.blobs->sync());
  EXPECT_EQ(etcd.calls, calls);
  etcd.end_leases();
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(*b.opened.blobs->get(*small), "#!/bin/sh\n");
  EXPECT_EQ(*b.opened.blobs->get(*large), big);
  EXPECT_EQ(a.opened.blobs->retain([](const std::string&) { return false; }).error().code,
            store_errc::kFenced);
  EXPECT_EQ(b.opened.blobs->retain([&](const std::string& id) { return id == *small; })->removed,
            1u);
  EXPECT_FALSE(b.opened.blobs->get(*large));
  EXPECT_TRUE(b.opened.blobs->get(*small));
}

// The old leader is stopped before each of its calls in turn, and another takes over meanwhile.
TEST(EtcdHome, AStoppedLeaderPromisesNothingThatItsSuccessorDoesNotKnow) {
  std::uint64_t stops = 0;
  for (std::uint64_t at = 1;; ++at) {
    SCOPED_TRACE(fmt::format("stopped before call {}", at));
    EtcdForTest etcd;
    Leader next(etcd, "next");
    std::uint64_t calls = 0;
    bool armed = false, stopped = false;
    Leader old(etcd, "old", [&]() -> EtcdCall {
      return [&, call = etcd.connect()](const std::string& path, const std::string& body) {
        if (armed && ++calls == at) {
          stopped = true;
          etcd.end_leases();
          EXPECT_TRUE(next.take_over());
          EXPECT_TRUE(next.acknowledge(1));
        }
        return call(path, body);
      };
    });
    ASSERT_TRUE(old.take_over());
    armed = true;
    std::vector<std::string> promised;
    for (int i = 0; i < 5; ++i)
      if (old.acknowledge(2, i == 3 ? 700'000 : 10)) promised = old.records;
    if (!stopped) break;
    ++stops;
    for (const std::string& record : promised)
      EXPECT_NE(std::ranges::find(next.records, record), next.records.end());
    EXPECT_TRUE(next.acknowledge(1));
    Leader last(etcd, "last");
    ASSERT_TRUE(last.take_over());
    EXPECT_EQ(last.records, next.records);
    if (HasFailure()) return;
  }
  EXPECT_GE(stops, 5u);
}

TEST(EtcdHome, WhileEtcdIsAwayNothingIsAcknowledgedAndNobodyIsDeposed) {
  EtcdForTest etcd;
  Leader a(etcd, "a");
  ASSERT_TRUE(a.take_over());
  etcd.down = true;
  EXPECT_NE(a.acknowledge(1).error().code, store_errc::kFenced);
  EXPECT_NE(a.home.renew().error().code, store_errc::kFenced);
  etcd.down = false;
  ASSERT_TRUE(a.home.renew());
  ASSERT_TRUE(a.opened.log->commit());
  EXPECT_EQ(a.opened.log->durable_seq(), 1u);
}

TEST(EtcdHome, TextsAreSharedByAllAndChangedByTheLeaderAlone) {
  EtcdForTest etcd;
  Leader a(etcd, "a"), b(etcd, "b");
  EXPECT_EQ(*a.home.shared_text("book"), std::nullopt);
  EXPECT_EQ(a.home.share_text("book", "x").error().code, store_errc::kFenced);
  ASSERT_TRUE(a.take_over());
  std::string book(3 * kEtcdValueMax / 2, 'a');
  ASSERT_TRUE(a.home.share_text("book", book));
  ASSERT_TRUE(a.home.share_text("books", "another"));
  EXPECT_EQ(*b.home.shared_text("book"), book);
  ASSERT_TRUE(a.home.share_text("book", "shorter"));
  EXPECT_EQ(*b.home.shared_text("book"), "shorter");
  EXPECT_EQ(*b.home.shared_text("books"), "another");
  EXPECT_EQ(etcd.count("/p/text/"), 2u) << "old parts are gone";
  ASSERT_TRUE(b.take_over());
  EXPECT_EQ(a.home.share_text("book", "late").error().code, store_errc::kFenced);
  EXPECT_EQ(*b.home.shared_text("book"), "shorter");
  ASSERT_TRUE(b.home.share_text("book", ""));
  EXPECT_EQ(*a.home.shared_text("book"), "");
}

TEST(EtcdPlace, IsAListOfMembersAndAPrefix) {
  auto place = parse_etcd_place("etcd://h1:2379,h2:2379,[::1]:2379/yard/emil/");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->members, (std::vector<std::string>{"h1:2379", "h2:2379", "[::1]:2379"}));
  EXPECT_EQ(place->prefix, "/yard/emil");
  EXPECT_EQ(parse_etcd_place("etcd://h1")->prefix, "/yardmaster");
  EXPECT_FALSE(parse_etcd_place("etcd:///p"));
  EXPECT_FALSE(place->tls);
  EXPECT_TRUE(parse_etcd_place("etcds://h1:2379/p")->tls);
  EXPECT_EQ(parse_etcd_place("etcds://h1:2379/p")->prefix, "/p");
  EXPECT_FALSE(parse_etcd_place("/var/spool"));
}

}  // namespace
}  // namespace ym
