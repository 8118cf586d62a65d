// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "daemon/slurmd/gpu_detect.h"

// What drivers write: a file of NVIDIA's, or three lines of AMD's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto check = [](const std::optional<ym::GresItem>& gpu) {
    if (!gpu) return;
    YM_CHECK(gpu->name == "gpu" && gpu->count == 1);
    YM_CHECK(gpu->type.size() <= 64);
    YM_CHECK(gpu->type.find_first_of(" :,()\n") == std::string::npos);
    YM_CHECK(gpu->files.starts_with("/dev/"));
  };
  check(ym::nvidia_gpu(text));
  check(ym::amd_gpu("renderD128", "0x1002", text));
  auto line = text.find('\n');
  if (line != text.npos)
    check(ym::amd_gpu("renderD128", text.substr(0, line), text.substr(line + 1)));
  return 0;
}
