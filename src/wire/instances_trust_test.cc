// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wire/codec.h"
#include "wire/messages.h"

namespace ym::wire {
namespace {

TEST(TrustMessages, SurviveTheirJourney) {
  auto wish =
      decode<RequestCertificate>(encode(RequestCertificate{.node = "n1", .request = "pem"}));
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->node, "n1");
  EXPECT_EQ(wish->request, "pem");
  auto news = decode<TrustNews>(encode(TrustNews{.authority = "ca", .revoked = {"a1", "b2"}}));
  ASSERT_TRUE(news);
  EXPECT_EQ(news->authority, "ca");
  EXPECT_EQ(news->revoked, (std::vector<std::string>{"a1", "b2"}));
  auto joined = decode<Joined>(encode(Joined{.key = std::string("\0k", 2), .jwks = "{}"}));
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->key, std::string("\0k", 2));
  Certificates all{.rows = {{.name = "n1", .serial = "a1", .until = {5}, .revoked = true}},
                   .blocked = {"n2"}};
  auto back = decode<Certificates>(encode(all));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->rows.size(), 1u);
  EXPECT_EQ(back->rows[0].serial, "a1");
  EXPECT_EQ(back->rows[0].until, Instant{5});
  EXPECT_TRUE(back->rows[0].revoked);
  EXPECT_EQ(back->blocked, all.blocked);
}

}  // namespace
}  // namespace ym::wire
