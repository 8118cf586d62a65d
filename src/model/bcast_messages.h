// SPDX-License-Identifier: Apache-2.0
// Files for all nodes of a job: between sbcast (or srun --bcast), the controller and the nodes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/step_messages.h"

namespace ym {

// sbcast: a credential of kExternStep for all nodes of the job; answered by StepCreated.
struct GetJobCredential {
  JobId job;
};
// A piece of a file, in order; answered by NodeOutcomes once the pieces behind it were passed on.
struct BcastChunk {
  std::string credential, signature;
  std::string path;  // on the nodes; relative to the user's working directory
  std::string work_dir;
  std::uint32_t mode = 0600;
  Instant modified, accessed;  // with `preserve`
  bool preserve = false, force = false;
  std::uint64_t offset = 0;
  std::string data;
  std::uint64_t raw_size = 0;  // of `data` if it is compressed; 0: it is not
  std::uint32_t checksum = 0;  // CRC-32C of the raw bytes
  bool last = false;
  std::uint64_t file_size = 0;
  std::vector<NodeAddress> forward;
  std::uint32_t tree_width = 0;
};

}  // namespace ym
