// SPDX-License-Identifier: Apache-2.0
#include "store/disk.h"

#include "base/format.h"
#include "store/errc.h"

namespace ym {

Result<std::string> read_whole(Disk& disk, const std::string& path, std::uint64_t size_max) {
  auto file = disk.open(path, DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  auto size = (*file)->size();
  if (!size) return std::unexpected(size.error());
  if (*size > size_max) {
    return fail(store_errc::kTooBig, fmt::format("{} has {} bytes, more than the {} it may have",
                                                 path, *size, size_max));
  }
  return (*file)->read(0, *size);
}

}  // namespace ym
