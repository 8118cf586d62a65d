// SPDX-License-Identifier: Apache-2.0
// What `yardmaster doctor` looks at. Each check gives findings; a finding that is not fine says how
// to mend it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/yardmaster/cluster.h"

namespace ym::cli {

enum class Health : std::uint8_t { Ok, Warn, Fail };

struct Finding {
  Health health = Health::Ok;
  std::string what;  // "ports"
  std::string text;
  std::string cure;  // empty if nothing is to be done
};

// What the checks share, asked once.
struct Patient {
  LoadedConfiguration loaded;
  std::vector<ClusterProcess> processes;
  std::optional<Pong> pong;
};

std::vector<Finding> check_configuration(const Patient& patient);
std::vector<Finding> check_users(const Patient& patient);
std::vector<Finding> check_key(const Patient& patient);
std::vector<Finding> check_folders(const Patient& patient);
std::vector<Finding> check_ports(const Patient& patient);
std::vector<Finding> check_programs(const Patient& patient);
std::vector<Finding> check_cgroups(const Patient& patient);
std::vector<Finding> check_clock(const Patient& patient);
std::vector<Finding> check_controller(const Patient& patient);
std::vector<Finding> check_nodes(const Patient& patient);

// "ok    ports         text" and the cure on a line of its own.
std::string finding_text(const Finding& finding);

}  // namespace ym::cli
