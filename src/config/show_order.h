// SPDX-License-Identifier: Apache-2.0
// The order in which `scontrol show config` prints keys. Whoever parses a file does not sort them:
// every command does that at its start, and hardly any prints them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/config.h"

namespace ym {

// By name, whatever the case.
std::vector<std::pair<std::string, std::string>> in_show_order(const MainConfig& config);

}  // namespace ym
