// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

// The body, whatever the pieces in which the bytes come.
void expect_body(const std::string& bytes, const std::string& body) {
  for (std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    HttpAnswer answer;
    bool whole = false;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      ASSERT_FALSE(whole);
      auto fed = answer.feed(std::string_view(bytes).substr(at, piece));
      ASSERT_TRUE(fed) << fed.error().text;
      whole = *fed;
    }
    EXPECT_TRUE(whole);
    EXPECT_EQ(answer.take_body(), body);
  }
}

TEST(HttpAnswer, HasALengthOrComesInChunks) {
  expect_body("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello");
  expect_body("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "");
  expect_body(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n"
      "\r\n",
      "abc0123456789");
}

TEST(HttpAnswer, WhatIsNoHttpIsRefused) {
  for (const char* text : {"SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
                           "HTTP/1.1 abc OK\r\nContent-Length: 1\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    HttpAnswer answer;
    EXPECT_FALSE(answer.feed(text)) << text;
  }
  HttpAnswer endless;
  EXPECT_FALSE(endless.feed(std::string(HttpAnswer::kHeadMax + 1, 'a')));
}

TEST(HttpClient, NeedsServersWithAPort) {
  EXPECT_TRUE(HttpClient::create({"127.0.0.1:2379", "localhost"}, Duration(100)));
  EXPECT_FALSE(HttpClient::create({}, Duration(100)));
  EXPECT_FALSE(HttpClient::create({"/a/socket"}, Duration(100)));
}

TEST(HttpClient, SaysWhichServerDoesNotAnswer) {
  auto client = HttpClient::create({"127.0.0.1:1"}, Duration(500));
  auto answer = client->post("/", "{}");
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text.find("127.0.0.1:1"), std::string::npos) << answer.error().text;
}

}  // namespace
}  // namespace ym
