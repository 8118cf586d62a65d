// SPDX-License-Identifier: Apache-2.0
#include "net/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::HasSubstr;

TEST(Handshake, AHelloArrivesWholeByteByByteAndLeavesTheRequestBehindIt) {
  std::string bytes = encode_client_hello({.versions = {2, 5}, .cluster = "emil", .token = "tok"});
  HelloReader reader(HelloReader::Side::Client);
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i)
    ASSERT_FALSE(reader.feed({&bytes[i], 1}).value());
  ASSERT_TRUE(reader.feed(bytes.substr(bytes.size() - 1) + "request").value());
  EXPECT_EQ(reader.client().versions, (VersionRange{2, 5}));
  EXPECT_EQ(reader.client().cluster, "emil");
  EXPECT_EQ(reader.client().token, "tok");
  EXPECT_EQ(reader.take_rest(), "request");
}

TEST(Handshake, AWelcomeTellsVersionAndCluster) {
  HelloReader reader(HelloReader::Side::Server);
  ASSERT_TRUE(reader.feed(encode_welcome({.version = 3, .cluster = "emil"})).value());
  EXPECT_EQ(reader.server().version, 3);
  EXPECT_EQ(reader.server().cluster, "emil");
}

TEST(Handshake, ARefusalIsAnErrorWithTheServersText) {
  HelloReader reader(HelloReader::Side::Server);
  auto fed = reader.feed(encode_refusal(kVersions, {.code = 7, .text = "go away"}));
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error(), (Error{7, "go away"}));
}

TEST(Handshake, TheHighestCommonVersionIsChosenAndTheOlderSideNamed) {
  EXPECT_EQ(choose_version({1, 4}, {2, 9}).value(), 4);
  EXPECT_EQ(choose_version({3, 8}, {1, 3}).value(), 3);
  auto old_client = choose_version({5, 6}, {1, 3});
  ASSERT_FALSE(old_client);
  EXPECT_THAT(old_client.error().text,
              HasSubstr("the server speaks 5 to 6, the client 1 to 3; upgrade the client"));
  EXPECT_THAT(choose_version({1, 1}, {2, 2}).error().text, HasSubstr("upgrade the server"));
}

TEST(Handshake, ForeignersAreToldSoAtTheFirstWrongByte) {
  auto refused = [](std::string_view bytes) {
    auto fed = HelloReader(HelloReader::Side::Client).feed(bytes);
    return fed ? std::string("accepted") : fed.error().text;
  };
  EXPECT_THAT(refused("GET / HTTP/1.1\r\n"),
              HasSubstr("not a Yardmaster connection: it begins with \"GET \""));
  EXPECT_THAT(refused("\x16\x03\x01"), HasSubstr("TLS"));
  EXPECT_THAT(refused(std::string_view("YMR1\2\0\1\0", 8)), HasSubstr("empty"));
  EXPECT_THAT(refused("YMX"), HasSubstr("begins with"));
}

TEST(Handshake, AHelloAboveTheLimitOrWithWrongLengthsIsRefused) {
  std::string huge = encode_client_hello({.cluster = "c"}).substr(0, kPreambleSize);
  append_frame(huge, {.type = 1}, std::string(kFrameMaxUnknown + 1, 'x'));
  auto fed = HelloReader(HelloReader::Side::Client).feed(huge.substr(0, 30));
  ASSERT_FALSE(fed) << "refused from its header alone";
  EXPECT_THAT(fed.error().text, HasSubstr("above the limit"));

  std::string damaged = huge.substr(0, kPreambleSize);
  append_frame(damaged, {.type = 1}, std::string_view("\x09\0abc", 5));
  EXPECT_THAT(HelloReader(HelloReader::Side::Client).feed(damaged).error().text,
              HasSubstr("damaged"));
}

TEST(Handshake, LaterReleasesMayAddToTheHello) {
  std::string bytes = encode_client_hello({}).substr(0, kPreambleSize);
  append_frame(bytes, {.type = 1}, std::string_view("\1\0c\1\0t and more", 15));
  HelloReader reader(HelloReader::Side::Client);
  ASSERT_TRUE(reader.feed(bytes).value());
  EXPECT_EQ(reader.client().cluster, "c");
}

}  // namespace
}  // namespace ym
