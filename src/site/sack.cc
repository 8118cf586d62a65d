// SPDX-License-Identifier: Apache-2.0
#include "site/sack.h"

namespace ym {
namespace {

std::string folder_of(const MainConfig& config) {
  return config.controller_pid_file.substr(0, config.controller_pid_file.rfind('/') + 1);
}

}  // namespace

std::string sack_socket(const MainConfig& config) { return folder_of(config) + "sackd.sock"; }
std::string sack_pid_file(const MainConfig& config) { return folder_of(config) + "sackd.pid"; }
std::string sack_trust_file(const MainConfig& config) { return folder_of(config) + "sackd.ca"; }

}  // namespace ym
