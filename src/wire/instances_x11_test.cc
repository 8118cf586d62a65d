// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wire/codec.h"
#include "wire/messages.h"

namespace ym::wire {
namespace {

TEST(X11Messages, SurviveTheirJourney) {
  X11Data data{.channel = 7, .data = std::string("\0x", 2), .taken = 9, .end = true};
  auto back = decode<X11Data>(encode(data));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->channel, 7u);
  EXPECT_EQ(back->data, data.data);
  EXPECT_EQ(back->taken, 9u);
  EXPECT_TRUE(back->end);
  auto opened = decode<X11Opened>(encode(X11Opened{.node = "n1", .display = 20, .error = "no"}));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->display, 20u);
  EXPECT_EQ(opened->error, "no");
  auto open = decode<OpenX11>(encode(OpenX11{.credential = "c", .signature = "s", .cookie = "k"}));
  ASSERT_TRUE(open);
  EXPECT_EQ(open->cookie, "k");
}

}  // namespace
}  // namespace ym::wire
