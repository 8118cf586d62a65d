// SPDX-License-Identifier: Apache-2.0
// Generic resources in slurmd: what is here, and what orders get of it.
#include <algorithm>

#include "daemon/slurmd/gres_here.h"
#include "daemon/slurmd/node_daemon.h"

namespace ym {

void NodeDaemon::look_for_gres() {
  auto spec = find_own_node(loaded_.config, node_.name, node_.name);
  gres_ = find_gres(loaded_.config, spec ? *spec : node_);
  for (const std::string& trouble : gres_.troubles) log_.error("{}", trouble);
  for (const GresItem& item : gres_.items)
    log_.info("gres: {}{}{} {}{}{}", item.name, item.type.empty() ? "" : ":", item.type, item.count,
              item.files.empty() ? "" : " ", item.files);
}

void NodeDaemon::give_resources(ShepherdOrder& order, CpuWish cpus, const GresGiven& gres) {
  for (const GresShare& share : gres.job)
    for (const GresDeviceHere& device : gres_.devices)
      if (device.name == share.name &&
          std::ranges::find(share.devices, device.index) != share.devices.end())
        cpus.near_cores.insert(cpus.near_cores.end(), device.cores.begin(), device.cores.end());
  cpus_.give(order, cpus, agent_);
  if (gres_.devices.empty() && gres.job.empty()) return;
  set_gres(order, gres, gres_);
  bind_gres(order, gres, gres_,
            [this](const TaskOrder& task) { return cpus_.cores_of(task.cpus); });
}

}  // namespace ym
