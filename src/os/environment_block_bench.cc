// SPDX-License-Identifier: Apache-2.0
#include "os/environment_block.h"

#include <benchmark/benchmark.h>

namespace ym {
namespace {

// A batch job's on its way through slurmd: 50 entries, 40 that are set, and one text again.
void complete_a_jobs(benchmark::State& state) {
  std::string given;
  for (int i = 0; i < 50; ++i)
    given += "SOMEBODYS_" + std::to_string(i * 7 % 50) + "=" + std::string(40, 'x') + '\0';
  given = EnvironmentBlock(given).bytes();
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("SLURM_JOB_" + std::to_string(i));
  for (auto _ : state) {
    EnvironmentBlock block(given);
    for (const std::string& name : names) block.set(name, "n[1-4]");
    benchmark::DoNotOptimize(block.bytes());
  }
}
BENCHMARK(complete_a_jobs);

void look_one_up(benchmark::State& state) {
  std::string given;
  for (int i = 10; i < 90; ++i)
    given += "SLURM_" + std::to_string(i) + "=" + std::string(40, 'x') + '\0';
  for (auto _ : state) benchmark::DoNotOptimize(EnvironmentBlock(given).get("SLURM_50"));
}
BENCHMARK(look_one_up);

}  // namespace
}  // namespace ym
