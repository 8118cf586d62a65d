// SPDX-License-Identifier: Apache-2.0
#include "daemon/driver/core.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "model/apply.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

constexpr Instant kNow{1'000'000'000};
const Caller kRoot{.uid = {0}, .gid = {0}, .user_name = "root", .administrator = true};

ClusterConfig one_node() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.nodes = {{.name = "n1"}};
  config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
  return config;
}

Core started(State known = {}) {
  Core core(Controller(one_node(), std::move(known)));
  EXPECT_TRUE(core.begin(one_node(), kNow));
  core.take_batch();
  return core;
}

// A trigger is something that a repetition would do twice; each is another one.
Request set_trigger(std::uint64_t id, std::uint64_t key, Caller caller = kRoot) {
  SetTrigger set;
  set.trigger.event = TriggerEvent::NodeDown;
  set.trigger.program = fmt::format("/bin/true {}", id);
  return {.id = RequestId{id}, .caller = std::move(caller), .command = set, .key = key};
}

void ask(Core& core, Request request, Instant now) { core.handle(Input(std::move(request)), now); }

std::uint32_t trigger_of(const Batch& batch) {
  const auto* added = batch.replies.size() == 1
                          ? std::get_if<TriggerAdded>(&batch.replies.front().answer)
                          : nullptr;
  return added ? added->trigger.value : 0;
}

TEST(Core, ARequestThatIsAskedAgainIsAnsweredAgainAndNotDoneAgain) {
  Core core = started();
  ask(core, set_trigger(1, 42), kNow);
  Batch first = core.take_batch();
  ASSERT_NE(trigger_of(first), 0u);
  ask(core, set_trigger(2, 42), kNow);
  Batch again = core.take_batch();
  EXPECT_EQ(trigger_of(again), trigger_of(first));
  EXPECT_EQ(again.replies.front().to, RequestId{2});
  EXPECT_TRUE(again.events.empty());
  EXPECT_EQ(core.state().triggers.size(), 1u);
}

TEST(Core, ASuccessorThatHasTheLogKnowsTheAnswer) {
  Core core = started();
  ask(core, set_trigger(1, 42), kNow);
  Batch first = core.take_batch();
  // By the log, and by a snapshot of the state.
  wire::SnapshotReader reader;
  wire::write_snapshot(core.state(),
                       [&](std::string_view chunk) { return reader.add(chunk).has_value(); });
  auto known = reader.finish();
  ASSERT_TRUE(known);
  Core next = started(std::move(*known));
  ask(next, set_trigger(7, 42), kNow);
  EXPECT_EQ(trigger_of(next.take_batch()), trigger_of(first));
  EXPECT_EQ(next.state().triggers.size(), 1u);
}

TEST(Core, NobodyIsToldWhatSomebodyElseWasAnswered) {
  Core core = started();
  ask(core, set_trigger(1, 42), kNow);
  std::uint32_t mine = trigger_of(core.take_batch());
  Caller other = kRoot;
  other.uid = {7};
  ask(core, set_trigger(2, 42, other), kNow);
  EXPECT_NE(trigger_of(core.take_batch()), mine);
}

TEST(Core, WithoutANumberARepetitionIsARequest) {
  Core core = started();
  ask(core, set_trigger(1, 0), kNow);
  ask(core, set_trigger(2, 0), kNow);
  EXPECT_EQ(core.state().triggers.size(), 2u);
  EXPECT_TRUE(core.state().answers.empty());
}

TEST(Core, ARefusalIsJudgedAgain) {
  Core core = started();
  Request request{.id = {1}, .caller = kRoot, .command = ClearTriggers{.trigger = {5}}, .key = 43};
  ask(core, request, kNow);
  Batch batch = core.take_batch();
  EXPECT_TRUE(std::holds_alternative<Failure>(batch.replies.front().answer));
  EXPECT_TRUE(core.state().answers.empty());
}

TEST(Core, OldAnswersAreForgotten) {
  Core core = started();
  ask(core, set_trigger(1, 42), kNow);
  Instant later = kNow + State::kAnswersKept + Duration(1);
  ask(core, set_trigger(2, 43), later);
  EXPECT_EQ(core.state().answers.size(), 1u);
  ask(core, set_trigger(3, 42), later);
  EXPECT_EQ(core.state().triggers.size(), 3u);
}

}  // namespace
}  // namespace ym
