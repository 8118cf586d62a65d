// SPDX-License-Identifier: Apache-2.0
// What a listing costs: rows of jobs to bytes and back. bench/README.md has the figures.
#include <benchmark/benchmark.h>

#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

JobRows some_rows(std::size_t count) {
  JobRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    auto id = static_cast<std::uint32_t>(i + 1);
    JobSpec spec{.name = "train_" + std::to_string(i),
                 .user_name = "ada",
                 .account = "physics",
                 .qos = "normal",
                 .work_dir = "/data/ada/lattice",
                 .command = "/data/ada/lattice/run.sh",
                 .std_out = "out/%j.txt",
                 .submit_host = "login1",
                 .partitions = "compute",
                 .uid = {1000},
                 .gid = {1000},
                 .script_blob = std::string(64, 'a'),
                 .environment_blob = std::string(64, 'b'),
                 .tasks = 16,
                 .time_limit_s = 7200,
                 .batch = true};
    Job job{.id = {id}, .sluid = {7527872175164882944u + i}, .spec = Ref(std::move(spec))};
    job.priority = 4294901760 - id;
    job.submit = job.eligible = Instant{1794784587652};
    rows.rows.push_back(
        {.job = std::move(job), .reason = Reason::Priority, .partition = "compute"});
  }
  return rows;
}

void encode_rows(benchmark::State& state) {
  JobRows rows = some_rows(static_cast<std::size_t>(state.range(0)));
  std::string out;
  for (auto _ : state) {
    out.clear();
    wire::encode_to(out, rows);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(encode_rows)->Arg(200)->Arg(100000)->Unit(benchmark::kMillisecond);

void decode_rows(benchmark::State& state) {
  std::string bytes = wire::encode(some_rows(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode<JobRows>(bytes));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(decode_rows)->Arg(200)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ym
