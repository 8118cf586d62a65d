// SPDX-License-Identifier: Apache-2.0
// TaskOutput, the message that carries gigabytes, without copying its data: written around bytes
// that were read into place, and read as a view. The bytes are those of the codec.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "model/step_messages.h"

namespace ym::wire {

// Valid as long as the bytes that it was read from.
struct OutputView {
  std::uint32_t task = 0;
  StreamKind stream = StreamKind::Stdout;
  std::string_view data;
  bool end = false;
};
Result<OutputView> view_output(std::string_view payload);

// One message with data being put together in `room`.
class OutputInPlace {
 public:
  // REQUIRES: room.size() > kHeadMax.
  static constexpr std::size_t kHeadMax = 16;
  static constexpr std::size_t kDataMax = (1 << 21) - 1;  // what three bytes of length can say
  OutputInPlace(std::span<char> room, std::uint32_t task, StreamKind stream);
  // Where the data goes.
  std::span<char> data() const;
  // So much of it has come. The size of the whole message, which begins where `room` does.
  // REQUIRES: 0 < size <= data().size().
  std::size_t finish(std::size_t size);

 private:
  std::span<char> room_;
  std::size_t head_ = 0;  // bytes before the length
};

}  // namespace ym::wire
