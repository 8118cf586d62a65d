// SPDX-License-Identifier: Apache-2.0
// The controller's side of TLS: its own certificate, and, unless the site has an authority of its
// own, the cluster's authority. That is kept beside the log, where all controllers find it: in the
// state folder, or in etcd: the authority's key, and the book of what it issued and revoked.
//
// Thread rule: any thread.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "config/security.h"
#include "daemon/slurmctld/book_files.h"
#include "model/trust_messages.h"
#include "net/authority.h"
#include "net/peer.h"
#include "net/tls.h"
#include "net/trust_book.h"
#include "os/log.h"
#include "site/configuration.h"
#include "store/log_home.h"

namespace ym {

// In the certificates of controllers. No node may be called so.
inline constexpr std::string_view kControllerName = "slurmctld";

// What the authority is kept as: files of the folder "tls", or texts beside the log.
inline constexpr const char *kAuthorityKey = "ca_key.pem", *kAuthorityCertificate = "ca_cert.pem",
                            *kAuthorityBook = "book";

class ControllerTrust {
 public:
  // Reads or makes what is needed, if TLS is on. Who stands by writes nothing: as long as no leader
  // has made the authority it has one in memory, which serves those who look for the proof of the
  // key only.
  enum class Role : std::uint8_t { Leader, Standby };
  // `home` outlives this.
  static Result<std::unique_ptr<ControllerTrust>> open(const LoadedConfiguration& loaded, Log& log,
                                                       LogHome* home = nullptr,
                                                       Role role = Role::Leader);

  bool on() const { return tls_.on; }
  // What a connection may begin with; null if TLS is off.
  std::shared_ptr<const TlsContext> context() const;
  // A new certificate before the old one ends; a site's own files, read again if they changed.
  void renew();
  TrustNews news() const;
  // Called when news() has changed, without a lock held.
  void set_on_news(std::function<void()> tell) { on_news_ = std::move(tell); }

  // Those who come with a join token. Peer::role is "join", Peer::user the token's id.
  Result<Peer> meet_guest(std::string_view greeting, std::string_view binding) const;
  std::string prove_to_guest(std::string_view greeting, std::string_view binding) const;
  // The token has served.
  Result<std::string> accept_guest(const std::string& id);

  // The node may speak to us; says why not.
  Status admits(const std::string& node) const;
  Result<std::string> sign(const std::string& node, const std::string& request);
  Result<std::string> invite(const std::string& node, Duration life);
  Status revoke_node(const std::string& node);
  Status revoke_serial(const std::string& serial);
  Certificates list() const;

 private:
  ControllerTrust(TlsConfig tls, TlsFiles files, Log& log, Role role)
      : tls_(std::move(tls)), files_(std::move(files)), log_(log), role_(role) {}
  Status open_authority(const std::string& cluster);
  Result<Authority> shared_authority(const std::string& cluster);
  Result<TrustBook> shared_book() const;
  bool is_made() const;
  Status read_site_files();
  Status issue_own();
  Status save(const TrustBook& book);
  void prepare_book(LogHome* home);
  // Saves the changed book, and tells.
  template <class Change>
  auto change(Change&& change);
  void publish_locked();
  Duration life() const;

  // Constant after open.
  const TlsConfig tls_;
  const TlsFiles files_;
  Log& log_;
  const Role role_;
  std::string folder_, published_, cluster_;
  LogHome* home_ = nullptr;  // where the authority is; null: in folder_
  std::function<void()> on_news_;

  mutable std::mutex mutex_;
  // Below: guarded by mutex_.
  std::optional<Authority> authority_;
  bool makeshift_ = false;                  // of a standby that has not seen the cluster's yet
  std::optional<BookFiles> files_of_book_;  // none: in home_
  TrustBook book_;
  TlsIdentity identity_;
  CertificateFacts facts_;
  std::string site_authority_;
  std::shared_ptr<const TlsContext> context_;
};

}  // namespace ym
