// SPDX-License-Identifier: Apache-2.0
// A hundred thousand nodes must not be felt at the start of a command, which reads the main keys
// alone.
#include "config/parse.h"

#include <benchmark/benchmark.h>

#include "base/format.h"

namespace ym {
namespace {

void parse(benchmark::State& state, const std::string& text) {
  auto read = [&](const std::string&) -> Result<std::string> { return text; };
  for (auto _ : state) {
    auto parsed = parse_config("slurm.conf", read);
    if (!parsed) state.SkipWithError(parsed.error().text.c_str());
    benchmark::DoNotOptimize(parsed);
  }
}

constexpr std::string_view kHead = "ClusterName=c\nSlurmctldHost=h\n";

std::string line_for_each_of_100k() {
  std::string text(kHead);
  for (int i = 0; i < 100'000; ++i)
    text +=
        fmt::format("NodeName=n{:06} NodeAddr=10.{}.{}.{} CPUs=64 RealMemory=256000 Feature=a,b\n",
                    i, i >> 16, i >> 8 & 255, i & 255);
  return text + "PartitionName=p Nodes=ALL\n";
}

void main_keys_above_100k_lines(benchmark::State& state) {
  std::string text = line_for_each_of_100k();
  auto read = [&](const std::string&) -> Result<std::string> { return text; };
  for (auto _ : state) {
    auto config = parse_main_keys("slurm.conf", read);
    if (!config) state.SkipWithError(config.error().text.c_str());
    benchmark::DoNotOptimize(config);
  }
}
BENCHMARK(main_keys_above_100k_lines)->Unit(benchmark::kMillisecond);

void parse_100k_nodes_in_one_range(benchmark::State& state) {
  parse(state, std::string(kHead) +
                   "NodeName=n[000001-100000] CPUs=64 RealMemory=256000 Feature=a,b\n"
                   "NodeSet=s Feature=b\nPartitionName=p Nodes=ALL\nPartitionName=q Nodes=s\n");
}
BENCHMARK(parse_100k_nodes_in_one_range)->Unit(benchmark::kMillisecond);

void parse_100k_nodes_on_a_line_each(benchmark::State& state) {
  parse(state, line_for_each_of_100k());
}
BENCHMARK(parse_100k_nodes_on_a_line_each)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ym
