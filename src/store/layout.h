// SPDX-License-Identifier: Apache-2.0
// Fixed-width little-endian numbers in byte buffers, and the 16 bytes with which every file of this
// room begins.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym::layout {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

constexpr std::size_t padded(std::size_t length) { return (length + 7) & ~std::size_t{7}; }

// Magic (8), version (4), CRC32C of these 12 bytes (4). DO NOT CHANGE in any version: it is how an
// older program recognises a file of a newer one and says so, rather than calling it damaged.
inline constexpr std::size_t kPreambleBytes = 16;
void put_preamble(std::string& bytes, std::string_view magic, std::uint32_t version);
// kFuture if the file is sound but newer than `version_max`; kCorrupt if it is not sound. Texts
// lack the file's name.
Status check_preamble(std::string_view bytes, std::string_view magic, std::uint32_t version_max);

}  // namespace ym::layout
