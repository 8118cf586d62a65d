// SPDX-License-Identifier: Apache-2.0
// A controller that does not lead: follows the log, so that it can take over warm; watches the
// leader's signs of life; tells everybody who asks that somebody else leads.
//
// Who takes over when: whoever is asked to; at once, if the last leader has said that it ends, or
// was ourselves; else when its sign of life has not changed for the lease's time, or for a shorter
// one if its process is known to be gone. Those further down the list of SlurmctldHost lines wait a
// little longer, so that they do not all try at once; whoever led is not waited for. Time is
// measured on our own monotonic clock.
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "daemon/slurmctld/directory.h"
#include "daemon/slurmctld/leader_probe.h"
#include "daemon/slurmctld/recovery.h"
#include "daemon/slurmctld/trust.h"
#include "net/authenticator.h"
#include "net/key_watch.h"
#include "net/keyring.h"
#include "net/server.h"
#include "os/log.h"
#include "site/configuration.h"
#include "store/log_home.h"

namespace ym {

// When to take over: pure, for tests.
class TakeoverClock {
 public:
  struct Self {
    std::string name;
    std::vector<std::string> before;  // the controllers of the SlurmctldHost lines before ours
    Duration lease_time{0};
  };
  explicit TakeoverClock(Self self) : self_(std::move(self)) {}

  // What the home shows at `now`; true: take over. Call it several times a second.
  bool look(const Leadership& seen, Duration now);
  // Whether the leader has been silent for so long that it may well be gone.
  bool leader_is_late(Duration now) const;

 private:
  Duration turn() const;

  const Self self_;
  std::optional<Leadership> last_;
  std::string leader_;   // the last one that had a name
  Duration changed_{0};  // when last_ became what it is
  std::optional<Duration> suspect_since_;
};

class Standby {
 public:
  struct Options {
    LoadedConfiguration loaded;
    std::string name;
    std::size_t index = 0;
    Duration lease_time{0};
    std::uint64_t open_files = 0;     // that we may have; 0: enough
    std::function<void()> leads;      // it has the lead now; on its own thread
    std::function<void()> shut_down;  // somebody wants it to end
  };
  static Result<std::unique_ptr<Standby>> start(Options options, LogHome& home, Log& log);
  ~Standby();

  // After `leads` was called: what is known so far. Stops answering.
  State take();

 private:
  Standby(Options options, KeyRing keys, LogHome& home, Log& log);
  Status listen();
  ServerOptions server_options();
  void run();
  void look();
  void wait_aloud(std::string_view what, const Error& why);
  bool process_is_gone(const Leadership& seen);
  // What connections over the network begin with, once there is an authority; null without.
  std::shared_ptr<const TlsContext> tls_context() const;
  void look_for_authority();
  void follow();
  void on_frame(ConnectionId from, const Peer& peer, const Frame& frame);
  void send_away(ConnectionId node);
  template <class T>
  void answer(ConnectionId to, std::uint64_t correlation, const T& message);
  std::string leader_text() const;

  const Options options_;
  LogHome& home_;
  Log& log_;
  Keys keys_;
  const Instant started_;
  Authenticator authenticator_;
  Directory directory_;
  std::unique_ptr<Server> server_;

  // The thread's own.
  KeyWatch key_watch_;
  TakeoverClock clock_;
  LeaderProbe probe_;
  std::unique_ptr<LogFollower> follower_;
  std::unique_ptr<StateBuilder> builder_;
  std::string lineage_;  // LogHome::last_restore() when the follower began
  std::string told_;     // the last trouble that was logged
  // What is waited for, each once for as long as it is not there.
  std::set<std::string> waits_told_;
  bool blind_ = false;  // who leads could not be seen
  Duration next_look_at_trust_{0};

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::unique_ptr<ControllerTrust> trust_;  // null: no leader has made it yet; guarded by mutex_
  Leadership seen_;                         // guarded by mutex_
  bool wanted_ = false;                     // somebody asked us to take over; guarded by mutex_
  bool late_ = false;                       // guarded by mutex_
  bool stopping_ = false;                   // guarded by mutex_
  std::vector<ConnectionId> parked_;        // nodes that wait for a leader; guarded by mutex_
  std::jthread thread_;
};

}  // namespace ym
