// SPDX-License-Identifier: Apache-2.0
// Asks the controller which certificates are believed, and writes the answer for the commands of
// this machine (net/trust_file.h); and, where the configuration is the controller's, for its files
// whenever it has read them anew. The controller is believed because it proves the cluster's key.
// Everything on the loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "model/config.h"
#include "model/control_messages.h"
#include "net/keyring.h"
#include "net/link.h"
#include "net/loop.h"
#include "os/log.h"

namespace ym {

// A revocation, or another configuration, is known here after that.
inline constexpr Duration kTrustQuestion = std::chrono::seconds(3);

class Follower {
 public:
  using OnFiles = std::function<void(const ConfigFiles& files)>;
  // `loop`, `keys` and `log` must live as long. `on_files` empty: this machine has its own files.
  Follower(Loop& loop, ClusterConfig config, const Keys& keys, Log& log, OnFiles on_files);
  ~Follower();

  void start();

 private:
  std::string token(std::string_view binding) const;
  void ask();
  void take(const Frame& frame);
  void take_news(const Frame& frame);
  void take_files(const Frame& frame);

  Loop& loop_;
  const ClusterConfig config_;
  const Keys& keys_;
  Log& log_;
  const OnFiles on_files_;
  const bool tls_;
  std::string known_;                  // the trust file's text
  std::optional<Instant> configured_;  // that the controller's files are of, which we have
  std::optional<Instant> fetching_;    // that those are of which we have asked for
  TimerId timer_;
  std::unique_ptr<Link> link_;
};

}  // namespace ym
