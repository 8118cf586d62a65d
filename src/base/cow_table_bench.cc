// SPDX-License-Identifier: Apache-2.0
// What a snapshot of a large table costs: to take, and to write behind.
#include <benchmark/benchmark.h>

#include <array>

#include "base/cow_table.h"

namespace ym {
namespace {

using Record = std::array<std::uint64_t, 40>;  // about the size of a job's record

CowTable<Record> filled(std::int64_t count) {
  CowTable<Record> table;
  for (std::int64_t i = 1; i <= count; ++i) table.edit(static_cast<std::uint64_t>(i))[0] = 1;
  return table;
}

void take_a_snapshot(benchmark::State& state) {
  CowTable<Record> table = filled(state.range(0));
  for (auto _ : state) {
    CowTable<Record> snapshot = table;
    benchmark::DoNotOptimize(snapshot);
  }
}
BENCHMARK(take_a_snapshot)->Arg(10)->Arg(1'000'000);

// The worst case: each write follows a snapshot that somebody still reads.
void write_behind_a_snapshot(benchmark::State& state) {
  CowTable<Record> table = filled(state.range(0));
  std::uint64_t key = 1;
  for (auto _ : state) {
    CowTable<Record> snapshot = table;
    table.edit(key)[0] += 1;
    key = key * 7919 % static_cast<std::uint64_t>(state.range(0)) + 1;
  }
}
BENCHMARK(write_behind_a_snapshot)->Arg(10)->Arg(1'000'000);

}  // namespace
}  // namespace ym
