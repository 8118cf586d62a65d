// SPDX-License-Identifier: Apache-2.0
#include "wire/task_output.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "wire/codec.h"

namespace ym::wire {
namespace {

TEST(TaskOutputInPlace, HasTheBytesOfTheCodec) {
  for (std::uint32_t task : {0u, 1u, 127u, 128u, 70'000u, 0xffffffffu}) {
    for (StreamKind stream : {StreamKind::Stdout, StreamKind::Stderr}) {
      for (std::size_t size : {1u, 127u, 128u, 16'383u, 16'384u, 120'000u}) {
        std::string data(size, 'x');
        data.back() = 'y';
        std::string room(130'000, '\0');
        OutputInPlace output(room, task, stream);
        ASSERT_GE(output.data().size(), size);
        std::memcpy(output.data().data(), data.data(), size);
        room.resize(output.finish(size));
        ASSERT_EQ(room, encode(TaskOutput{.task = task, .stream = stream, .data = data}));
      }
    }
  }
}

TEST(TaskOutputView, ReadsWhatTheCodecWrites) {
  std::string bytes =
      encode(TaskOutput{.task = 7, .stream = StreamKind::Stderr, .data = "hello", .end = true});
  OutputView view = view_output(bytes).value();
  EXPECT_EQ(view.task, 7u);
  EXPECT_EQ(view.stream, StreamKind::Stderr);
  EXPECT_EQ(view.data, "hello");
  EXPECT_TRUE(view.end);
  EXPECT_EQ(view_output(encode(TaskOutput{.task = 3})).value().stream, StreamKind::Stdout);
}

TEST(TaskOutputView, RefusesWhatTheCodecRefuses) {
  std::string bytes = encode(TaskOutput{.task = 7, .data = "hello"});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    auto part = std::string_view(bytes).substr(0, cut);
    EXPECT_EQ(view_output(part).has_value(), decode<TaskOutput>(part).has_value()) << cut;
  }
  EXPECT_FALSE(view_output("\x10\x09"));  // no such stream
}

}  // namespace
}  // namespace ym::wire
