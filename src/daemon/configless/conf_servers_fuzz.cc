// SPDX-License-Identifier: Apache-2.0
// Any words of --conf-server, and any slurm.conf that somebody sends: addresses with ports, and a
// folder below the spool that the file names.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "daemon/configless/fetch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (auto servers = ym::parse_conf_servers(text)) {
    YM_CHECK(!servers->empty());
    for (const ym::Address& one : *servers) YM_CHECK(!one.host.empty() && one.port != 0);
  }
  ym::ConfigFiles files;
  files.files.push_back({.name = "slurm.conf", .text = text});
  if (auto folder = ym::node_folder(files, "n1")) YM_CHECK(folder->ends_with("/conf-cache"));
  return 0;
}
