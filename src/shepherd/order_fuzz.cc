// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shepherd/order.h"
#include "wire/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ym::wire::decode<ym::ShepherdOrder>(bytes);
  (void)ym::wire::decode<ym::ShepherdResult>(bytes);
  (void)ym::wire::decode<ym::StartedMark>(bytes);
  (void)ym::wire::decode<ym::ControlPacket>(bytes);
  (void)ym::wire::decode<ym::ShepherdMemory>(bytes);
  return 0;
}
