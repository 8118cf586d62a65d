// SPDX-License-Identifier: Apache-2.0
// slurmctld, composed: recovery, the core, the journal, the planner, the desk and the network.
// Holds no rules.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/slurmctld/core_loop.h"
#include "daemon/slurmctld/desk.h"
#include "daemon/slurmctld/directory.h"
#include "daemon/slurmctld/journal_loop.h"
#include "daemon/slurmctld/local_zone.h"
#include "daemon/slurmctld/node_caller.h"
#include "daemon/slurmctld/published.h"
#include "daemon/slurmctld/requests.h"
#include "daemon/slurmctld/side_programs.h"
#include "daemon/slurmctld/trust.h"
#include "net/authenticator.h"
#include "net/key_watch.h"
#include "net/keyring.h"
#include "net/server.h"
#include "os/log.h"
#include "site/configuration.h"
#include "store/log_home.h"

namespace ym {

class ControllerService {
 public:
  struct Options {
    LoadedConfiguration loaded;
    bool clean = false;            // -c: forget the saved state
    bool accept_loss = false;      // -i
    std::uint64_t open_files = 0;  // that we may have; 0: enough
    std::function<void()> shut_down;
    LogHome* home = nullptr;  // in which it leads (log_home.h); outlives the service
    State known = {};         // what is known of the log already
    std::function<void(const std::string& why)> deposed = {};  // another leads by now
    std::function<bool()> sure = {};  // whether it is certain that this one does
    std::size_t index = 0;            // among the SlurmctldHost lines
    Standings standings = {};         // of accounting
  };

  // Recovers, listens and serves; or says why it does not.
  static Result<std::unique_ptr<ControllerService>> start(Options options, Log& log);
  ~ControllerService();

  // SIGHUP: reads the configuration again; refused as a whole if it is wrong.
  void reconfigure();
  void stop();

 private:
  ControllerService(Options options, KeyRing keys, Log& log);
  Status open_state();
  Status listen();
  void call_nodes();
  std::vector<NodeAddress> missing_nodes() const;
  std::string own_socket() const;
  Status renew_keys(const LoadedConfiguration& loaded);
  void watch_keys();
  ServerHandlers handlers();
  ServerOptions server_options();
  DeskSurroundings surroundings();

  Options options_;
  Keys keys_;
  Log& log_;
  Instant started_;
  const MachineZone zone_;
  SidePrograms side_programs_;
  Published published_;
  Requests requests_;
  Directory directory_;
  Authenticator authenticator_;
  std::mutex trouble_mutex_;
  std::string trouble_;      // guarded by trouble_mutex_
  std::string key_trouble_;  // the same
  KeyWatch key_watch_;       // on the server's loop
  std::unique_ptr<JournalLoop> journal_;
  std::unique_ptr<CoreLoop> core_;
  std::unique_ptr<Programs> programs_;
  std::unique_ptr<ControllerTrust> trust_;
  std::unique_ptr<Desk> desk_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<NodeCaller> caller_;  // on the server's loop
};

}  // namespace ym
