// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/containment_order.h"

#include "base/text.h"
#include "notation/gpu_freq.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

// `wish` is --oom-kill-step: 0 none, 1 no, 2 yes.
void set_common(ShepherdOrder& order, std::uint8_t wish, const ClusterConfig& config) {
  order.cgroup = config.cgroup;
  order.unkillable_timeout = config.unkillable_timeout;
  order.unkillable_program = config.unkillable_program;
  order.resume_wait = config.stream_timeout;
  bool by_default = false;
  for (std::string_view word : split_words(config.task_plugin_params, ','))
    by_default |= same_ignoring_case(word, "OOMKillStep");
  order.oom_kill_step = wish == 0 ? by_default : wish == 2;
}

void set_gpu_speeds(ShepherdOrder& order, std::string_view wish, const ClusterConfig& config) {
  order.sysfs = config.sysfs;
  order.gpu_freq = wish;
  order.gpu_freq_default = config.gpu_freq_default;
  order.nvidia_smi = config.nvidia_smi;
}

void set_container(ShepherdOrder& order, const std::string& container,
                   const ClusterConfig& config) {
  if (container.empty()) return;
  order.container = container;
  order.oci = config.oci;
}

}  // namespace

void set_containment(ShepherdOrder& order, const LaunchJob& job, const ClusterConfig& config) {
  set_container(order, job.spec->extras->container, config);
  set_common(order, job.spec->extras->oom_kill_step, config);
  set_gpu_speeds(order, gpu_freq_in(job.spec->extras->specials->tres_freq), config);
  if (config.memory_is_consumable) order.job_memory_mb = job.memory_mb;
}

void set_containment(ShepherdOrder& order, const LaunchTasks& launch,
                     const StepCredential& credential, const StepShare& share,
                     const ClusterConfig& config) {
  set_common(order, launch.oom_kill_step ? launch.oom_kill_step : credential.oom_kill_step, config);
  set_container(order, credential.step.container, config);
  order.cpu_freq = launch.cpu_freq;
  order.cpu_freq_default = config.cpu_freq_default;
  order.cpu_governors = config.cpu_freq_governors;
  set_gpu_speeds(order, launch.gpu_freq, config);
  order.wait_for_children = launch.wait_for_children;
  if (!config.memory_is_consumable) return;
  auto nodes = Hostlist::parse(credential.job_nodes);
  auto place = nodes ? nodes->find(order.node) : std::nullopt;
  if (place && *place < credential.job_memory_mb.size())
    order.job_memory_mb = credential.job_memory_mb[*place];
  order.memory_mb = share.memory_mb;
}

}  // namespace ym
