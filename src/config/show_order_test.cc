// SPDX-License-Identifier: Apache-2.0
#include "config/show_order.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(ShowOrder, KeysStandByNameWhateverTheirCase) {
  ClusterConfig config;
  config.shown = {{"SLURM_CONF", "1"}, {"Epilog", "2"}, {"SlurmctldPort", "3"}, {"eio", "4"}};
  std::vector<std::string> names;
  for (const auto& [name, value] : in_show_order(config)) names.push_back(name + value);
  EXPECT_EQ(names, (std::vector<std::string>{"eio4", "Epilog2", "SLURM_CONF1", "SlurmctldPort3"}));
}

}  // namespace
}  // namespace ym
