// SPDX-License-Identifier: Apache-2.0
#include "store/layout.h"

#include "base/check.h"
#include "base/crc32c.h"
#include "base/format.h"
#include "store/errc.h"

namespace ym::layout {

void put_preamble(std::string& bytes, std::string_view magic, std::uint32_t version) {
  YM_CHECK(magic.size() == 8);
  YM_CHECK(bytes.size() >= kPreambleBytes);
  magic.copy(bytes.data(), 8);
  put<std::uint32_t>(bytes, 8, version);
  put<std::uint32_t>(bytes, 12, crc32c(std::string_view(bytes).substr(0, 12)));
}

Status check_preamble(std::string_view bytes, std::string_view magic, std::uint32_t version_max) {
  if (bytes.size() < kPreambleBytes) return fail(store_errc::kCorrupt, "is too short for a header");
  if (bytes.substr(0, 8) != magic) return fail(store_errc::kCorrupt, "begins with the wrong magic");
  if (get<std::uint32_t>(bytes, 12) != crc32c(bytes.substr(0, 12))) {
    return fail(store_errc::kCorrupt, "has a header with a wrong checksum");
  }
  std::uint32_t version = get<std::uint32_t>(bytes, 8);
  if (version > version_max) {
    return fail(
        store_errc::kFuture,
        fmt::format("was written in format version {}, but this release reads only up to {}: "
                    "start the newer release again; nothing was changed",
                    version, version_max));
  }
  if (version == 0) return fail(store_errc::kCorrupt, "has format version 0, which never existed");
  return {};
}

}  // namespace ym::layout
