// SPDX-License-Identifier: Apache-2.0
#include "wire/codec.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "model/apply.h"
#include "wire/messages.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

SubmitJob a_submission() {
  SubmitJob submit;
  submit.spec = {
      .name = "train", .work_dir = "/home/ada", .partitions = "debug", .uid = {1000}, .tasks = 8};
  submit.spec.requeue = false;
  submit.spec.nice = -5;
  submit.spec.begin = Instant{1234567890123};
  submit.spec.extras = Ref(JobExtras{.comment = "", .arguments = {"a", "", "c"}});
  submit.script = std::string("#!/bin/sh\n\0\xff", 12);
  submit.array = "1-3";
  return submit;
}

TEST(Codec, AMessageComesBackAsItWent) {
  SubmitJob sent = a_submission();
  auto got = wire::decode<SubmitJob>(wire::encode(sent));
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->spec, sent.spec);
  EXPECT_EQ(got->script, sent.script);
  EXPECT_EQ(got->array, "1-3");
  EXPECT_EQ(got->priority, kNoPriority);
}

TEST(Codec, EqualSetsHaveEqualBytesHoweverTheyCameAbout) {
  ArrayTasks erased{.waiting = IndexSet::range(3, 5)};
  erased.waiting.erase(4);
  ArrayTasks parsed{.waiting = *IndexSet::parse("3-5:2")};
  Job a, b;
  a.array = Ref(erased);
  b.array = Ref(parsed);
  EXPECT_EQ(wire::encode(a), wire::encode(b));
}

TEST(Codec, AZeroIsKeptWhereTheDefaultIsNotZero) {
  JobSpec spec;
  spec.requeue = false;  // default true
  spec.tasks = 0;        // default 1
  auto got = wire::decode<JobSpec>(wire::encode(spec));
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, spec);
}

TEST(Codec, AnEmptyListBehindARefIsNotNoList) {
  Partition empty{.id = {1}, .spec = {}, .nodes = Ref(std::vector<NodeId>{})};
  auto got = wire::decode<Partition>(wire::encode(empty));
  ASSERT_TRUE(got);
  EXPECT_TRUE(static_cast<bool>(got->nodes));
  Job job;
  job.steps = Ref(std::vector<Step>{Step{.id = kBatchStep, .tasks = 2}, Step{.id = {0}}});
  auto job_got = wire::decode<Job>(wire::encode(job));
  ASSERT_TRUE(job_got) << job_got.error().text;
  EXPECT_EQ(*job_got, job);
}

// Golden bytes: what a release has written, every later one reads. Changing them needs a decision.
TEST(Codec, TheBytesOfAnEventAreFixed) {
  Event event{.seq = {7},
              .at = {1000},
              .body = JobFinished{.job = {12}, .state = JobState::Failed, .exit = {.code = 3}}};
  std::string bytes = wire::encode(event);
  EXPECT_EQ(bytes,
            std::string("\x08\x07\x10\xd0\x0f\xa2\x02\x08\x08\x0c\x10\x05\x22\x02\x08\x03", 16));
  auto got = wire::decode<Event>(bytes);
  ASSERT_TRUE(got);
  EXPECT_EQ(std::get<JobFinished>(got->body).exit.code, 3);
}

TEST(Codec, FieldsOfALaterReleaseAreSkipped) {
  std::string bytes = wire::encode(Done{.text = "hello"});
  bytes = std::string(
              "\xf8\x3f\x01\xfa\x3f\x03"
              "abc",
              9) +
          bytes;  // field 1023 as a number and as bytes
  auto got = wire::decode<Done>(bytes);
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(got->text, "hello");
}

TEST(Codec, AnEventOfALaterReleaseIsKnownAsSuch) {
  std::string bytes("\x08\x01\x10\x02\xba\x3e\x00", 7);  // body number 999
  auto got = wire::decode<Event>(bytes);
  ASSERT_TRUE(got);
  EXPECT_TRUE(std::holds_alternative<UnknownEvent>(got->body));
}

TEST(Codec, EveryTruncationIsRefusedOrReadAsLess) {
  std::string bytes = wire::encode(a_submission());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    auto got = wire::decode<SubmitJob>(std::string_view(bytes).substr(0, length));
    if (!got) EXPECT_NE(got.error().text.find("message cannot be read"), std::string::npos);
  }
}

TEST(Codec, AMessageCannotSwellOutOfProportion) {
  // Two bytes a row would be half a kilobyte each in memory.
  std::string bytes;
  for (int i = 0; i < 1'000'000; ++i) bytes += std::string("\x0a\x00", 2);
  EXPECT_FALSE(wire::decode<JobRows>(bytes));
}

TEST(Codec, WrongTypesAndOverlongNumbersAreRefused) {
  EXPECT_FALSE(wire::decode<Done>(std::string("\x08\x01", 2)));  // text as a number
  EXPECT_FALSE(
      wire::decode<TaskEnded>(std::string("\x12\x03\x08\x80\x02", 5)));  // 256 in eight bits
  EXPECT_FALSE(
      wire::decode<KillJob>(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11)));
}

TEST(Codec, JsonLeavesDefaultsOutAndEscapesBytes) {
  EXPECT_EQ(wire::to_json(Done{.text = "a\xff\n"}), R"({"text":"a\\xff\\x0a"})");
  Event event{.seq = {1}, .at = {5}, .body = JobFinished{.job = {2}, .state = JobState::Timeout}};
  EXPECT_EQ(wire::to_json(event), R"({"seq":1,"at":5,"body":{"job":2,"state":"TIMEOUT"}})");
}

TEST(Snapshot, AStateComesBackWithTheSameHash) {
  State state;
  std::uint64_t seq = 0;
  auto fold = [&](EventBody body) {
    apply(state, Event{{++seq}, Instant{static_cast<std::int64_t>(seq * 1000)}, std::move(body)});
  };
  fold(ClusterFounded{.name = "c"});
  NodesDefined nodes;
  for (std::uint32_t i = 1; i <= 100; ++i)
    nodes.nodes.push_back({NodeId{i}, Ref(NodeSpec{.name = "n" + std::to_string(i), .cpus = 4})});
  fold(nodes);
  fold(PartitionDefined{
      {1}, Ref(PartitionSpec{.name = "debug"}), Ref(std::vector<NodeId>{{1}, {2}})});
  for (std::uint32_t i = 1; i <= 5000; ++i)
    fold(JobSubmitted{
        .job = {i}, .sluid = {i}, .spec = Ref(JobSpec{.name = "j", .partitions = "debug"})});
  fold(JobStarted{.job = {3},
                  .partition = {1},
                  .allocation = Ref(Allocation{.nodes = {{.node = {1}, .cpus = 2}}})});
  wire::SnapshotReader reader;
  std::size_t chunks = 0;
  wire::write_snapshot(state, [&](std::string_view chunk) {
    EXPECT_TRUE(reader.add(chunk));
    return ++chunks > 0;
  });
  auto read = reader.finish();
  ASSERT_TRUE(read);
  EXPECT_GT(chunks, 1u);
  EXPECT_EQ(wire::hash_of(*read), wire::hash_of(state));
  EXPECT_EQ(read->find_node("n7")->id, NodeId{7});
  EXPECT_EQ(read->seq, state.seq);
}

// An array of four million elements is a few bytes of the log, whatever its elements do later.
TEST(Codec, AnArrayIsAsLongAsItsRuns) {
  auto bytes_of = [](IndexSet elements) {
    JobSubmitted submitted{.job = {1}, .spec = Ref(JobSpec{.name = "x"})};
    submitted.array = Ref(ArrayTasks{.waiting = std::move(elements), .max_running = 7});
    return wire::encode(Event{.seq = {1}, .at = {1}, .body = std::move(submitted)}).size();
  };
  std::size_t one = bytes_of(IndexSet::range(0, 0));
  EXPECT_LE(bytes_of(IndexSet::range(0, 3'999'999)), one + 16);
  EXPECT_LE(bytes_of(IndexSet::range(0, 3'999'998, 2)), one + 16);
}

}  // namespace
}  // namespace ym
