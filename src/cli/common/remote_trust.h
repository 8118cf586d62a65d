// SPDX-License-Identifier: Apache-2.0
// Whom a command believes over the network, and how it begins quickly the next time.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/common/slurm_conf.h"
#include "net/client.h"
#include "net/tls.h"

namespace ym::cli {

// In the certificates of controllers that the cluster issues itself.
inline constexpr std::string_view kControllerName = "slurmctld";

class RemoteTrust {
 public:
  // The site's authority if there is one; else ca_cert.pem beside slurm.conf, and what the daemons
  // of this machine say.
  static Result<RemoteTrust> find(SlurmConf& conf);

  bool on() const { return context_ != nullptr; }
  // By certificates. If not, the server has to prove the cluster's key.
  bool verifies() const { return context_ && context_->verifies(); }
  void use(ClientOptions& options, const Address& server, const std::string& name) const;

 private:
  std::shared_ptr<const TlsContext> context_;  // null: without TLS
  bool any_name_ = false;
  std::string tickets_;      // a folder of this user's alone; empty: none
  std::string fingerprint_;  // of what is believed: a ticket outlives none of it
};

}  // namespace ym::cli
