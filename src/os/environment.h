// SPDX-License-Identifier: Apache-2.0
// What a process knows of itself.
#pragma once
#include <optional>
#include <string>

namespace ym {

std::optional<std::string> environment_variable(const char* name);
// The folder above the one that the running program is in: /opt/ym for /opt/ym/bin/sbatch. Empty if
// unknown.
std::string program_prefix();
// The folder that the running program is in; empty if unknown.
std::string program_folder();
// The short host name.
std::string host_name();

}  // namespace ym
