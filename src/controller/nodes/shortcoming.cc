// SPDX-License-Identifier: Apache-2.0
#include "controller/nodes/shortcoming.h"

#include <algorithm>

#include "base/format.h"
#include "model/node_gres.h"

namespace ym {
namespace {

std::string machine_shortcoming(const NodeSpec& spec, const NodeRegistration& found) {
  std::string out;
  auto add = [&](std::string_view text) { out += (out.empty() ? "" : ", ") + std::string(text); };
  // Where CPUs are offline the product says less than there is.
  std::uint64_t threads = std::max<std::uint64_t>(
      found.cpus, std::uint64_t{found.sockets} * found.cores_per_socket * found.threads_per_core);
  if (threads < std::uint64_t{spec.sockets} * spec.cores_per_socket * spec.threads_per_core)
    add("Low socket*core*thread count");
  if (found.cpus < spec.cpus) add("Low CPUs");
  if (found.memory_mb < spec.memory_mb)
    add(fmt::format("Low RealMemory (reported:{} < 100.00% of configured:{})", found.memory_mb,
                    spec.memory_mb));
  if (found.tmp_mb < spec.tmp_mb) add("Low TmpDisk");
  return out;
}

}  // namespace

std::string shortcoming(const NodeSpec& spec, const NodeRegistration& found, bool overrides) {
  std::string low = overrides ? "" : machine_shortcoming(spec, found);
  // Nobody can pretend to have devices.
  if (std::string missing = gres_shortcoming(spec, found); !missing.empty())
    low += (low.empty() ? "" : ", ") + missing;
  return low;
}

}  // namespace ym
