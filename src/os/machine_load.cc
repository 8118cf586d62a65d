// SPDX-License-Identifier: Apache-2.0
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/files.h"
#include "os/machine.h"

namespace ym {

MachineLoad machine_load() {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return {};
  MachineLoad load;
  load.cpu_load = static_cast<std::uint32_t>((info.loads[0] * 100) >> SI_LOAD_SHIFT);
  load.free_memory_mb = (static_cast<std::uint64_t>(info.freeram) * info.mem_unit) >> 20;
  return load;
}

std::uint64_t filesystem_mb(const std::string& path) {
  struct statvfs info{};
  if (::statvfs(path.c_str(), &info) != 0) return 0;
  return (static_cast<std::uint64_t>(info.f_blocks) * info.f_frsize) >> 20;
}

Instant boot_time() {
  struct sysinfo info{};
  ::sysinfo(&info);
  return wall_clock() - std::chrono::seconds(info.uptime);
}

std::string boot_id() {
  auto text = read_file("/proc/sys/kernel/random/boot_id", 4096);
  return text ? std::string(trim(*text)) : std::string();
}

std::string operating_system() {
  utsname name{};
  ::uname(&name);
  return fmt::format("{} {} {}", name.sysname, name.release, name.version);
}

std::string architecture() {
  utsname name{};
  ::uname(&name);
  return name.machine;
}

}  // namespace ym
