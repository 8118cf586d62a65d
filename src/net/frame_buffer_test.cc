// SPDX-License-Identifier: Apache-2.0
#include "net/frame_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/prng.h"

namespace ym {
namespace {

TEST(FrameBuffer, FindsWhatWasFramedHoweverItWasCut) {
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    Prng chance(seed);
    std::string bytes;
    std::vector<std::string> said;
    for (int n = 0; n < 30; ++n) {
      said.emplace_back(chance.below(chance.chance(1, 5) ? 600'000 : 300), char('a' + n % 26));
      append_frame(bytes, {.type = 20, .correlation = said.size()}, said.back());
    }
    FrameBuffer buffer;
    std::size_t seen = 0;
    for (std::string_view rest = bytes; !rest.empty();) {
      auto room = buffer.room();
      ASSERT_FALSE(room.empty());
      std::size_t n = std::min({room.size(), rest.size(), 1 + chance.below(200'000)});
      std::memcpy(room.data(), rest.data(), n);
      buffer.filled(n);
      rest.remove_prefix(n);
      for (;;) {
        auto frame = buffer.next().value();
        if (!frame) break;
        ASSERT_LT(seen, said.size());
        EXPECT_EQ(frame->header.correlation, seen + 1);
        ASSERT_EQ(frame->payload, said[seen++]);
      }
    }
    EXPECT_EQ(seen, said.size());
  }
}

TEST(FrameBuffer, RefusesAFrameAboveTheLimit) {
  FrameBuffer buffer(100);
  std::string bytes;
  append_frame(bytes, {.type = 20}, std::string(101, 'x'));
  buffer.feed(bytes);
  EXPECT_FALSE(buffer.next());
}

TEST(FrameBuffer, AClearedOneBeginsAfresh) {
  FrameBuffer buffer;
  buffer.feed("half a frame");
  buffer.clear();
  std::string bytes;
  append_frame(bytes, {.type = 20}, "whole");
  buffer.feed(bytes);
  EXPECT_EQ(buffer.next().value()->payload, "whole");
}

}  // namespace
}  // namespace ym
