// SPDX-License-Identifier: Apache-2.0
#include "x11/xauthority.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/files.h"
#include "x11/cookie.h"

namespace ym {
namespace {

constexpr std::uint16_t kLocal = 256, kInternet = 0, kWild = 65535;

XauthEntry cookie(std::uint16_t family, std::string address, std::string number, std::string data) {
  return {.family = family,
          .address = std::move(address),
          .number = std::move(number),
          .name = std::string(kCookieName),
          .data = std::move(data)};
}

TEST(Xauthority, WhatIsPrintedIsReadBack) {
  std::vector<XauthEntry> entries = {cookie(kLocal, "desk", "0", "secret"),
                                     cookie(kInternet, "\x7f\1\2\3", "10", std::string(16, '\0'))};
  std::string bytes = print_xauthority(entries);
  EXPECT_EQ(bytes.substr(0, 11), std::string("\1\0\0\4desk\0\1"
                                             "0",
                                             11));
  EXPECT_EQ(*parse_xauthority(bytes), entries);
  EXPECT_TRUE(parse_xauthority("")->empty());
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    auto parsed = parse_xauthority(bytes.substr(0, cut));
    EXPECT_TRUE(!parsed || parsed->size() == 1) << cut;
  }
}

TEST(Xauthority, ACookieIsFoundAsClientsFindIt) {
  std::vector<XauthEntry> entries = {
      cookie(kLocal, "other", "0", "no"), cookie(kLocal, "desk", "1", "one"),
      cookie(kLocal, "desk", "0", "zero"), cookie(kInternet, "\x0a\1\2\3", "10", "far")};
  XauthPlace here{.host = "desk"};
  EXPECT_EQ(*find_cookie(entries, {.number = 0}, here), "zero");
  EXPECT_EQ(*find_cookie(entries, {.host = "localhost", .number = 1}, here), "one");
  EXPECT_EQ(*find_cookie(entries, {.host = "far", .number = 10},
                         {.host = "desk", .address = "\x0a\1\2\3"}),
            "far");
  EXPECT_FALSE(find_cookie(entries, {.number = 10}, here));
  entries.push_back(cookie(kWild, "", "", "any"));
  EXPECT_EQ(*find_cookie(entries, {.number = 10}, here), "any");
  entries.back().name = "XDM-AUTHORIZATION-1";
  EXPECT_FALSE(find_cookie(entries, {.number = 10}, here));
}

TEST(Xauthority, AFileKeepsWhatOthersWroteIntoIt) {
  std::string path = ::testing::TempDir() + "/xauthority" + std::to_string(::getpid());
  ASSERT_TRUE(write_file(path, print_xauthority({cookie(kLocal, "desk", "0", "mine")})));
  ASSERT_TRUE(set_cookie(path, "node", 20, "first"));
  ASSERT_TRUE(set_cookie(path, "node", 20, "second"));
  auto entries = parse_xauthority(*read_file(path));
  EXPECT_EQ(*entries, (std::vector{cookie(kLocal, "desk", "0", "mine"),
                                   cookie(kLocal, "node", "20", "second")}));
  ASSERT_TRUE(set_cookie(path, "node", 20, ""));
  EXPECT_EQ(*parse_xauthority(*read_file(path)),
            (std::vector{cookie(kLocal, "desk", "0", "mine")}));
  EXPECT_NE(::access((path + "-l").c_str(), F_OK), 0);
  EXPECT_NE(::access((path + "-c").c_str(), F_OK), 0);
  ::unlink(path.c_str());
}

TEST(Xauthority, CookiesTravelAsText) {
  EXPECT_EQ(hex_of_bytes(std::string("\0\x1f\xff", 3)), "001fff");
  EXPECT_EQ(*bytes_of_hex("001fff"), std::string("\0\x1f\xff", 3));
  EXPECT_FALSE(bytes_of_hex("001"));
  EXPECT_FALSE(bytes_of_hex("zz"));
  EXPECT_EQ(new_cookie().size(), kCookieBytes);
  EXPECT_NE(new_cookie(), new_cookie());
}

}  // namespace
}  // namespace ym
