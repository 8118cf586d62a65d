// SPDX-License-Identifier: Apache-2.0
// One placement among many nodes of eight GPUs, for a job that asks for some and for one that does
// not.
#include <benchmark/benchmark.h>

#include "model/node_gres.h"
#include "schedule/placement.h"

namespace ym {
namespace {

std::vector<Free> nodes_with_gpus(std::uint32_t count) {
  static const NodeSpec kSpec{.name = "n", .cpus = 64, .memory_mb = 1000, .gres = "gpu:8"};
  NodeRegistration found;
  found.gres = {{.name = "gpu", .count = 4, .files = "/dev/nvidia[0-3]", .cores = "0-31"},
                {.name = "gpu", .count = 4, .files = "/dev/nvidia[4-7]", .cores = "32-63"}};
  std::vector<Free> nodes;
  for (std::uint32_t id = 1; id <= count; ++id)
    nodes.push_back({.node = {id},
                     .cpus = 64,
                     .cpus_total = 64,
                     .memory_mb = 1000,
                     .spec = &kSpec,
                     .gres = Ref(gres_of(kSpec, found))});
  return nodes;
}

void place_among(benchmark::State& state, const JobSpec& spec) {
  std::vector<Free> nodes = nodes_with_gpus(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(place(spec, nodes, {.memory_counts = true}));
}

void place_without_gpus(benchmark::State& state) { place_among(state, {.tasks = 4}); }
BENCHMARK(place_without_gpus)->Arg(1000);

void place_with_gpus(benchmark::State& state) {
  JobSpecials specials;
  specials.gres = Ref(GresRequest{.wishes = {{.name = "gpu", .count = 2}}});
  JobExtras extras;
  extras.specials = Ref(std::move(specials));
  JobSpec spec{.tasks = 4};
  spec.extras = Ref(std::move(extras));
  place_among(state, spec);
}
BENCHMARK(place_with_gpus)->Arg(1000);

}  // namespace
}  // namespace ym
