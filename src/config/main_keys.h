// SPDX-License-Identifier: Apache-2.0
// Keys that stand alone: what each one does to a MainConfig, and how `scontrol show config`
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
  // Which keys `MainConfig::shown` has.
  enum class Shown : std::uint8_t { All, Given };

  explicit MainKeys(Findings& findings) : findings_(findings) {}

  void add(const Assignment& assignment, Place place);
  // Call once, after the last line: what is missing, what excludes each other; then fills all.
  void finish(const std::string& path, Shown shown, MainConfig& config);

 private:
  void add_controller(std::string_view text, Place place);
  void set_controllers(MainConfig& config);
  void set_memory(MainConfig& config);
  void set_priority(MainConfig& config);  // main_priority.cc
  void check_relations(const MainConfig& config);
  void show_all(const std::string& path, MainConfig& config) const;

  Findings& findings_;
  Fields fields_;
  std::map<std::string, Place, std::less<>> places_;
  std::vector<ControllerHost> controllers_;
};

}  // namespace ym
