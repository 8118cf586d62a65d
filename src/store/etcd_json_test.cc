// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_json.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(EtcdJson, ReadsWhatEtcdAnswers) {
  auto read = parse_json(
      R"({"header":{"revision":"42"},"kvs":[{"key":"YQ==","mod_revision":"7"},{}],"more":true})"
      "\n{}");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->value.at("header").at("revision").number(), 42u);
  ASSERT_EQ(read->value.at("kvs").items.size(), 2u);
  EXPECT_EQ(read->value.at("kvs").items[0].at("key").text, "YQ==");
  EXPECT_TRUE(read->value.at("more").is_true());
  EXPECT_EQ(read->value.at("none").at("at").at("all").number(), 0u);
  EXPECT_EQ(parse_json(R"({"e":"a\"b\\\n\u0041\u20ac"})")->value.at("e").text, "a\"b\\\nA?");
}

TEST(EtcdJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,", "{\"a\"}", "{\"a\":}", "{1:2}", "\"x", "\"\\q\"", "[}"})
    EXPECT_FALSE(parse_json(text)) << text;
  EXPECT_FALSE(parse_json(std::string(100, '[')));
}

TEST(EtcdJson, Base64GoesThereAndBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(*from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 37);
  }
  EXPECT_EQ(to_base64("ab"), "YWI=");
  for (const char* text : {"a", "ab=c", "a===", "YW!="}) EXPECT_FALSE(from_base64(text)) << text;
}

}  // namespace
}  // namespace ym
