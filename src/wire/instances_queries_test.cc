// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/apply.h"
#include "model/history.h"
#include "wire/codec.h"
#include "wire/messages.h"
#include "wire/snapshot.h"

namespace ym::wire {
namespace {

TEST(Queries, AnAnswerNamesItsSpecsByTheirPlace) {
  JobRows rows;
  rows.specs.push_back({.name = "a", .user_name = "ada"});
  JobRow row;
  row.job.id = {7};
  row.spec_place = 1;
  row.node_count = 3;
  rows.rows.push_back(row);
  auto back = decode<JobRows>(encode(rows));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->specs[0].name, "a");
  EXPECT_EQ(back->rows[0].spec_place, 1u);
  EXPECT_EQ(back->rows[0].node_count, 3u);
}

TEST(Queries, TriggersAndCrontabsSurviveASnapshot) {
  State state;
  Trigger trigger{.id = {4},
                  .uid = {1000},
                  .user_name = "ada",
                  .event = TriggerEvent::JobTime,
                  .job = {7},
                  .offset_s = -60,
                  .permanent = true,
                  .program = "/bin/true"};
  Crontab crontab{.uid = {1000}, .user_name = "ada", .text = "@daily /bin/true\n", .jobs = {{7}}};
  apply(state, {.seq = {1}, .at = {5}, .body = TriggerSet{trigger}});
  apply(state, {.seq = {2}, .at = {5}, .body = CrontabSet{crontab}});
  SnapshotReader reader;
  ASSERT_TRUE(write_snapshot(state, [&](std::string_view chunk) { return !!reader.add(chunk); }));
  auto back = reader.finish();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->triggers.at(4), trigger);
  EXPECT_EQ(back->next_trigger_id, 5u);
  EXPECT_EQ(back->crontabs->at({1000}), crontab);
  EXPECT_EQ(hash_of(*back), hash_of(state));

  apply(*back, {.seq = {3}, .at = {6}, .body = TriggerCleared{.trigger = {4}}});
  crontab.text.clear();
  apply(*back, {.seq = {4}, .at = {6}, .body = CrontabSet{crontab}});
  EXPECT_TRUE(back->triggers.empty());
  EXPECT_TRUE(back->crontabs->empty());
}

}  // namespace
}  // namespace ym::wire
