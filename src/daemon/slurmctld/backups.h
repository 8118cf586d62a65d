// SPDX-License-Identifier: Apache-2.0
// `yardmaster backup`: the whole state, as it is durable at one moment, sent to an administrator
// while everything goes on. It is made from the published snapshot, which nobody changes, on a
// thread of its own; scripts and environments are asked of the journal's thread.
//
// One at a time: a second one is told to come back later.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/slurmctld/journal_loop.h"
#include "daemon/slurmctld/published.h"
#include "daemon/slurmctld/requests.h"
#include "net/server.h"
#include "os/log.h"
#include "store/log_home.h"

namespace ym {

class Backups {
 public:
  struct Surroundings {
    Server* server = nullptr;
    JournalLoop* journal = nullptr;
    const Published* published = nullptr;
    LogHome* home = nullptr;  // of the log; may have texts beside it
    Log* log = nullptr;
  };
  explicit Backups(Surroundings surroundings) : s_(surroundings) {}
  ~Backups() { stop(); }

  // Answers `to` with the state, sooner or later. Refuses at once if it does not.
  Status begin(ReplyTo to);
  void on_writable(ConnectionId connection);
  void on_close(ConnectionId connection);
  void stop();

 private:
  void run(ReplyTo to, View view);
  Status send_all(ReplyTo to, const View& view);
  Result<std::string> blob(const std::string& id);
  // Waits for room; fails when the reader is gone.
  Status send(ReplyTo to, std::string bytes, bool last = false);

  Surroundings s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All guarded by mutex_.
  ConnectionId current_;  // 0: nobody's
  bool writable_ = false, stopping_ = false;
  std::jthread thread_;
};

}  // namespace ym
