// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file that says who leads: it is read, and whoever follows it can take over.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "store/disk_memory.h"
#include "store/file_home.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ym::DiskMemory disk;
  disk.put_file("d/leader/epoch-0000000007", text);
  ym::FileHome home(disk, "d", ym::FileHome::Company::Standbys);
  auto seen = home.look();
  if (!seen) {
    YM_CHECK(!seen.error().text.empty());
    return 0;
  }
  YM_CHECK(seen->epoch == 7);
  YM_CHECK(seen->name.size() <= size);
  auto epoch = home.seize("standby", *seen);
  YM_CHECK(epoch && *epoch == 8);
  auto again = home.look();
  YM_CHECK(again && again->name == "standby" && !again->vacant);
  return 0;
}
