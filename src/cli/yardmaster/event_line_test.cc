// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/event_line.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

constexpr Instant kThen{1'794'777'855'000};

Event event_of(std::uint64_t seq, EventBody body) {
  return {.seq = {seq}, .at = kThen, .body = std::move(body)};
}

TEST(EventLines, ALineHasNumberTimeNameAndWhatBelongsToIt) {
  FixedOffset utc;
  EventLines lines(utc);
  lines.know_node({1}, "n1");
  lines.know_node({2}, "n2");
  lines.know_partition({1}, "debug");
  Allocation allocation;
  allocation.nodes.push_back({.node = {1}});
  allocation.nodes.push_back({.node = {2}});
  std::string line = lines.line(event_of(
      17, JobStarted{.job = {3}, .partition = {1}, .allocation = Ref<Allocation>(allocation)}));
  EXPECT_TRUE(
      line.starts_with("17 2026-11-15T21:24:15 JobStarted job=3 partition=debug nodes=n[1-2]"))
      << line;
}

TEST(EventLines, NamesAreLearntFromTheEventsThemselves) {
  FixedOffset utc;
  EventLines lines(utc);
  EXPECT_TRUE(lines.line(event_of(1, NodeResponded{.node = {1}})).ends_with("node=#1"));
  NodesDefined defined;
  defined.nodes.push_back({.node = {1}, .spec = Ref<NodeSpec>(NodeSpec{.name = "n1"})});
  EXPECT_TRUE(lines.line(event_of(2, defined)).ends_with("NodesDefined nodes=n1"));
  EXPECT_TRUE(lines.line(event_of(3, NodeResponded{.node = {1}})).ends_with("node=n1"));
}

TEST(EventLines, TextsThatUsersChoseCannotHarmATerminal) {
  FixedOffset utc;
  EventLines lines(utc);
  std::string line =
      lines.line(event_of(4, NodeStateChanged{.node = {1}, .reason = "a b\x1b[31m\n"}));
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("reason=\"a b"), std::string::npos) << line;
}

}  // namespace
}  // namespace ym::cli
