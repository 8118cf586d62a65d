// SPDX-License-Identifier: Apache-2.0
// Both sides' hellos from arbitrary bytes: no crash, the same verdict in one piece and byte by
// byte, bounded memory.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/handshake.h"

namespace {

void run(ym::HelloReader::Side side, std::string_view bytes) {
  ym::HelloReader at_once(side), in_pieces(side);
  ym::Result<bool> whole = at_once.feed(bytes);
  ym::Result<bool> pieces = false;
  std::size_t at = 0;
  while (at < bytes.size() && pieces && !*pieces) pieces = in_pieces.feed(bytes.substr(at++, 1));
  YM_CHECK(whole.has_value() == pieces.has_value());
  if (!whole || !*whole) return;
  YM_CHECK(*pieces);
  YM_CHECK(at_once.take_rest() == in_pieces.take_rest() + std::string(bytes.substr(at)));
  YM_CHECK(at_once.client().token == in_pieces.client().token);
  YM_CHECK(at_once.server().cluster == in_pieces.server().cluster);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  run(ym::HelloReader::Side::Client, bytes);
  run(ym::HelloReader::Side::Server, bytes);
  return 0;
}
