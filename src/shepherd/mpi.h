// SPDX-License-Identifier: Apache-2.0
// What helps the tasks of an MPI program to find each other, on this node: PMI-1 (pmi1.h) or PMIx
// (pmix.h). On the shepherd's thread; one descriptor stands for everything that may happen in it.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/step_messages.h"
#include "shepherd/order.h"

namespace ym {

// How it speaks to srun.
struct MpiVoice {
  std::function<void(const StepFence&)> fence;
  std::function<void(const StepAbort&)> abort;
};

class MpiSupport {
 public:
  virtual ~MpiSupport() = default;

  // What a task is started with: variables that count more than its own (NAME=value, each ended by
  // NUL), and a descriptor that it inherits under the same number; -1: none.
  struct TaskPart {
    std::string environment;
    int fd = -1;
  };
  virtual TaskPart part_of(std::size_t local) = 0;
  // The task has its descriptor now, or will never be.
  virtual void started(std::size_t local) = 0;

  // Readable when turn() has something to do.
  virtual int fd() const = 0;
  virtual void turn() = 0;
  // Everybody's parts of an operation, from srun.
  virtual void take(const StepFence& all) = 0;
  // A connection was lost and is there again: the answers to these may have been lost with it.
  virtual void repeat() = 0;
  // All tasks have ended.
  virtual void stop() {}
};

// Null for "none". An error is one for the user's eyes.
Result<std::unique_ptr<MpiSupport>> make_mpi(const ShepherdOrder& order, MpiVoice voice);
std::unique_ptr<MpiSupport> make_pmi1(const ShepherdOrder& order, MpiVoice voice);

// `block` without the variables that `over` has, and `over` after it.
std::string override_environment(std::string_view block, std::string_view over);

}  // namespace ym
