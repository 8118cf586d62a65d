// SPDX-License-Identifier: Apache-2.0
#include "schedule/outlook.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "model/apply.h"

namespace ym {
namespace {

constexpr Instant kNow{1'000'000};

Instant after(std::int64_t seconds) { return kNow + std::chrono::seconds(seconds); }

// Two nodes of 8 cpus in one partition, and two licences.
class OutlookTest : public testing::Test {
 protected:
  void SetUp() override {
    NodesDefined defined;
    for (std::uint32_t i = 1; i <= 2; ++i)
      defined.nodes.push_back({{i}, Ref(NodeSpec{.name = fmt::format("n{}", i), .cpus = 8})});
    happen(defined);
    for (std::uint32_t i = 1; i <= 2; ++i) {
      happen(NodeRegistered{.node = {i}, .registration = Ref(NodeRegistration{.cpus = 8})});
      happen(NodeStateChanged{.node = {i}, .condition = NodeCondition::Up});
    }
    happen(PartitionDefined{.partition = {1},
                            .spec = Ref(PartitionSpec{.name = "p"}),
                            .nodes = Ref(std::vector<NodeId>{{1}, {2}})});
    happen(LicensesDefined{.licenses = {{.name = "tool", .total = 2}}});
  }
  void happen(EventBody body) {
    apply(state, {.seq = {state.seq.value + 1}, .at = kNow, .body = std::move(body)});
  }
  JobId submit(JobSpec spec) {
    JobId id{state.next_job_id};
    happen(
        JobSubmitted{.job = id, .sluid = {id.value}, .spec = Ref(std::move(spec)), .priority = 1});
    return id;
  }
  void run(std::uint32_t node, std::uint32_t cpus, std::int64_t seconds) {
    JobId id = submit({.partitions = "p"});
    Allocation allocation{.nodes = {{.node = {node}, .cpus = cpus, .memory_mb = 0}}};
    happen(JobStarted{
        .job = id, .partition = {1}, .allocation = Ref(allocation), .limit_end = after(seconds)});
  }
  static JobSpec spec_of(std::uint32_t tasks, std::uint32_t seconds) {
    JobSpec spec{.partitions = "p", .tasks = tasks};
    spec.time_limit_s = seconds;
    return spec;
  }
  static JobSpec with_licenses(JobSpec spec, const char* licenses) {
    JobExtras extras;
    extras.licenses = licenses;
    spec.extras = Ref(std::move(extras));
    return spec;
  }

  State state;
};

TEST_F(OutlookTest, ARequestStartsWhenWhoeverRunsHasReachedTheLimit) {
  run(1, 8, 100);
  run(2, 8, 50);
  Outlook outlook(state, {}, kNow);
  EXPECT_EQ(outlook.earliest(spec_of(8, 10))->start, after(50));
  EXPECT_EQ(outlook.earliest(spec_of(9, 10))->start, after(100));
  EXPECT_FALSE(outlook.earliest(spec_of(17, 10)));
}

TEST_F(OutlookTest, ItStartsNoSoonerThanItsBeginTime) {
  Outlook outlook(state, {}, kNow);
  JobSpec spec = spec_of(1, 10);
  spec.begin = after(30);
  EXPECT_EQ(outlook.earliest(spec)->start, after(30));
}

TEST_F(OutlookTest, WhoIsPromisedSomethingComesFirst) {
  JobId first = submit(spec_of(16, 100));
  Outlook outlook(state, {}, kNow);
  Booking booking = *outlook.earliest(*state.find(first)->spec);
  booking.job = first;
  outlook.promise(booking);
  EXPECT_EQ(outlook.promises(), 1u);
  EXPECT_EQ(outlook.earliest(spec_of(1, 10))->start, after(100));
}

TEST_F(OutlookTest, ComponentsStartTogetherBesideEachOther) {
  run(1, 8, 100);
  Outlook outlook(state, {}, kNow);
  JobSpec one = spec_of(8, 10), other = spec_of(8, 10);
  std::vector<Booking> bookings = outlook.earliest_together({&one, &other});
  ASSERT_EQ(bookings.size(), 2u);
  EXPECT_EQ(bookings[0].start, after(100));
  EXPECT_EQ(bookings[1].start, after(100));
  EXPECT_NE(bookings[0].allocation.nodes.front().node, bookings[1].allocation.nodes.front().node);
  EXPECT_EQ(outlook.earliest(one)->start, kNow) << "nothing of it is kept";
  JobSpec third = spec_of(8, 10);
  EXPECT_TRUE(outlook.earliest_together({&one, &other, &third}).empty()) << "there is no room";
}

TEST_F(OutlookTest, ComponentsDoNotCountOnTheSameLicences) {
  Outlook outlook(state, {}, kNow);
  JobSpec one = with_licenses(spec_of(1, 10), "tool:2"), other = spec_of(1, 10);
  EXPECT_EQ(outlook.earliest_together({&one, &other}).size(), 2u);
  JobSpec same = one;
  EXPECT_TRUE(outlook.earliest_together({&one, &same}).empty());
}

}  // namespace
}  // namespace ym
