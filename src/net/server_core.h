// SPDX-License-Identifier: Apache-2.0
// What the threads and connections of one Server share.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/lanes.h"
#include "net/address.h"
#include "net/aside.h"
#include "net/loop.h"
#include "net/server.h"

namespace ym {

class ServerConnection;
class SecureRelay;

struct Accepted {
  Fd fd;
  Peer peer;  // complete on a Unix socket; on TCP the address only
  Admission::Place place = {};
};

// One network thread and its connections.
struct ServerShard {
  Loop* loop = nullptr;
  std::unique_ptr<Loop> own_loop;  // null if the loop is somebody else's
  std::thread thread;
  // Looks at `timed`, while there are such; both for the loop's thread only.
  TimerId sweep;
  std::map<std::uint64_t, std::shared_ptr<ServerConnection>> timed;  // that have a deadline
  // By user, the loop's thread only: connections with something to read, and those with room for
  // more of a long answer.
  Lanes<std::shared_ptr<ServerConnection>> reading, room;
  bool serving = false;
  // Of connections that were handed over; the loop's thread only.
  std::map<std::uint64_t, std::shared_ptr<SecureRelay>> relays;

  std::atomic<std::size_t> load{0};  // connections, those on their way to it included
  mutable std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<ServerConnection>> connections;  // protected by mutex
};

struct ServerCore {
  // Constant after construction.
  ServerOptions options;
  ServerHandlers handlers;
  std::vector<std::unique_ptr<ServerShard>> shards;

  std::atomic<std::uint64_t> last_id{0};
  std::atomic<std::size_t> connections{0};
  Admission admission;
  Aside aside;

  explicit ServerCore(const AdmissionLimits& limits) : admission(limits) {}

  // An id tells its shard.
  ServerShard& shard_of(ConnectionId id) { return *shards[id.value % shards.size()]; }
  // An id for a new connection, and so its shard: greater than all before. On shard 0's thread.
  ConnectionId next_id(const Peer& peer);
  std::shared_ptr<ServerConnection> find(ConnectionId id);
  // On the connection's loop's thread. Users take turns, however many connections each has: soon
  // something is read from it, or its handlers hear that it may go on with its answer. Between two
  // continuations everybody's reading has a turn: a thousand long answers do not hold up a
  // question.
  static void read_soon(const std::shared_ptr<ServerCore>& core,
                        std::shared_ptr<ServerConnection> connection);
  static void go_on_soon(const std::shared_ptr<ServerCore>& core,
                         std::shared_ptr<ServerConnection> connection);
  // It has a deadline from now on. On its loop's thread.
  void watch_deadlines(std::shared_ptr<ServerConnection> connection);
  // Forgets the connection. On its loop's thread.
  void remove(ConnectionId id);
};

}  // namespace ym
