// SPDX-License-Identifier: Apache-2.0
#include "notation/hostlist.h"

#include <benchmark/benchmark.h>

#include "base/prng.h"

namespace ym {
namespace {

void parse_a_million_names(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Hostlist::parse("n[0000001-1000000]"));
}
BENCHMARK(parse_a_million_names);

void parse_many_ranges(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "rack" + std::to_string(i) + "n[01-16,20-40],";
  for (auto _ : state) benchmark::DoNotOptimize(Hostlist::parse(text));
  state.SetItemsProcessed(state.iterations() * 20'000);
}
BENCHMARK(parse_many_ranges);

std::vector<std::string> names(bool shuffled) {
  std::vector<std::string> names = Hostlist::parse("rack[0-99]n[0001-1000]")->names();
  Prng prng(1);
  for (std::size_t i = names.size(); shuffled && i > 1; --i)
    std::swap(names[i - 1], names[prng.below(i)]);
  return names;
}

void compress_100k_names_in_order(benchmark::State& state) {
  auto hosts = names(false);
  for (auto _ : state) benchmark::DoNotOptimize(Hostlist::of(hosts).str());
}
BENCHMARK(compress_100k_names_in_order)->Unit(benchmark::kMillisecond);

void compress_100k_names_shuffled(benchmark::State& state) {
  auto hosts = names(true);
  for (auto _ : state) benchmark::DoNotOptimize(Hostlist::of(hosts).uniq().str());
}
BENCHMARK(compress_100k_names_shuffled)->Unit(benchmark::kMillisecond);

void visit_a_million_names(benchmark::State& state) {
  Hostlist hosts = *Hostlist::parse("n[1-1000000]");
  for (auto _ : state) {
    std::size_t bytes = 0;
    hosts.for_each([&](std::string_view name) { bytes += name.size(); });
    benchmark::DoNotOptimize(bytes);
  }
}
BENCHMARK(visit_a_million_names)->Unit(benchmark::kMillisecond);

void find_in_a_sorted_list(benchmark::State& state) {
  Hostlist hosts = *Hostlist::parse("rack[0-9999]n[01-16]");
  Hostlist sorted = hosts.uniq();
  for (auto _ : state) benchmark::DoNotOptimize(sorted.find("rack7777n07"));
}
BENCHMARK(find_in_a_sorted_list);

}  // namespace
}  // namespace ym
