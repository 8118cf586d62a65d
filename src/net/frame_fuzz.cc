// SPDX-License-Identifier: Apache-2.0
// However the bytes are cut, the frames are the same, and nothing is lost: frames and residual make
// the input again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::uint32_t kMax = 1024;
  ym::FrameReader at_once(kMax), in_pieces(kMax);
  std::vector<ym::Frame> whole, pieces;
  bool good = at_once.feed(bytes, whole).has_value();
  bool good_pieces = true;
  for (std::size_t at = 0, step = 1; at < size && good_pieces; at += step, step = step % 7 + 1)
    good_pieces = in_pieces.feed(bytes.substr(at, step), pieces).has_value();
  YM_CHECK(good == good_pieces);
  YM_CHECK(whole == pieces);
  if (!good) return 0;
  std::string again;
  for (const ym::Frame& frame : whole) ym::append_frame(again, frame.header, frame.payload);
  again += at_once.residual();
  YM_CHECK(again == bytes);
  return 0;
}
