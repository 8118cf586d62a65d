// SPDX-License-Identifier: Apache-2.0
#include "net/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string framed(std::initializer_list<Frame> frames) {
  std::string bytes;
  for (const Frame& frame : frames) append_frame(bytes, frame.header, frame.payload);
  return bytes;
}

TEST(Frame, HasTheDocumentedBytes) {
  EXPECT_EQ(framed({{{.type = 0x0102, .flags = 0x0304, .correlation = 0x0506}, "ab"}}),
            std::string("\x02\0\0\0\x02\x01\x04\x03\x06\x05\0\0\0\0\0\0ab", 18));
}

TEST(FrameReader, FindsTheSameFramesHoweverTheBytesAreCut) {
  const std::vector<Frame> sent{{{.type = 16, .correlation = 1}, ""},
                                {{.type = 17, .flags = 3, .correlation = 2}, "hello"},
                                {{.type = 18, .correlation = 3}, std::string(5000, 'x')},
                                {{.type = 19}, "end"}};
  std::string bytes = framed({sent[0], sent[1], sent[2], sent[3]});
  Prng prng(7);
  for (int round = 0; round < 200; ++round) {
    FrameReader reader;
    std::vector<Frame> got;
    for (std::size_t at = 0; at < bytes.size();) {
      std::size_t n = 1 + prng.below(round % 2 ? 8 : 4000);
      ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(at, n), got));
      at += n;
    }
    EXPECT_EQ(got, sent);
    EXPECT_FALSE(reader.in_frame());
  }
}

TEST(FrameReader, RefusesAFrameAboveItsLimitForGoodButGivesWhatCameBefore) {
  FrameReader reader(4);
  std::vector<Frame> got;
  Status fed = reader.feed(framed({{{.type = 16}, "1234"}, {{.type = 17}, "12345"}}), got);
  ASSERT_FALSE(fed);
  EXPECT_THAT(fed.error().text, HasSubstr("5 bytes is above the limit of 4"));
  EXPECT_THAT(got, ElementsAre(Frame{{.type = 16}, "1234"}));
  got.clear();
  EXPECT_FALSE(reader.feed(framed({{{.type = 16}, "1"}}), got));
  EXPECT_THAT(got, IsEmpty());
}

TEST(FrameReader, GivesBackTheUnfinishedFrameByteForByte) {
  std::string bytes = framed(
      {{{.type = 16, .correlation = 9}, "whole"}, {{.type = 17, .correlation = 8}, "unfinished"}});
  std::size_t first = kFrameHeaderSize + 5;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    FrameReader reader;
    std::vector<Frame> got;
    ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(0, cut), got));
    EXPECT_EQ(reader.residual(),
              bytes.substr(got.empty() ? 0 : first, got.empty() ? cut : cut - first));
  }
}

TEST(FrameError, CarriesCodeAndText) {
  Error error{.code = 2017, .text = "Invalid job id specified"};
  EXPECT_EQ(decode_error(encode_error(error)), error);
  EXPECT_THAT(decode_error("xx").text, HasSubstr("without a reason"));
}

}  // namespace
}  // namespace ym
