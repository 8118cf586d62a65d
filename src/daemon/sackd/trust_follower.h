// SPDX-License-Identifier: Apache-2.0
// Asks the controller which certificates are believed, and writes the answer for the commands of
// this machine (net/trust_file.h). The controller is believed because it proves the cluster's key.
// Everything on the loop's thread.
#pragma once
#include <memory>
#include <string>

#include "base/time.h"
#include "net/keyring.h"
#include "net/link.h"
#include "net/loop.h"
#include "os/log.h"
#include "site/configuration.h"

namespace ym {

// A revocation is known here after that.
inline constexpr Duration kTrustQuestion = std::chrono::seconds(3);

class TrustFollower {
 public:
  // All must live as long.
  TrustFollower(Loop& loop, const LoadedConfiguration& loaded, const Keys& keys, Log& log);
  ~TrustFollower();

  void start();

 private:
  std::string token(std::string_view binding) const;
  void ask();
  void take(const Frame& frame);

  Loop& loop_;
  const LoadedConfiguration& loaded_;
  const Keys& keys_;
  Log& log_;
  std::string known_;  // the file's text
  TimerId timer_;
  std::unique_ptr<Link> link_;
};

}  // namespace ym
