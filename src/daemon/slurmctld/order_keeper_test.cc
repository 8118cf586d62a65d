// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/order_keeper.h"

#include <gtest/gtest.h>

#include "daemon/slurmctld/answer_cache.h"
#include "daemon/slurmctld/message_counts.h"
#include "model/apply.h"

namespace ym {
namespace {

class Keeper : public testing::Test {
 protected:
  void happen(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = {5}, .body = std::move(body)};
    apply(state, event);
    keeper.note({event});
    published.set_state(state);
  }
  void submit(std::uint32_t id, std::uint32_t priority) {
    happen(JobSubmitted{.job = {id},
                        .spec = Ref(JobSpec{.name = "j", .user_name = "ada", .partitions = "p"}),
                        .priority = priority});
  }
  std::vector<std::uint32_t> listed() {
    View view;
    auto order = keeper.order_of(published, view);
    EXPECT_EQ(order->seq(), view.state.seq);
    std::vector<std::uint32_t> ids;
    order->for_each(view.state, {}, {}, [&](const OrderKey&, const Job& job) {
      ids.push_back(job.id.value);
      return true;
    });
    return ids;
  }

  State state;
  Published published;
  OrderKeeper keeper;
};

using Ids = std::vector<std::uint32_t>;

TEST_F(Keeper, FollowsWhatHappensBetweenTwoQuestions) {
  EXPECT_EQ(listed(), Ids{});
  submit(1, 10);
  submit(2, 20);
  EXPECT_EQ(listed(), (Ids{2, 1}));
  submit(3, 15);
  EXPECT_EQ(listed(), (Ids{2, 3, 1}));
  happen(JobUpdated{.job = {1}, .spec = state.jobs.at(1).spec, .priority = 99});
  happen(JobFinished{.job = {2}, .state = JobState::Cancelled});
  EXPECT_EQ(listed(), (Ids{1, 3}));
  happen(JobForgotten{.job = {2}});
  EXPECT_EQ(listed(), (Ids{1, 3}));
}

TEST_F(Keeper, BeginsAnewAfterTooMuchHasHappened) {
  submit(1, 10);
  EXPECT_EQ(listed(), Ids{1});
  for (std::size_t i = 0; i < OrderKeeper::kNotesMax / 2 + 10; ++i)
    happen(JobUpdated{.job = {1}, .spec = state.jobs.at(1).spec, .priority = 5});
  submit(2, 7);
  EXPECT_EQ(listed(), (Ids{2, 1}));
  submit(3, 6);
  EXPECT_EQ(listed(), (Ids{2, 3, 1}));
}

TEST_F(Keeper, SharesAStateForAMomentWithThoseForWhomItIsGoodEnough) {
  submit(1, 10);
  View view, again;
  auto order = keeper.order_of(published, view);
  Duration now{1000};
  auto always = [](Seq) { return true; };
  EXPECT_FALSE(keeper.same_again(again, now, always)) << "nothing is kept yet";
  keeper.keep(view, order, now);
  submit(2, 20);
  EXPECT_EQ(keeper.same_again(again, now, always), order);
  EXPECT_EQ(again.state.seq, view.state.seq);
  auto only_the_newest = [&](Seq of) { return of == state.seq; };
  EXPECT_FALSE(keeper.same_again(again, now, only_the_newest));
  EXPECT_FALSE(keeper.same_again(again, now + OrderKeeper::kLife, always)) << "too old";
  keeper.let_go(now + OrderKeeper::kLife / 2);
  EXPECT_TRUE(keeper.same_again(again, now, always));
  keeper.let_go(now + OrderKeeper::kLife);
  EXPECT_FALSE(keeper.same_again(again, now, always)) << "it was let go of";
}

TEST_F(Keeper, AnAnswerIsTheSameUntilSomethingHappens) {
  submit(1, 10);
  published.set_verdicts(Ref(Verdicts{}));
  AnswerCache cache;
  View view = published.view();
  Duration now{1000};
  const Uid root{0};
  EXPECT_FALSE(cache.find("q", view, root, now));
  cache.keep("q", view, now, {"a", "b"});
  ASSERT_TRUE(cache.find("q", view, root, now));
  EXPECT_EQ(*cache.find("q", view, root, now), (AnswerCache::Frames{"a", "b"}));
  EXPECT_FALSE(cache.find("other", view, root, now));
  EXPECT_FALSE(cache.find("q", view, root, now + AnswerCache::kLife));
  published.set_verdicts(Ref(Verdicts{}));
  EXPECT_FALSE(cache.find("q", published.view(), root, now));
  submit(2, 10);
  EXPECT_FALSE(cache.find("q", published.view(), root, now));
}

TEST_F(Keeper, AnAnswerMayBeAMomentOldUnlessItIsAboutTheAskersOwnJobs) {
  AnswerCache cache;
  const Uid ada{1000}, bob{1001};
  Duration now{1000};
  auto happens = [&](std::uint32_t job, Uid owner) {
    Event event{
        .seq = {state.seq.value + 1},
        .at = {5},
        .body = JobSubmitted{.job = {job}, .spec = Ref(JobSpec{.partitions = "p", .uid = owner})}};
    apply(state, event);
    cache.note({event}, state, now);
    published.set_state(state);
  };
  cache.keep("q", published.view(), now, {"old"});
  happens(7, ada);
  EXPECT_FALSE(cache.find("q", published.view(), ada, now));
  EXPECT_TRUE(cache.find("q", published.view(), bob, now));
  EXPECT_FALSE(cache.find("q", published.view(), bob, now + AnswerCache::kLife));
  cache.keep("q", published.view(), now, {"new"});
  EXPECT_TRUE(cache.find("q", published.view(), ada, now));
  // News are remembered for as long as an answer may live.
  cache.keep("p", published.view(), now += AnswerCache::kLife, {"old"});
  happens(8, ada);
  now += AnswerCache::kLife - Duration(1);
  happens(9, bob);
  EXPECT_FALSE(cache.find("p", published.view(), ada, now));
}

TEST(MessageCounts, CountKindsUsersAndJobs) {
  MessageCounts counts;
  counts.note(104, 1000, std::chrono::microseconds(5));
  counts.note(104, 1000, std::chrono::microseconds(7));
  counts.note(100, 0, std::chrono::microseconds(1));
  std::vector<Event> events = {
      {.seq = {1}, .at = {}, .body = JobSubmitted{}},
      {.seq = {2}, .at = {}, .body = JobFinished{.state = JobState::Timeout}}};
  counts.note(events);
  ASSERT_EQ(counts.by_kind().size(), 2u);
  EXPECT_EQ(counts.by_kind()[0].number, 104u);
  EXPECT_EQ(counts.by_kind()[0].total_us, 12u);
  EXPECT_EQ(counts.by_user()[0].number, 1000u);
  EXPECT_EQ(counts.jobs().submitted, 1u);
  EXPECT_EQ(counts.jobs().failed, 1u);
  counts.reset({9});
  EXPECT_TRUE(counts.by_kind().empty());
  EXPECT_EQ(counts.since(), Instant{9});
}

}  // namespace
}  // namespace ym
