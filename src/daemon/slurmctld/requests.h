// SPDX-License-Identifier: Apache-2.0
// Who waits for which answer: the core's RequestIds and the connections behind them; watchers of
// jobs; nodes.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/outbox.h"
#include "model/job_messages.h"
#include "net/peer.h"

namespace ym {

// Where an answer goes.
struct ReplyTo {
  ConnectionId connection;
  std::uint64_t correlation = 0;
};

class Requests {
 public:
  // What is under way until it has been answered, durably: in the core's queue, decided, on its way
  // to the disk.
  struct Limits {
    std::size_t of_one_max = 5000;              // of one user
    std::size_t bytes_of_one_max = 128u << 20;  // the size of their messages
    std::size_t bytes_max = 1u << 30;           // of all users
    // From here on nothing more of the user's is read, until half of it has been answered.
    std::size_t ahead = 1000, bytes_ahead = 8u << 20;
  };
  // Whose it is, and how large; without a user (an administrator, ourselves) it is not limited.
  struct Weight {
    std::optional<std::uint32_t> uid;
    std::size_t bytes = 0;
  };
  Requests() = default;
  explicit Requests(const Limits& limits) : limits_(limits) {}

  // Whether a small request of this user would be taken now.
  bool has_room(std::optional<std::uint32_t> uid) const;
  // None if too much is under way already.
  std::optional<RequestId> open(ReplyTo to, Weight weight);
  // Whether the user is so far ahead of his answers that this connection of his is to be read no
  // more until take_released() names it.
  bool hold_back(ConnectionId connection, std::optional<std::uint32_t> uid);
  // Those that were held back and need not be any longer. Ask after close().
  std::vector<ConnectionId> take_released();
  // Once: the answer is due exactly one time.
  std::optional<ReplyTo> close(RequestId id);

  struct Watch {
    ReplyTo to;
    WatchJob watch;
  };
  // False if there are too many already.
  static constexpr std::size_t kWatchesMax = 200'000;
  bool watch(const Watch& watch);
  // The watches on these jobs; they stay until removed.
  std::vector<Watch> watching(const std::vector<JobId>& jobs) const;
  // False if somebody else has taken it, and answers.
  bool unwatch(const Watch& watch);
  // A connection is gone. Returns the interactive jobs that lived for it.
  std::vector<JobId> forget(ConnectionId connection);
  // A connection speaks for an interactive job.
  void own(ConnectionId connection, JobId job);
  std::vector<ConnectionId> owners_of(JobId job) const;

  void node_connected(const std::string& node, ConnectionId connection);
  // The node whose connection this was, if it still was the node's current one.
  std::optional<std::string> node_disconnected(ConnectionId connection);
  std::optional<ConnectionId> connection_of(const std::string& node) const;
  std::vector<ConnectionId> node_connections() const;

 private:
  struct Open {
    ReplyTo to;
    Weight weight;
  };
  struct UnderWay {
    std::size_t count = 0, bytes = 0;
    std::set<ConnectionId> held;  // connections that are not read
  };
  bool room(const Weight& weight) const;

  const Limits limits_;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Open> open_;
  std::map<std::uint32_t, UnderWay> users_;  // none without a request
  std::size_t bytes_ = 0;                    // of all users' requests
  std::vector<ConnectionId> released_;
  std::multimap<JobId, Watch> watches_;
  std::multimap<std::uint64_t, JobId> owners_;  // by connection
  std::map<std::string, ConnectionId> nodes_;
  std::map<std::uint64_t, std::string> node_of_;
};

}  // namespace ym
