// SPDX-License-Identifier: Apache-2.0
#include "shepherd/listeners.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ym {
namespace {

struct Line {
  Fd ours, theirs;
  Line() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
  std::vector<Frame> read() {
    std::vector<Frame> frames;
    FrameReader reader;
    char buffer[65536];
    for (ssize_t got; (got = ::recv(ours.get(), buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
      EXPECT_TRUE(reader.feed({buffer, static_cast<std::size_t>(got)}, frames));
    return frames;
  }
};

TEST(Listeners, HearWhatIsSaidFromNowOn) {
  Listeners listeners;
  listeners.output(0, StreamKind::Stdout, "before", false);
  Line all, one;
  listeners.add(std::move(all.theirs), {}, {.node = "n1"}, {});
  listeners.add(std::move(one.theirs), {.task = 1}, {.node = "n1"}, {});
  listeners.output(0, StreamKind::Stdout, "a", false);
  listeners.output(1, StreamKind::Stderr, "b", false);
  auto heard = all.read();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(wire::decode<StepAttached>(heard[0].payload).value().node, "n1");
  EXPECT_EQ(wire::decode<TaskOutput>(heard[1].payload).value().data, "a");
  heard = one.read();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(wire::decode<TaskOutput>(heard[1].payload).value().data, "b");
}

TEST(Listeners, OneThatDoesNotReadIsCutOff) {
  Listeners listeners;
  Line line;
  listeners.add(std::move(line.theirs), {}, {}, {});
  std::string much(200'000, 'x');
  for (int n = 0; n < 20; ++n) listeners.output(0, StreamKind::Stdout, much, false);
  listeners.sweep();
  EXPECT_EQ(listeners.size(), 0u);
}

TEST(Listeners, SendInputOnlyIfTheyMay) {
  Listeners listeners;
  Line may, may_not;
  std::string bytes;
  append_frame(bytes, {.type = wire::message_number<TaskInput>}, "anything");
  listeners.add(std::move(may.theirs), {.input = true}, {}, bytes);
  listeners.add(std::move(may_not.theirs), {.input = false}, {}, bytes);
  ASSERT_EQ(::write(may.ours.get(), bytes.data(), bytes.size()), ssize_t(bytes.size()));
  EXPECT_EQ(listeners.serve(0).size(), 2u);
  EXPECT_EQ(listeners.serve(1).size(), 0u);
}

TEST(Listeners, AreBounded) {
  Listeners listeners;
  std::vector<Line> lines(kListenersMax + 1);
  for (Line& line : lines) listeners.add(std::move(line.theirs), {}, {}, {});
  EXPECT_EQ(listeners.size(), kListenersMax);
  auto last = lines.back().read();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_NE(wire::decode<StepOver>(last[0].payload).value().error, "");
}

}  // namespace
}  // namespace ym
