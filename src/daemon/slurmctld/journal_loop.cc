// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/journal_loop.h"

#include <set>

#include "base/check.h"
#include "os/clock.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

constexpr std::size_t kGroupMax = 64;
constexpr std::size_t kErrandsMax = 1000;
// Replay of so many events takes about a second.
constexpr std::uint64_t kSnapshotEvery = 500'000;
// Kept for readers of the event feed, beyond what recovery needs.
constexpr std::uint64_t kFeedHistory = 1'000'000;
constexpr Duration kRetry = std::chrono::milliseconds(500);
constexpr Duration kIdle = std::chrono::seconds(1);
constexpr std::uint64_t kPrepareBytes = 1 << 20;
// Everybody waits for the disk: if they wait so long, somebody will ask why.
constexpr Duration kSlowDisk = std::chrono::seconds(2);

}  // namespace

JournalLoop::JournalLoop(std::unique_ptr<Journal> journal, std::unique_ptr<Blobs> blobs,
                         std::string state_dir, Hooks hooks, Log& log)
    : journal_(std::move(journal)),
      blobs_(std::move(blobs)),
      state_dir_(std::move(state_dir)),
      hooks_(std::move(hooks)),
      log_(log),
      queue_(kErrandsMax) {
  snapshot_seq_ = journal_->durable_seq();
}

JournalLoop::~JournalLoop() { stop(); }

void JournalLoop::start() {
  thread_ = std::jthread([this] { run(); });
}

void JournalLoop::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
  if (snapshot_thread_.joinable()) snapshot_thread_.join();
}

void JournalLoop::run() {
  for (;;) {
    std::vector<Work> group = queue_.take(kGroupMax, kIdle);
    if (group.empty()) {
      if (queue_.closed()) return;
      static_cast<void>(
          journal_->prepare_next(kPrepareBytes));  // a full disk shows at the next commit
      continue;
    }
    bool in_trouble = false;
    Duration begun = monotonic_clock();
    while (!make_durable(group)) {
      std::string text = journal_->failure() ? journal_->failure()->text : "cannot store scripts";
      if (!in_trouble) {
        log_.error("the log cannot be written, new work is refused until it can: {}", text);
        hooks_.trouble(text);
      }
      in_trouble = true;
      if (queue_.closed()) return;  // what is not durable was not acknowledged
      std::this_thread::sleep_for(kRetry);
    }
    if (in_trouble) {
      log_.info("the log can be written again");
      hooks_.trouble({});
    } else if (Duration took = monotonic_clock() - begun; took >= kSlowDisk) {
      log_.error("the disk took {} ms to make the log durable", took.count());
    }
    deliver(group);
  }
}

bool JournalLoop::make_durable(std::vector<Work>& group) {
  for (Work& work : group) {
    for (BlobToKeep& blob : work.blobs) {
      if (blobs_->contains(blob.id)) continue;
      auto id = blobs_->put(blob.kind, blob.bytes);
      if (!id) return false;
      YM_CHECK(*id == blob.id);
    }
    work.blobs.clear();
  }
  if (!blobs_->sync()) return false;
  for (Work& work : group) {
    if (work.batch.records.empty()) continue;
    std::vector<std::string_view> records(work.batch.records.begin(), work.batch.records.end());
    auto first = journal_->append(records);
    if (!first) return false;
    YM_CHECK(*first == work.batch.events.front().seq.value);
    work.batch.records.clear();  // a retry of the commit must not append them again
  }
  if (journal_->durable_seq() + 1 == journal_->next_seq()) return true;
  return journal_->commit().has_value();
}

void JournalLoop::deliver(std::vector<Work>& group) {
  for (Work& work : group) {
    if (work.errand) {
      work.errand(*this);
      continue;
    }
    hooks_.durable(work);
    last_state_ = std::move(work.batch.state);
  }
  maybe_snapshot(last_state_);
}

void JournalLoop::maybe_snapshot(const Snapshot& state) {
  if (std::uint64_t done = snapshot_done_seq_.exchange(0)) {
    std::uint64_t keep = done > kFeedHistory ? done - kFeedHistory : 0;
    auto pruned = journal_->prune(keep);
    if (!pruned) log_.error("old segments of the log cannot be removed: {}", pruned.error().text);
    drop_unused_blobs(state);
  }
  if (state.seq.value < snapshot_seq_ + kSnapshotEvery || snapshot_running_) return;
  snapshot_seq_ = state.seq.value;
  snapshot_running_ = true;
  snapshot_thread_ = std::jthread([this, state] { write_snapshot(state); });
}

// Scripts and environments that no job refers to any more. Batches still in the queue have not
// stored theirs yet. O(jobs + blobs), once after each snapshot.
void JournalLoop::drop_unused_blobs(const Snapshot& state) {
  std::set<std::string_view> used;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    used.insert(job.spec->script_blob);
    used.insert(job.spec->environment_blob);
  });
  auto dropped = blobs_->retain([&](const std::string& id) { return used.contains(id); });
  if (!dropped) log_.error("unused scripts cannot be removed: {}", dropped.error().text);
}

// Beside everything else, on a copy of the state.
void JournalLoop::write_snapshot(Snapshot state) {
  auto writer = SnapshotWriter::begin(disk_, state_dir_, 0, state.seq.value);
  Status status;
  if (!writer) status = std::unexpected(writer.error());
  if (status)
    wire::write_snapshot(state, [&](std::string_view chunk) {
      status = writer->add(chunk);
      return status.has_value();
    });
  if (status) status = writer->finish();
  if (!status)
    log_.error("no snapshot of the state: {}", status.error().text);
  else
    snapshot_done_seq_ = state.seq.value;
  snapshot_running_ = false;
}

}  // namespace ym
