// SPDX-License-Identifier: Apache-2.0
#include "wire/task_output.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/check.h"
#include "wire/codec.h"
#include "wire/primitives.h"

namespace ym::wire {
namespace {

// The numbers of schema/step_messages.h; a test compares.
constexpr std::uint32_t kTask = 1, kStream = 2, kData = 3, kEnd = 4;
constexpr std::size_t kLengthMax = 3;

}  // namespace

Result<OutputView> view_output(std::string_view payload) {
  OutputView out;
  Reader in(payload);
  while (!in.done()) {
    std::uint64_t key = in.varint();
    auto type = static_cast<WireType>(key & 7);
    std::uint64_t number = key >> 3;
    if (number == kData && type == WireType::Bytes) {
      out.data = in.run();
    } else if ((number == kTask || number == kStream || number == kEnd) &&
               type == WireType::Varint) {
      std::uint64_t value = in.varint();
      if (number == kTask && value <= 0xffffffff)
        out.task = static_cast<std::uint32_t>(value);
      else if (number == kStream && value <= static_cast<std::uint8_t>(StreamKind::Stderr))
        out.stream = static_cast<StreamKind>(value);
      else if (number == kEnd && value <= 1)
        out.end = value == 1;
      else
        in.fail();
    } else if (number <= kEnd) {
      in.fail();
    } else {
      in.skip(type);
    }
  }
  if (in.failed()) return fail("a task's output cannot be read");
  return out;
}

OutputInPlace::OutputInPlace(std::span<char> room, std::uint32_t task, StreamKind stream)
    : room_(room) {
  std::string head;
  encode_to(head, TaskOutput{.task = task, .stream = stream});
  put_key(head, kData, WireType::Bytes);
  YM_CHECK(head.size() + kLengthMax <= kHeadMax);
  YM_CHECK(room.size() > kHeadMax);
  std::memcpy(room.data(), head.data(), head.size());
  head_ = head.size();
}

std::span<char> OutputInPlace::data() const {
  auto rest = room_.subspan(head_ + kLengthMax);
  return rest.first(std::min(rest.size(), kDataMax));
}

std::size_t OutputInPlace::finish(std::size_t size) {
  YM_CHECK(size > 0);
  YM_CHECK(size <= kDataMax);
  char* from = data().data();
  std::string length;
  put_varint(length, size);
  char* to = room_.data() + head_ + length.size();
  // Only for little data: much of it has a length of three bytes, and is in its place.
  if (to != from) std::memmove(to, from, size);
  std::memcpy(room_.data() + head_, length.data(), length.size());
  return head_ + length.size() + size;
}

}  // namespace ym::wire
