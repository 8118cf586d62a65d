// SPDX-License-Identifier: Apache-2.0
// One placement of a job that asks for cores, GPUs that lie beside them and few switches, among
// half-used nodes of two sockets and eight GPUs behind a tree of switches. The counter is the time
// for each node that is considered; bench/scheduling.py holds it against its goal.
//
// And one of a job of sixteen nodes where up to so many jobs have a CPU (the second argument; 1:
// nobody shares): the fewer idle CPUs there are, the more often nodes are chosen.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "model/node_gres.h"
#include "schedule/placement.h"

namespace ym {
namespace {

constexpr std::uint32_t kCores = 64, kLeaf = 40;

NodeSpec node_spec(std::uint32_t number) {
  NodeSpec spec{.name = fmt::format("n{}", number), .cpus = 2 * kCores, .memory_mb = 512'000};
  spec.gres = "gpu:8";
  return spec;
}

std::vector<Free> half_used(std::uint32_t count, const State& state) {
  Prng prng(3);
  std::vector<Free> nodes;
  NodeRegistration found;
  found.gres = {{.name = "gpu", .count = 4, .files = "/dev/nvidia[0-3]", .cores = "0-31"},
                {.name = "gpu", .count = 4, .files = "/dev/nvidia[4-7]", .cores = "32-63"}};
  for (std::uint32_t id = 1; id <= count; ++id) {
    const NodeSpec& spec = *state.nodes.at(id).spec;
    auto cpus = static_cast<std::uint32_t>(prng.between(0, kCores)) * 2;
    nodes.push_back({.node = {id},
                     .cpus = cpus,
                     .cpus_total = 2 * kCores,
                     .memory_mb = cpus * 4000ull,
                     .idle = cpus == 2 * kCores,
                     .shape = {.threads = 2, .sockets = 2},
                     .spec = &spec,
                     .gres = Ref(gres_of(spec, found))});
  }
  return nodes;
}

Topology tree_of(std::uint32_t nodes) {
  Topology out{.name = "t", .kind = TopologyKind::Tree, .cluster_default = true};
  std::uint32_t leaves = (nodes + kLeaf - 1) / kLeaf;
  for (std::uint32_t i = 0; i < leaves; ++i)
    out.switches.push_back({.name = fmt::format("s{}", i),
                            .members = *Hostlist::parse(fmt::format(
                                "n[{}-{}]", kLeaf * i + 1, std::min(nodes, kLeaf * (i + 1))))});
  out.switches.push_back({.name = "top",
                          .level = 1,
                          .switches = *Hostlist::parse(fmt::format("s[0-{}]", leaves - 1))});
  return out;
}

void place_repeatedly(benchmark::State& bench, const JobSpec& spec, const std::vector<Free>& nodes,
                      const PlacementRules& rules) {
  std::size_t placed = 0;
  for (auto _ : bench) placed += place(spec, nodes, rules).has_value();
  if (placed == 0) bench.SkipWithError("nothing was placed");
  bench.counters["us_per_node"] = benchmark::Counter(
      static_cast<double>(bench.range(0)) / 1e6,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void place_with_cores_gpus_and_topology(benchmark::State& bench) {
  auto count = static_cast<std::uint32_t>(bench.range(0));
  State state;
  NodesDefined defined;
  for (std::uint32_t i = 1; i <= count; ++i) defined.nodes.push_back({{i}, Ref(node_spec(i))});
  apply(state, {.seq = {1}, .at = {}, .body = std::move(defined)});
  std::vector<Free> nodes = half_used(count, state);
  JobSpecials specials;
  specials.gres = Ref(GresRequest{.wishes = {{.name = "gpu", .count = 4}}});
  specials.switches = 2;
  JobExtras extras;
  extras.specials = Ref(std::move(specials));
  extras.binding.threads_per_core = 1;
  JobSpec spec{.tasks = 64, .cpus_per_task = 4, .min_nodes = 16, .max_nodes = 16};
  spec.memory_per_cpu_mb = 2000;
  spec.extras = Ref(std::move(extras));
  PlacementRules rules{.memory_counts = true, .groups = Ref(make_groups(tree_of(count), state))};
  place_repeatedly(bench, spec, nodes, rules);
}
BENCHMARK(place_with_cores_gpus_and_topology)->RangeMultiplier(10)->Range(100, 10'000);

// Each node has a row that is partly taken, behind others that are full, and an empty one behind
// that if there are so many.
std::vector<Free> half_shared(std::uint32_t count, std::uint32_t sharers) {
  Prng prng(3);
  std::vector<Free> nodes;
  for (std::uint32_t id = 1; id <= count; ++id) {
    std::uint32_t total = 2 * kCores;
    auto cpus = static_cast<std::uint32_t>(prng.between(1, kCores)) * 2;
    auto row = static_cast<std::uint32_t>(prng.between(1, sharers));
    Free free{.node = {id}, .cpus = cpus, .cpus_total = total, .row = sharers > 1 ? row : 0};
    free.shape = {.threads = 2, .sockets = 2};
    if (sharers > 1) free.cpus_shared = row * total - cpus;
    nodes.push_back(free);
    if (row == sharers || cpus == total) continue;
    nodes.push_back(free);
    nodes.back().cpus = total;
    ++nodes.back().row;
  }
  return nodes;
}

void place_beside_others(benchmark::State& bench) {
  auto count = static_cast<std::uint32_t>(bench.range(0));
  auto sharers = static_cast<std::uint32_t>(bench.range(1));
  PlacementRules rules{.sharers = sharers, .shares_by_force = sharers > 1};
  std::vector<Free> nodes = half_shared(count, sharers);
  JobSpec spec{.tasks = 400, .cpus_per_task = 4, .min_nodes = 16, .max_nodes = 16};
  place_repeatedly(bench, spec, nodes, rules);
}
BENCHMARK(place_beside_others)->ArgsProduct({{100, 1000}, {1, 4}});

}  // namespace
}  // namespace ym
