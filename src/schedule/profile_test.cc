// SPDX-License-Identifier: Apache-2.0
#include "schedule/profile.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "schedule/book.h"
#include "schedule/homes.h"

namespace ym {
namespace {

constexpr Instant kNow{1'000'000};

// Nodes of 8 cpus and 1000 MB in one partition, and who runs there.
class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    NodesDefined defined;
    std::vector<NodeId> ids;
    for (std::uint32_t i = 1; i <= 2; ++i) {
      NodeSpec spec{.name = fmt::format("n{}", i), .cpus = 8, .memory_mb = 1000};
      if (i == 2) spec.features = "fast";
      defined.nodes.push_back({{i}, Ref(spec)});
      ids.push_back({i});
    }
    happen(defined);
    for (NodeId id : ids) {
      happen(NodeRegistered{.node = id, .registration = Ref(NodeRegistration{.cpus = 8})});
      happen(NodeStateChanged{.node = id, .condition = NodeCondition::Up});
    }
    happen(PartitionDefined{
        .partition = {1}, .spec = Ref(PartitionSpec{.name = "p"}), .nodes = Ref(ids)});
    book.rebuild(state);
  }
  void happen(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = kNow, .body = std::move(body)};
    apply(state, event);
  }
  JobId run(std::uint32_t node, std::uint32_t cpus, std::int64_t seconds) {
    JobId id{state.next_job_id};
    happen(JobSubmitted{
        .job = id, .sluid = {id.value}, .spec = Ref(JobSpec{.partitions = "p"}), .priority = 1});
    Allocation allocation{.nodes = {{.node = {node}, .cpus = cpus, .memory_mb = 100 * cpus}}};
    happen(JobStarted{
        .job = id, .partition = {1}, .allocation = Ref(allocation), .limit_end = after(seconds)});
    book.refresh(id, state);
    return id;
  }
  static Instant after(std::int64_t seconds) { return kNow + std::chrono::seconds(seconds); }
  std::optional<Booking> earliest(Profile& profile, const JobSpec& spec) {
    std::vector<Home> homes = homes_of(spec, state, book, {.memory_counts = true});
    return profile.earliest({.spec = spec, .from = kNow}, homes.front());
  }
  static JobSpec spec_of(std::uint32_t tasks, std::uint32_t seconds) {
    JobSpec spec{.partitions = "p", .tasks = tasks};
    spec.time_limit_s = seconds;
    return spec;
  }

  State state;
  Book book;
  Bookings bookings;
};

TEST_F(ProfileTest, TheBookKnowsWhatIsFreeAndWhoGivesItBack) {
  JobId id = run(1, 6, 100);
  EXPECT_EQ(book.track({1}).free.cpus, 2u);
  ASSERT_EQ(book.track({1}).holdings.size(), 1u);
  EXPECT_EQ(book.track({1}).holdings.front().at, after(100));
  EXPECT_EQ(book.cpus(), 16);
  happen(JobFinished{.job = id, .state = JobState::Completed});
  happen(JobNodeReleased{.job = id, .node = {1}});
  book.refresh(id, state);
  EXPECT_EQ(book.track({1}).free.cpus, 8u);
  EXPECT_TRUE(book.track({1}).holdings.empty());
  EXPECT_TRUE(book.eased()) << "before its time";
}

TEST_F(ProfileTest, ARequestStartsWhenEnoughHasComeBack) {
  run(1, 6, 100);
  run(2, 8, 50);
  Profile profile(book, state, bookings, kNow);
  EXPECT_EQ(earliest(profile, spec_of(2, 10))->start, kNow);
  EXPECT_EQ(earliest(profile, spec_of(10, 10))->start, after(50));
  EXPECT_EQ(earliest(profile, spec_of(16, 10))->start, after(100));
  EXPECT_FALSE(earliest(profile, spec_of(17, 10)));
}

TEST_F(ProfileTest, PartsOfANodeAreFreeBesideAPromise) {
  run(1, 8, 100);
  run(2, 4, 100);
  Profile profile(book, state, bookings, kNow);
  Booking booking = *earliest(profile, spec_of(14, 60));
  EXPECT_EQ(booking.start, after(100));
  booking.job = {77};
  profile.promise(booking, spec_of(14, 60), false);
  EXPECT_EQ(earliest(profile, spec_of(4, 100))->start, kNow) << "ends in time";
  EXPECT_EQ(earliest(profile, spec_of(2, 1000))->start, kNow) << "beside it";
  EXPECT_EQ(earliest(profile, spec_of(3, 101))->start, after(160)) << "neither";
  profile.retract(booking);
  EXPECT_EQ(earliest(profile, spec_of(3, 101))->start, kNow);
}

TEST_F(ProfileTest, MemoryIsCountedLikeCpus) {
  run(1, 8, 300);
  run(2, 2, 100);  // and 200 MB
  JobSpec spec = spec_of(1, 10);
  spec.memory_per_node_mb = 900;
  Profile profile(book, state, bookings, kNow);
  EXPECT_EQ(earliest(profile, spec)->start, after(100));
}

TEST_F(ProfileTest, WhatWasTakenCanBeGivenBack) {
  Profile profile(book, state, bookings, kNow);
  JobSpec spec = spec_of(16, 10);
  std::vector<Home> homes = homes_of(spec, state, book, {});
  Profile::Mark mark = profile.mark();
  bool maintained = false;
  auto allocation = profile.place_now(spec, homes.front(), {kNow, after(10)}, maintained);
  ASSERT_TRUE(allocation);
  profile.take(*allocation, spec, false, after(10));
  EXPECT_FALSE(profile.has_room_now(spec, homes.front()));
  EXPECT_EQ(earliest(profile, spec)->start, after(10));
  profile.back_to(std::move(mark));
  EXPECT_TRUE(profile.has_room_now(spec, homes.front()));
}

// Levels are carried along with each promise and each job that is taken in; made anew in the end
// they must say the same.
TEST_F(ProfileTest, WhatIsCarriedAlongIsWhatWouldBeFoundAnew) {
  Prng prng(11);
  for (int i = 0; i < 6; ++i)
    run(1 + i % 2, static_cast<std::uint32_t>(prng.between(1, 2)), prng.between(10, 300));
  Book other = book;
  for (int round = 0; round < 200; ++round) {
    Book carried_book = book, anew_book = other;
    Profile carried(carried_book, state, bookings, kNow), anew(anew_book, state, bookings, kNow);
    std::vector<Booking> promised;
    for (std::uint64_t id = 100; id < 115; ++id) {
      auto limit = static_cast<std::uint32_t>(prng.between(5, 200));
      JobSpec spec = spec_of(static_cast<std::uint32_t>(prng.between(1, 9)), limit);
      auto booking = earliest(carried, spec);
      ASSERT_TRUE(booking);
      booking->job = {static_cast<std::uint32_t>(id)};
      if (booking->start == kNow) {
        carried.take(booking->allocation, spec, false, booking->end);
        anew.take(booking->allocation, spec, false, booking->end);
      } else if (prng.chance(1, 4) && !promised.empty()) {
        carried.retract(promised.back());
        anew.retract(promised.back());
        promised.pop_back();
      } else {
        carried.promise(*booking, spec, false);
        anew.promise(*booking, spec, false);
        promised.push_back(*booking);
      }
    }
    for (std::uint32_t tasks = 1; tasks <= 16; tasks += 3) {
      JobSpec spec = spec_of(tasks, static_cast<std::uint32_t>(prng.between(5, 200)));
      EXPECT_EQ(earliest(carried, spec)->start, earliest(anew, spec)->start);
    }
  }
}

TEST_F(ProfileTest, AHomeAdmitsTheNodesThatTheRequestDoes) {
  JobSpec spec = spec_of(1, 10);
  EXPECT_TRUE(homes_of(spec, state, book, {}).front().takes_all);
  Home fast = homes_of(with_features(spec, "fast"), state, book, {}).front();
  EXPECT_FALSE(fast.takes_all);
  EXPECT_EQ(fast.admitted, Bits{0b10});
}

}  // namespace
}  // namespace ym
