// SPDX-License-Identifier: Apache-2.0
// The first two bytes are a message's number, the rest is the message: every kind there is. What is
// accepted must encode and decode to itself. The seeds are the golden files.
#include <cstdlib>
#include <cstring>

#include "wire/codec.h"
#include "wire/every_message.h"
#include "wire/round_trip_for_fuzz.h"

namespace {

using ym::wire::message_number;
using ym::wire::round_trip;

template <class... Ts>
void try_as(std::uint16_t number, std::string_view bytes, ym::wire::MessageList<Ts...>) {
  bool known = ((number == message_number<Ts> && (round_trip<Ts>(bytes), true)) || ...);
  if (!known) round_trip<ym::Event>(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint16_t number = 0;
  if (size < sizeof number) return 0;
  std::memcpy(&number, data, sizeof number);
  try_as(number, {reinterpret_cast<const char*>(data) + sizeof number, size - sizeof number},
         ym::wire::EveryMessage{});
  return 0;
}
