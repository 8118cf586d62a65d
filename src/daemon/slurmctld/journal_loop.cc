// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/journal_loop.h"

#include <set>

#include "base/check.h"
#include "os/clock.h"
#include "os/short_turns.h"
#include "store/errc.h"
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
// After a pause the next segment is prepared; then there is nothing to do until something comes.
constexpr Duration kPause = std::chrono::seconds(1), kIdle = std::chrono::hours(1);
// Everybody waits for the disk: if they wait so long, somebody will ask why.
constexpr Duration kSlowDisk = std::chrono::seconds(2);

}  // namespace

JournalLoop::JournalLoop(std::unique_ptr<ReplicatedLog> journal, std::unique_ptr<BlobStore> blobs,
                         Hooks hooks, Log& log)
    : journal_(std::move(journal)),
      blobs_(std::move(blobs)),
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
  take_short_turns();
  take_short_turns();
  bool prepared = false;
  for (;;) {
    std::vector<Work> group = queue_.take(kGroupMax, prepared ? kIdle : kPause);
    if (group.empty()) {
      if (queue_.closed()) return;
      journal_->prepare();
      prepared = true;
      continue;
    }
    prepared = false;
    if (!insist(group)) return;
    deliver(group);
  }
}

bool JournalLoop::insist(std::vector<Work>& group) {
  bool in_trouble = false;
  Duration begun = monotonic_clock();
  for (;;) {
    Status done = make_durable(group);
    if (done) break;
    // A write that failed may have failed because another removes our files.
    bool deposed = done.error().code == store_errc::kFenced;
    if (!deposed)
      if (Status leads = journal_->confirm(); !leads && leads.error().code == store_errc::kFenced) {
        deposed = true;
        done = leads;
      }
    if (deposed) {  // what is not durable was not acknowledged
      hooks_.deposed(done.error().text);
      return false;
    }
    if (!in_trouble) {
      log_.error("the log cannot be written, new work is refused until it can: {}",
                 done.error().text);
      hooks_.trouble(done.error().text);
    }
    in_trouble = true;
    if (queue_.closed()) return false;  // the same
    std::this_thread::sleep_for(kRetry);
  }
  if (in_trouble) {
    log_.info("the log can be written again");
    hooks_.trouble({});
  } else if (Duration took = monotonic_clock() - begun; took >= kSlowDisk) {
    log_.error("the disk took {} ms to make the log durable", took.count());
  }
  return true;
}

Status JournalLoop::make_durable(std::vector<Work>& group) {
  for (Work& work : group) {
    for (BlobToKeep& blob : work.blobs) {
      if (blobs_->contains(blob.id)) continue;
      auto id = blobs_->put(blob.kind, blob.bytes);
      if (!id) return std::unexpected(id.error());
      YM_CHECK(*id == blob.id);
    }
    work.blobs.clear();
  }
  if (Status synced = blobs_->sync(); !synced) return synced;
  for (Work& work : group) {
    if (work.batch.records.empty()) continue;
    std::vector<std::string_view> records(work.batch.records.begin(), work.batch.records.end());
    auto first = journal_->append(records);
    if (!first) return std::unexpected(first.error());
    YM_CHECK(*first == work.batch.events.front().seq.value);
    work.batch.records.clear();  // a retry of the commit must not append them again
  }
  // Answers and orders without a record are a leader's, too.
  if (journal_->durable_seq() + 1 == journal_->next_seq()) return journal_->confirm();
  return journal_->commit();
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
  Status status = journal_->write_snapshot(state.seq.value, [&](const ChunkFn& take) {
    Status taken;
    wire::write_snapshot(state, [&](std::string_view chunk) {
      taken = take(chunk);
      return taken.has_value();
    });
    return taken;
  });
  if (!status)
    log_.error("no snapshot of the state: {}", status.error().text);
  else
    snapshot_done_seq_ = state.seq.value;
  snapshot_running_ = false;
}

}  // namespace ym
