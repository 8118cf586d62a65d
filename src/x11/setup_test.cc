// SPDX-License-Identifier: Apache-2.0
#include "x11/setup.h"

#include <gtest/gtest.h>

#include "x11/xauthority.h"

namespace ym {
namespace {

std::string first_words(char order, std::string_view name, std::string_view data) {
  auto number = [&](std::size_t value) {
    char high = static_cast<char>(value >> 8), low = static_cast<char>(value & 0xff);
    return order == 'B' ? std::string{high, low} : std::string{low, high};
  };
  auto padded = [](std::string_view text) {
    std::string out(text);
    out.resize((out.size() + 3) / 4 * 4, '\0');
    return out;
  };
  return std::string{order, '\0'} + number(11) + number(0) + number(name.size()) +
         number(data.size()) + number(0) + padded(name) + padded(data);
}

TEST(Setup, TheJobsCookieBecomesTheDisplaysInEitherByteOrder) {
  for (char order : {'B', 'l'}) {
    SetupFilter filter("job's cookie 16b", "the display's own");
    std::string out;
    std::string said = first_words(order, kCookieName, "job's cookie 16b") + "more";
    for (char c : said) ASSERT_TRUE(filter.feed({&c, 1}, out));
    EXPECT_EQ(out, first_words(order, kCookieName, "the display's own") + "more");
    ASSERT_TRUE(filter.feed("later", out));
    EXPECT_TRUE(out.ends_with("morelater"));
  }
}

TEST(Setup, WhoDoesNotKnowTheCookieIsRefused) {
  std::string out;
  for (const std::string& said :
       {first_words('l', kCookieName, "another cookie!!"), first_words('l', kCookieName, ""),
        first_words('l', "", ""), first_words('B', "XDM-AUTHORIZATION-1", "job's cookie 16b"),
        std::string("GET / HTTP/1.1\r\n\r\n"), first_words('l', std::string(5000, 'x'), "")}) {
    SetupFilter filter("job's cookie 16b", "real");
    EXPECT_FALSE(filter.feed(said, out));
  }
  EXPECT_EQ(out, "");
}

TEST(Setup, ARefusalIsOneThatClientsUnderstand) {
  EXPECT_EQ(setup_refusal(false, "no you"), std::string("\0\6\x0b\0\0\0\2\0no you\0\0", 16));
  EXPECT_EQ(setup_refusal(true, "no"), std::string("\0\2\0\x0b\0\0\0\1no\0\0", 12));
}

}  // namespace
}  // namespace ym
