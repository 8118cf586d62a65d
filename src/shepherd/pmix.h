// SPDX-License-Identifier: Apache-2.0
// PMIx's server is a large dynamic library, so it lives in a program of its own, slurm-pmix, that
// the shepherd starts as the user when a step asks for it. They speak in frames (net/frame.h) over
// a pair of sockets:
//
//   shepherd → helper   Job      a ShepherdOrder without what is secret or large: who is where
//                       Fence    a StepFence: everybody's parts
//   helper → shepherd   Variables for each local task, in order; correlation: the task's number
//                       Fence    a StepFence: this node's part
//                       Abort    a StepAbort
//                       Trouble  a text: it cannot serve
//
// The end of the connection ends the helper.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "net/frame.h"
#include "shepherd/mpi.h"

namespace ym {

// DO NOT CHANGE THESE VALUES: the two programs may be of different releases during an upgrade.
enum class PmixFrame : std::uint16_t {
  Job = 32,
  Fence = 33,
  Variables = 34,
  Abort = 35,
  Trouble = 36
};

inline constexpr int kPmixFd = 3;
inline constexpr const char* kPmixProgram = "slurm-pmix";  // beside slurmstepd

// What the helper needs of an order.
std::string encode_pmix_job(const ShepherdOrder& order);

// Starts the helper and waits until it has the tasks' variables.
Result<std::unique_ptr<MpiSupport>> make_pmix(const ShepherdOrder& order, MpiVoice voice);

}  // namespace ym
