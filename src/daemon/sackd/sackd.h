// SPDX-License-Identifier: Apache-2.0
// sackd: on a machine where people log in and no slurmd runs, it hands their commands tokens for
// the controller. It knows who asks by the kernel's word, and is the only one there who can read
// the cluster's key. It needs no privilege. With TLS it also tells them whom to believe, as the
// controller says; and where the machine has no slurm.conf it keeps one for them that is the
// controller's.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "daemon/sackd/follower.h"
#include "daemon/trust/token_rate.h"
#include "model/control_messages.h"
#include "net/key_watch.h"
#include "net/keyring.h"
#include "net/server.h"
#include "os/log.h"
#include "site/configuration.h"

namespace ym {

class Sackd {
 public:
  // `log` must live as long. `fetched_to`: the folder that the controller's files are kept in;
  // empty: the machine has its own.
  Sackd(LoadedConfiguration loaded, KeyRing keys, Log& log, std::string fetched_to = {});
  ~Sackd();

  Status listen(const std::string& path);
  // Key files once more; as they were if something is wrong with them.
  Status renew_keys();
  void stop();

 private:
  void on_frame(ConnectionId from, const Peer& peer, const Frame& frame);
  void follow(ClusterConfig config);
  void take_files(const ConfigFiles& files);
  void give_token(ConnectionId to, const Peer& peer, const Frame& frame);

  const LoadedConfiguration loaded_;
  Keys keys_;
  KeyWatch key_watch_;
  Log& log_;
  const std::string fetched_to_;
  const Instant started_;
  TokenRate rate_;
  std::unique_ptr<Server> server_;
  bool listening_ = false;
  // The server's loop's.
  ConfigFiles files_;
  ClusterConfig followed_;
  std::unique_ptr<Follower> follower_;
};

}  // namespace ym
