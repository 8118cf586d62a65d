// SPDX-License-Identifier: Apache-2.0
// slurm.conf text in, ClusterConfig value out.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "config/fields.h"
#include "config/lex.h"
#include "model/config.h"

namespace ym {

struct ParsedConfig {
  ClusterConfig config;
  std::vector<std::string> warnings;  // "slurm.conf:12: …"
  std::vector<KeyUse>
      not_acted_on;  // known keys in use that nothing reacts to yet; also in one warning
  std::vector<std::string> files;  // all that were read, the first one is `path`
};

// Reads the file and all it includes through `read_file`. On failure the error's text holds every
// message, up to kConfigErrorsMax of them, one on each line and each with its file and line.
Result<ParsedConfig> parse_config(const std::string& path, const ReadFile& read_file);

// Only the keys that stand alone; what the lines of nodes and partitions say is not looked at.
Result<MainConfig> parse_main_keys(const std::string& path, const ReadFile& read_file);

// A slurm.conf that parses to the same configuration, but for `shown`. Keys that have their default
// are left out.
std::string print_config(const ClusterConfig& config);

}  // namespace ym
