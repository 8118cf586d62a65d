// SPDX-License-Identifier: Apache-2.0
#include "bcast/compress.h"

#include <lz4.h>

namespace ym {

std::string compress(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > kCompressMax) return {};
  std::string out(bytes.size(), '\0');
  int size = ::LZ4_compress_default(bytes.data(), out.data(), static_cast<int>(bytes.size()),
                                    static_cast<int>(out.size()));
  out.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return out;
}

Result<std::string> decompress(std::string_view bytes, std::size_t raw_size) {
  if (raw_size > kCompressMax || bytes.size() > kCompressMax)
    return fail("a compressed piece is too large");
  std::string out(raw_size, '\0');
  int size = ::LZ4_decompress_safe(bytes.data(), out.data(), static_cast<int>(bytes.size()),
                                   static_cast<int>(raw_size));
  if (size < 0 || static_cast<std::size_t>(size) != raw_size)
    return fail("a compressed piece is damaged");
  return out;
}

}  // namespace ym
