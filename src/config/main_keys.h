// SPDX-License-Identifier: Apache-2.0
// Keys that stand alone: what each one does to a ClusterConfig, and how `scontrol show config`
// prints them all.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "model/config.h"

namespace ym {

inline constexpr std::size_t kControllersMax = 64;

// "cpu=1000,mem=0.5,gres/gpu=3000"
Result<std::vector<PriorityRules::TresWeight>> parse_tres_weights(std::string_view text);

class MainKeys {
 public:
  explicit MainKeys(Findings& findings) : findings_(findings) {}

  void add(const Assignment& assignment, Place place);
  // Call once, after the last line: what is missing, what excludes each other; then fills all but
  // nodes, partitions, down_nodes.
  void finish(const std::string& path, ClusterConfig& config);

 private:
  void add_controller(std::string_view text, Place place);
  void set_controllers(ClusterConfig& config);
  void set_memory(ClusterConfig& config);
  void set_priority(ClusterConfig& config);  // main_priority.cc
  void check_relations(const ClusterConfig& config);
  void show(const std::string& path, ClusterConfig& config) const;

  Findings& findings_;
  Fields fields_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<ControllerHost> controllers_;
};

}  // namespace ym
