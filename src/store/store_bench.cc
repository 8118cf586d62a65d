// SPDX-License-Identifier: Apache-2.0
// Against the real disk, beside a bare pwrite+fdatasync loop of the same bytes: the ratio is what
// counts. The directory is $YM_BENCH_DIR, else the current one (not /tmp, which is often memory).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32c.h"
#include "base/format.h"
#include "store/blobs.h"
#include "store/disk_posix.h"
#include "store/journal.h"

namespace ym {
namespace {

constexpr std::size_t kPayloadBytes = 300;

struct BenchDir {
  BenchDir() {
    const char* base = std::getenv("YM_BENCH_DIR");
    path = fmt::format("{}/ym_store_bench_{}", base != nullptr ? base : ".", ::getpid());
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~BenchDir() { std::filesystem::remove_all(path); }
  std::string path;
};

void bare_write_and_sync(benchmark::State& state) {
  BenchDir dir;
  DiskPosix disk;
  auto file = disk.open(dir.path + "/bare", DiskOpen::Create);
  constexpr std::uint64_t kSize = 16 * 1024 * 1024;
  if (!(*file)->write_zeros(0, kSize) || !(*file)->sync()) return state.SkipWithError("disk");
  std::size_t records = static_cast<std::size_t>(state.range(0));
  std::string bytes(records * record_bytes(kPayloadBytes), 'x');
  std::uint64_t at = 0;
  for (auto _ : state) {
    if (at + bytes.size() > kSize) at = 0;
    if (!(*file)->write(at, bytes) || !(*file)->sync()) return state.SkipWithError("disk");
    at += bytes.size();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bare_write_and_sync)->Arg(1)->Arg(16)->Arg(512)->UseRealTime();

void journal_commit(benchmark::State& state) {
  BenchDir dir;
  DiskPosix disk;
  auto recovered = Journal::open(disk, dir.path, {}, {});
  std::string payload(kPayloadBytes, 'x');
  std::vector<std::string_view> group(static_cast<std::size_t>(state.range(0)), payload);
  Journal& journal = *recovered->journal;
  for (auto _ : state) {
    if (!journal.append(group) || !journal.commit()) return state.SkipWithError("journal");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(journal_commit)->Arg(1)->Arg(16)->Arg(512)->UseRealTime();

void journal_scan(benchmark::State& state) {
  BenchDir dir;
  DiskPosix disk;
  constexpr int kRecords = 200'000;
  {
    auto recovered = Journal::open(disk, dir.path, {}, {});
    std::string payload(kPayloadBytes, 'x');
    std::vector<std::string_view> group(1000, payload);
    for (int i = 0; i < kRecords / 1000; ++i) {
      if (!recovered->journal->append(group) || !recovered->journal->commit()) {
        return state.SkipWithError("journal");
      }
    }
  }
  for (auto _ : state) {
    auto recovered = Journal::open(disk, dir.path, {}, {});
    if (!recovered || recovered->records != kRecords) return state.SkipWithError("scan");
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.SetBytesProcessed(state.iterations() * kRecords * static_cast<std::int64_t>(kPayloadBytes));
}
BENCHMARK(journal_scan)->UseRealTime()->Unit(benchmark::kMillisecond);

// Submissions in groups of 512 of which one in `range` brings a script of its own, 4 KB each.
void blobs_put(benchmark::State& state) {
  BenchDir dir;
  DiskPosix disk;
  auto blobs = Blobs::open(disk, dir.path, {});
  std::string script(4096, '#');
  std::int64_t submitted = 0;
  for (auto _ : state) {
    for (int i = 0; i < 512; ++i, ++submitted) {
      std::int64_t version = submitted % state.range(0) == 0 ? submitted : 0;
      fmt::format_to_n(script.data(), 20, "{:020}", version);
      if (!(*blobs)->put(BlobKind::Script, script)) return state.SkipWithError("put");
    }
    if (!(*blobs)->sync()) return state.SkipWithError("sync");
  }
  state.SetItemsProcessed(submitted);
}
BENCHMARK(blobs_put)->Arg(1)->Arg(100)->Arg(1'000'000'000)->UseRealTime();

void checksum(benchmark::State& state) {
  std::string bytes(64 * 1024, 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(state.range(0) != 0 ? crc32c(bytes) : crc32c_by_table(bytes));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(checksum)->Arg(0)->Arg(1);

}  // namespace
}  // namespace ym
