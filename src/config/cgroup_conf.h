// SPDX-License-Identifier: Apache-2.0
// cgroup.conf text in, CgroupConfig value out.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "config/lex.h"
#include "model/config.h"

namespace ym {

struct ParsedCgroupConfig {
  CgroupConfig config;
  std::vector<std::string> warnings;  // "cgroup.conf:3: …"
};

// A site that has the file has said what it wants: what it leaves out has Slurm's defaults, which
// confine nothing. Without a file the defaults of CgroupConfig hold: cores and memory.
// On failure the error's text holds every message, each with its file and line.
Result<ParsedCgroupConfig> parse_cgroup_conf(const std::string& path, const ReadFile& read_file);

}  // namespace ym
