// SPDX-License-Identifier: Apache-2.0
// Workloads out of models, for when there is no trace. The same seed gives the same jobs on every
// machine that computes logarithms alike.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/workload.h"

namespace ym::trace {

struct Wish {
  std::string_view model;  // see models()
  std::size_t jobs = 10'000;
  std::uint64_t seed = 1;
  std::uint32_t procs = 0;  // of the machine; 0: the model's own
};

struct Model {
  std::string_view name, summary;
  std::uint32_t procs;       // of a machine that suits it
  std::string_view machine;  // as uniform_machine() reads it; empty: processors are counted
};
const std::vector<Model>& models();
// Null if there is none of that name.
const Model* find_model(std::string_view name);

// Fails if the model is unknown or more is wished for than a workload may hold.
Result<Workload> generate(const Wish& wish);

}  // namespace ym::trace
