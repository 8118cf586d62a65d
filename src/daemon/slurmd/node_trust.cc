// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/node_trust.h"

#include <unistd.h>

#include "base/format.h"
#include "net/key.h"
#include "net/trust_file.h"
#include "os/files.h"

namespace ym {

Status NodeTrust::open(const LoadedConfiguration& loaded) {
  tls_ = tls_of(loaded.config);
  files_ = tls_files(loaded);
  if (!on()) return {};
  published_ = node_trust_file(loaded.config, node_);
  auto any = TlsContext::client({});
  if (!any) return std::unexpected(any.error());
  if (!to_controller_) to_controller_ = to_nodes_ = std::move(*any);
  if (tls_.site_authority) return read_site_files();
  if (Status made = make_folders(folder_, 0700); !made) return made;
  // What is damaged is asked for again.
  if (Status read = read_own(); !read) log_.info("TLS: {}", read.error().text);
  return {};
}

Status NodeTrust::read_own() {
  std::string certificate_path = folder_ + "/cert.pem", key_path = folder_ + "/key.pem";
  if (auto text = read_file(folder_ + "/trust"))
    if (Status believed = believe(parse_trust(*text)); !believed) return believed;
  if (::access(certificate_path.c_str(), F_OK) != 0)
    return fail("this node has no certificate yet");
  auto certificate = read_file(certificate_path);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_secret(key_path, kPemMax);
  if (!key) return std::unexpected(key.error());
  return use({.certificate = std::move(*certificate), .key = std::move(*key)});
}

Status NodeTrust::read_site_files() {
  auto authority = read_file(files_.authority);
  if (!authority) return std::unexpected(authority.error());
  auto certificate = read_file(files_.node_certificate);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_secret(files_.node_key, kPemMax);
  if (!key) return std::unexpected(key.error());
  if (*certificate != certificate_)
    if (Status used = use({.certificate = std::move(*certificate), .key = std::move(*key)}); !used)
      return used;
  if (*authority == trust_.authority) return {};
  return believe({.authority = std::move(*authority), .revoked = trust_.revoked});
}

void NodeTrust::reread() {
  if (!on() || !tls_.site_authority) return;
  if (Status read = read_site_files(); !read)
    log_.error("TLS: the old certificate stays: {}", read.error().text);
}

Status NodeTrust::use(const TlsIdentity& identity) {
  auto facts = read_certificate(identity.certificate);
  if (!facts) return std::unexpected(facts.error());
  auto context = TlsContext::server(identity);
  if (!context) return std::unexpected(context.error());
  server_ = std::move(*context);
  facts_ = std::move(*facts);
  certificate_ = identity.certificate;
  log_.info("certificate {} of {} is good until {}", facts_->serial, facts_->name,
            facts_->until.unix_seconds());
  return {};
}

Status NodeTrust::believe(const TlsTrust& trust) {
  auto controllers = TlsContext::client({.authority = {}, .revoked = trust.revoked});
  if (!controllers) return std::unexpected(controllers.error());
  auto nodes = TlsContext::client(trust);
  if (!nodes) return std::unexpected(nodes.error());
  to_controller_ = std::move(*controllers);
  to_nodes_ = std::move(*nodes);
  trust_ = trust;
  if (Status wrote = write_file(published_, trust_text(trust)); !wrote)
    log_.error("TLS: {}", wrote.error().text);
  return {};
}

std::optional<RequestCertificate> NodeTrust::wish(Instant now) {
  if (!on() || tls_.site_authority || wished_) return std::nullopt;
  if (server_ && facts_ && facts_->name == node_ && !wants_renewal(*facts_, now))
    return std::nullopt;
  auto made = wish_certificate(node_);
  if (!made) {
    log_.error("TLS: {}", made.error().text);
    return std::nullopt;
  }
  wished_ = std::move(*made);
  return RequestCertificate{.node = node_, .request = wished_->request};
}

void NodeTrust::take(const CertificateIssued& issued) {
  if (!wished_) return;
  TlsIdentity identity{.certificate = issued.certificate, .key = wished_->key};
  wished_.reset();
  if (Status used = use(identity); !used) return log_.error("TLS: {}", used.error().text);
  // The key first: where the certificate is, the key is. A pair that does not fit, after a crash
  // in between, is refused when it is read, and asked for again.
  Status wrote = write_file(folder_ + "/key.pem", identity.key, 0600);
  if (wrote) wrote = write_file(folder_ + "/cert.pem", identity.certificate);
  if (!wrote) log_.error("TLS: {}", wrote.error().text);
}

void NodeTrust::take(const TrustNews& news) {
  if (!on()) return;
  TlsTrust trust{.authority = tls_.site_authority ? trust_.authority : news.authority,
                 .revoked = news.revoked};
  if (trust == trust_) return;
  if (Status believed = believe(trust); !believed)
    return log_.error("TLS: {}", believed.error().text);
  log_.info("TLS: {} certificates are revoked", trust.revoked.size());
  if (tls_.site_authority) return;
  if (Status wrote = write_file(folder_ + "/trust", trust_text(trust)); !wrote)
    log_.error("TLS: {}", wrote.error().text);
}

}  // namespace ym
