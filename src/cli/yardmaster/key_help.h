// SPDX-License-Identifier: Apache-2.0
// What the words of slurm.conf and cgroup.conf do, a sentence each: for the manual pages.
#pragma once
#include <span>
#include <string_view>

#include "config/keys.h"

namespace ym::cli {

struct KeyHelp {
  KeyScope scope = KeyScope::Main;
  std::string_view name, help;
};
// Sorted by scope; each key that we act on has its line (manual_test.cc).
std::span<const KeyHelp> slurm_conf_help();

struct CgroupKeyHelp {
  std::string_view name, value, help;
};
std::span<const CgroupKeyHelp> cgroup_conf_help();

}  // namespace ym::cli
