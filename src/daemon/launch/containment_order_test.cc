// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/containment_order.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

LaunchJob batch_with(const std::string& tres_freq) {
  JobExtras extras;
  JobSpecials specials;
  specials.tres_freq = tres_freq;
  extras.specials = Ref(std::move(specials));
  JobSpec spec;
  spec.extras = Ref(std::move(extras));
  LaunchJob job;
  job.spec = Ref(std::move(spec));
  return job;
}

TEST(ContainmentOrder, TellsTheClocksOfAScriptsGpus) {
  ClusterConfig config;
  config.gpu_freq_default = "medium";
  config.nvidia_smi = "/opt/smi";
  config.sysfs = "/opt/sys";
  ShepherdOrder order;
  set_containment(order, batch_with("gpu:low,memory=low"), config);
  EXPECT_EQ(order.gpu_freq, "low,memory=low");
  EXPECT_EQ(order.gpu_freq_default, "medium");
  EXPECT_EQ(order.nvidia_smi, "/opt/smi");
  EXPECT_EQ(order.sysfs, "/opt/sys");
  ShepherdOrder without;
  set_containment(without, batch_with(""), config);
  EXPECT_EQ(without.gpu_freq, "");
  EXPECT_EQ(without.gpu_freq_default, "medium");
}

}  // namespace
}  // namespace ym
