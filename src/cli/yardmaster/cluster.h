// SPDX-License-Identifier: Apache-2.0
// A cluster as yardmaster's verbs see it: its configuration, its processes, its controller if that
// answers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/common/controller.h"
#include "cli/yardmaster/processes.h"
#include "site/configuration.h"

namespace ym::cli {

// --dir's folder as an absolute path, or the usual one.
Result<std::string> cluster_folder(const std::string& given);
// The configuration that the verb is about: the one in --dir, else the one that every command would
// use.
Result<LoadedConfiguration> cluster_configuration(const std::string& dir);

// The folder above all nodes' spools: SlurmdSpoolDir up to its first % or its last name.
std::string spool_root(const ClusterConfig& config);
std::vector<ClusterProcess> processes_of(const LoadedConfiguration& loaded);

// Asks once and does not wait for a controller that is not there.
std::optional<Pong> ping_quickly(const LoadedConfiguration& loaded);
Result<std::vector<NodeRow>> ask_nodes(Controller& controller);
// Those that have not ended.
Result<std::vector<JobRow>> ask_active_jobs(Controller& controller);

std::string node_log_path(const MainConfig& config, const NodeSpec& node);
// The last lines of a log, indented for showing below a message; empty if there is none.
std::string log_tail(const std::string& path, std::size_t lines = 8);

// "3 jobs", "1 job"
std::string counted(std::size_t number, std::string_view noun);

}  // namespace ym::cli
