// SPDX-License-Identifier: Apache-2.0
// Any bytes as a snapshot: read to its trailer or refused, never more than is there. An odd first
// byte overwrites a sound snapshot with the rest at some offset.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/disk_memory.h"
#include "store/snapshot.h"

namespace {

const std::string kDir = "d";

std::string sound_snapshot() {
  ym::DiskMemory disk;
  auto writer = ym::SnapshotWriter::begin(disk, kDir, 0, 5);
  for (const char* chunk : {"one", "", "three"}) YM_CHECK(writer->add(chunk).has_value());
  YM_CHECK(writer->finish().has_value());
  return *disk.contents(kDir + "/" + ym::snapshot_name(5));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string bytes;
  if (size > 0 && data[0] % 2 == 0) bytes = input.substr(1);
  if (size > 2 && data[0] % 2 == 1) {
    bytes = sound_snapshot();
    bytes.replace(data[1] % bytes.size(), size - 2, input.substr(2));
  }
  ym::DiskMemory disk;
  std::string path = kDir + "/" + ym::snapshot_name(5);
  disk.put_file(path, bytes);
  std::size_t seen = 0;
  auto read = ym::read_snapshot(disk, {.path = path, .seq = 5}, [&](std::string_view chunk) {
    seen += chunk.size();
    return ym::Status();
  });
  YM_CHECK(seen <= bytes.size());
  YM_CHECK(read || !read.error().text.empty());
  return 0;
}
