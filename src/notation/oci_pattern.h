// SPDX-License-Identifier: Apache-2.0
// The patterns of oci.conf: commands of a container runtime, and paths, with % and a letter for
// what differs from container to container.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

struct OciPatternValues {
  std::vector<std::string> command;  // %@, each word quoted for a shell
  std::string bundle;                // %b
  std::string environment_file;      // %e
  std::uint32_t job = 0;             // %j
  std::string spool;                 // %m
  std::string node;                  // %n
  std::uint32_t pid = 0;             // %p
  std::string rootfs;                // %r
  std::uint32_t step = 0, task = 0;  // %s, %t
  std::string user;                  // %u
  std::uint32_t uid = 0;             // %U
  std::string work_dir;              // %Z, of the step
};

// Refuses a % before a letter that means nothing; %p too unless there is a process to speak of.
Status check_oci_pattern(std::string_view pattern, bool may_name_pid);

// What is not understood stays as it is.
std::string expand_oci_pattern(std::string_view pattern, const OciPatternValues& values);

// In single quotes; one within the text as '\''.
std::string quoted_for_shell(std::string_view word);

}  // namespace ym
