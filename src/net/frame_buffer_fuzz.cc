// SPDX-License-Identifier: Apache-2.0
// The two readers of frames agree, whatever the pieces in which the bytes come.
#include "base/check.h"
#include "net/frame_buffer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr std::uint32_t kMax = 1000;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  size_t step = 1 + data[0];
  ym::FrameReader reader(kMax);
  ym::FrameBuffer buffer(kMax);
  std::vector<ym::Frame> frames;
  bool fed = true;
  for (size_t at = 0; at < bytes.size() && fed; at += step) {
    fed = reader.feed(bytes.substr(at, step), frames).has_value();
    buffer.feed(bytes.substr(at, step));
    for (;;) {
      auto view = buffer.next();
      if (!view) {
        YM_CHECK(!fed);
        YM_CHECK(frames.empty());
        return 0;
      }
      if (!*view) break;
      YM_CHECK(!frames.empty());
      YM_CHECK(frames.front().header == (*view)->header);
      YM_CHECK(frames.front().payload == (*view)->payload);
      frames.erase(frames.begin());
    }
    YM_CHECK(frames.empty());
  }
  YM_CHECK(fed);
  return 0;
}
