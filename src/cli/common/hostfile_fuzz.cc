// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "cli/common/hostfile.h"
#include "notation/hostlist.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto hosts = ym::cli::hosts_of_file({reinterpret_cast<const char*>(data), size});
  if (hosts) YM_CHECK(ym::Hostlist::parse(*hosts).has_value());
  return 0;
}
