// SPDX-License-Identifier: Apache-2.0
#include "x11/display.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Display, ANameIsHostNumberAndScreen) {
  EXPECT_EQ(*parse_display(":0"), (DisplayName{.host = "", .number = 0, .screen = 0}));
  EXPECT_EQ(*parse_display("unix:1.2"), (DisplayName{.host = "", .number = 1, .screen = 2}));
  EXPECT_EQ(*parse_display("localhost:10.0"), (DisplayName{.host = "localhost", .number = 10}));
  EXPECT_EQ(*parse_display("[fe80::1]:3"), (DisplayName{.host = "fe80::1", .number = 3}));
  EXPECT_EQ(*parse_display("/private/tmp/org.x:0"), (DisplayName{.host = "", .number = 0}));
  for (const char* bad : {"", "host", ":", ":x", ":0.", ":0.x", ":99999", "a:1:"})
    EXPECT_FALSE(parse_display(bad)) << bad;
}

TEST(Display, AServerListensOnASocketHereAndOnAPortElsewhere) {
  EXPECT_EQ(address_of({.host = "", .number = 7}).path, "/tmp/.X11-unix/X7");
  Address far = address_of({.host = "desk", .number = 10});
  EXPECT_EQ(far.host, "desk");
  EXPECT_EQ(far.port, 6010);
}

}  // namespace
}  // namespace ym
