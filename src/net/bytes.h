// SPDX-License-Identifier: Apache-2.0
// Little-endian numbers in bytes.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

namespace ym {

static_assert(std::endian::native == std::endian::little, "add byte swaps here first");

inline void store_u16(char* at, std::uint16_t v) { std::memcpy(at, &v, sizeof v); }
inline void store_u32(char* at, std::uint32_t v) { std::memcpy(at, &v, sizeof v); }
inline void store_u64(char* at, std::uint64_t v) { std::memcpy(at, &v, sizeof v); }

template <class T>
T load_number(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
inline std::uint16_t load_u16(const char* at) { return load_number<std::uint16_t>(at); }
inline std::uint32_t load_u32(const char* at) { return load_number<std::uint32_t>(at); }
inline std::uint64_t load_u64(const char* at) { return load_number<std::uint64_t>(at); }

}  // namespace ym
