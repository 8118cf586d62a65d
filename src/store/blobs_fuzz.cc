// SPDX-License-Identifier: Apache-2.0
// Any bytes as a blob file: opens, and whatever it then gives has the hash it is asked by. An odd
// first byte overwrites a sound file with the rest at some offset.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/blobs.h"
#include "store/disk_memory.h"
#include "store/errc.h"

namespace {

const std::string kDir = "d";
const std::string kPath = "d/blobs-0000000001.dat";

std::string sound_file() {
  ym::DiskMemory disk;
  auto blobs = ym::Blobs::open(disk, kDir, {});
  for (const char* text : {"one", "", "three and more"}) {
    YM_CHECK((*blobs)->put(ym::BlobKind::Script, text).has_value());
    YM_CHECK((*blobs)->sync().has_value());
  }
  return *disk.contents(kPath);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string bytes;
  if (size > 0 && data[0] % 2 == 0) bytes = input.substr(1);
  if (size > 2 && data[0] % 2 == 1) {
    bytes = sound_file();
    bytes.replace(data[1] % bytes.size(), size - 2, input.substr(2));
  }
  ym::DiskMemory disk;
  disk.put_file(kPath, bytes);
  auto blobs = ym::Blobs::open(disk, kDir, {});
  if (!blobs) {
    YM_CHECK(blobs.error().code == ym::store_errc::kFuture);
    return 0;
  }
  for (const char* text : {"one", "", "three and more", "new"}) {
    std::string id = ym::Blobs::id_of(text);
    if (auto got = (*blobs)->get(id)) YM_CHECK(*got == text);
    YM_CHECK((*blobs)->put(ym::BlobKind::Script, text).value() == id);
  }
  YM_CHECK((*blobs)->sync().has_value());
  YM_CHECK((*blobs)->retain([](const std::string&) { return false; }).has_value());
  return 0;
}
