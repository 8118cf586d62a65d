// SPDX-License-Identifier: Apache-2.0
// Values to bytes and back, in protobuf's wire format (docs/decisions/0002).
//
// Each type that travels or is stored has one description (schema/*.h): its fields with number,
// name and member. From that one list come encoding, decoding and JSON. The rules of evolution are
// protobuf's: numbers are only ever added; a reader skips numbers it does not know; a field that is
// absent has its C++ default. A default, once released, does not change.
//
// The templates are instantiated in this room only, for the types listed in instances.h; everyone
// else pays nothing for including this header.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym::wire {

template <class T>
void encode_to(std::string& out, const T& value);

template <class T>
std::string encode(const T& value) {
  std::string out;
  encode_to(out, value);
  return out;
}

// Refuses truncated, overlong and wrongly typed input, and input whose decoded form would be out of
// all proportion to its size; says what is wrong and where. Never reads outside `bytes`.
template <class T>
Result<T> decode(std::string_view bytes);

// One line of JSON with the description's names; fields with their default value are left out.
template <class T>
std::string to_json(const T& value);

}  // namespace ym::wire
