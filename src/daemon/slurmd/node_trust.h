// SPDX-License-Identifier: Apache-2.0
// A node's side of TLS: its certificate, which it gets from the controller and renews in time, or
// which the site gives it; and whom it believes. Kept in the spool, so that a restart needs nobody;
// published for the commands of this machine.
//
// The controller is believed because it proves the cluster's key on the very channel; other nodes
// by their certificates, too.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "config/security.h"
#include "model/trust_messages.h"
#include "net/certificate.h"
#include "net/tls.h"
#include "os/log.h"
#include "site/configuration.h"

namespace ym {

class NodeTrust {
 public:
  NodeTrust(std::string node, std::string folder, Log& log)
      : node_(std::move(node)), folder_(std::move(folder)), log_(log) {}

  // What is there already. Does nothing more if TLS is off.
  Status open(const LoadedConfiguration& loaded);
  bool on() const { return tls_.on; }

  // What a connection to us may begin with; null: we have no certificate, or TLS is off.
  std::shared_ptr<const TlsContext> server() const { return server_; }
  std::shared_ptr<const TlsContext> to_controller() const { return to_controller_; }
  std::shared_ptr<const TlsContext> to_nodes() const { return to_nodes_; }
  // Of another node, in its certificate. A site's own certificates have names of the site's choice.
  // Where the commands of this machine read whom to believe.
  const std::string& published() const { return published_; }
  bool site_authority() const { return tls_.site_authority; }
  std::string name_of(const std::string& node) const { return tls_.site_authority ? "" : node; }

  // To be sent to the controller: there is no certificate, or it ends before long. Nothing while
  // one is under way.
  std::optional<RequestCertificate> wish(Instant now);
  // The wish is lost, or refused.
  void wish_failed() { wished_.reset(); }
  void take(const CertificateIssued& issued);
  void take(const TrustNews& news);
  // A site's own files, if they have changed.
  void reread();

 private:
  Status read_own();
  Status read_site_files();
  Status use(const TlsIdentity& identity);
  Status believe(const TlsTrust& trust);

  const std::string node_, folder_;
  Log& log_;
  TlsConfig tls_;
  TlsFiles files_;
  std::string published_;
  std::string certificate_;  // in use
  std::optional<CertificateFacts> facts_;
  TlsTrust trust_;
  std::shared_ptr<const TlsContext> server_, to_controller_, to_nodes_;
  std::optional<CertificateWish> wished_;
};

}  // namespace ym
