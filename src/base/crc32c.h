// SPDX-License-Identifier: Apache-2.0
// CRC32C (Castagnoli, RFC 3720 appendix B.4): the checksum of journals and of files on their way.
#pragma once
#include <cstdint>
#include <string_view>

namespace ym {

// Of `bytes`, or of what came before and `bytes` if `before` is the checksum of that. The
// processor's instruction where there is one (SSE 4.2), a table otherwise; both give the same
// numbers.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// The fall-back alone, so that a test can hold the two against each other.
std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before = 0);

}  // namespace ym
