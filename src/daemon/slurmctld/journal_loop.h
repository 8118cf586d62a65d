// SPDX-License-Identifier: Apache-2.0
// The thread that makes batches durable and then lets their effects out. Everything that waits for
// the disk waits here: the core goes on deciding.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/driver/core.h"
#include "daemon/slurmctld/queue.h"
#include "net/peer.h"
#include "os/log.h"
#include "store/log_home.h"

namespace ym {

// A script or environment that a submission of the batch needs.
struct BlobToKeep {
  BlobKind kind = BlobKind::Script;
  std::string id, bytes;
};

class JournalLoop {
 public:
  struct Work {
    Batch batch;
    std::vector<ConnectionId> routes;  // for each order of the batch; none: the node is away
    std::vector<BlobToKeep> blobs;
    std::function<void(JournalLoop&)> errand;  // something else that must happen on this thread
  };
  struct Hooks {
    std::function<void(Work&)> durable;                       // on the journal thread, in order
    std::function<void(const std::string& trouble)> trouble;  // empty text: it is over
    // Another controller leads by now. From here on nothing is made durable or delivered.
    std::function<void(const std::string& text)> deposed;
  };

  JournalLoop(std::unique_ptr<ReplicatedLog> journal, std::unique_ptr<BlobStore> blobs, Hooks hooks,
              Log& log);
  ~JournalLoop();

  // Started apart from construction, so that the hooks' owner is complete.
  void start();
  // The core hands over a few groups at most, so this needs no bound of its own.
  void submit(Work work) { queue_.push(std::move(work)); }
  // Something else for this thread; false if too much waits already.
  bool try_errand(std::function<void(JournalLoop&)> errand) {
    return queue_.try_push({.batch = {}, .routes = {}, .blobs = {}, .errand = std::move(errand)});
  }
  std::size_t waiting() const { return queue_.size(); }
  // Everything submitted is tried once more, then the thread ends.
  void stop();

  // On the journal thread only.
  ReplicatedLog& journal() { return *journal_; }
  BlobStore& blobs() { return *blobs_; }

 private:
  void run();
  Status make_durable(std::vector<Work>& group);
  // False if it cannot be, because we are to end or lead no more.
  bool insist(std::vector<Work>& group);
  void deliver(std::vector<Work>& group);
  void maybe_snapshot(const Snapshot& state);
  void write_snapshot(Snapshot state);
  void drop_unused_blobs(const Snapshot& state);

  std::unique_ptr<ReplicatedLog> journal_;
  std::unique_ptr<BlobStore> blobs_;
  Hooks hooks_;
  Log& log_;
  BoundedQueue<Work> queue_;
  Snapshot last_state_;             // of the last durable batch
  std::uint64_t snapshot_seq_ = 0;  // of the last one taken
  std::atomic<bool> snapshot_running_ = false;
  std::atomic<std::uint64_t> snapshot_done_seq_ = 0;
  std::jthread snapshot_thread_;
  std::jthread thread_;
};

}  // namespace ym
