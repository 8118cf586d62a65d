// SPDX-License-Identifier: Apache-2.0
// The operations of a container runtime: oci.conf's patterns, given to a shell as the user. For
// processes that have become the user; they block.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/config.h"
#include "notation/oci_pattern.h"
#include "shepherd/container.h"

namespace ym {

struct ContainerRuntime {
  const OciConfig& config;
  std::vector<std::string> environment;  // of its programs
};

// The exit code, 128 and the signal's number if one ended it; 0 if there is no such operation.
int run_operation(const ContainerRuntime& runtime, const std::string& pattern,
                  const OciPatternValues& values);

// RunTimeQuery. An error if the runtime does not know the container.
Result<ContainerState> query_container(const ContainerRuntime& runtime,
                                       const OciPatternValues& values);

// RunTimeRun.
[[noreturn]] void become_runtime(const ContainerRuntime& runtime, const OciPatternValues& values);

// RunTimeCreate, RunTimeStart, then as long as the container lives; ends as its first process does.
// Signals that come meanwhile are that process's.
[[noreturn]] void create_and_start(const ContainerRuntime& runtime, const OciPatternValues& values);

}  // namespace ym
