// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/trust.h"

#include <unistd.h>

#include <filesystem>
#include <type_traits>

#include "base/format.h"
#include "net/join_token.h"
#include "net/key.h"
#include "net/trust_file.h"
#include "os/clock.h"
#include "os/files.h"
#include "store/errc.h"
#include "store/etcd_home.h"

namespace ym {
namespace {

// A log in etcd has no folder: then the one beside slurm.conf, which controllers may share.
std::string authority_folder(const LoadedConfiguration& loaded, const TlsConfig& tls) {
  if (!tls.authority_dir.empty()) return tls.authority_dir;
  const std::string& state = loaded.config.state_dir;
  bool etcd = is_etcd_place(state);
  return (etcd ? std::filesystem::path(loaded.path).parent_path().string() : state) + "/tls";
}

std::unexpected<Error> not_ours(bool on) {
  return fail(on ? "certificates come from the site's own authority (TLSParameters)"
                 : "there are no certificates: TLS is off");
}

}  // namespace

Result<std::unique_ptr<ControllerTrust>> ControllerTrust::open(const LoadedConfiguration& loaded,
                                                               Log& log, LogHome* home, Role role) {
  std::unique_ptr<ControllerTrust> made(
      new ControllerTrust(tls_of(loaded.config), tls_files(loaded), log, role));
  if (!made->on()) return made;
  made->folder_ = authority_folder(loaded, made->tls_);
  if (home && home->shares_texts() && made->tls_.authority_dir.empty()) made->home_ = home;
  made->prepare_book(home);
  made->cluster_ = loaded.config.cluster_name;
  made->published_ = controller_trust_file(loaded.config);
  Status ready = made->tls_.site_authority ? made->read_site_files()
                                           : made->open_authority(loaded.config.cluster_name);
  if (!ready) return fail("TLS: " + ready.error().text);
  std::lock_guard lock(made->mutex_);
  if (role == Role::Leader) made->publish_locked();
  return made;
}

// Who has no standbys, or is none, is nobody's predecessor.
void ControllerTrust::prepare_book(LogHome* home) {
  if (home_) return;
  std::uint64_t epoch = home ? home->epoch() : 0;
  files_of_book_.emplace(folder_, epoch, [home, epoch]() -> Status {
    if (!home) return {};
    if (home->epoch() != epoch) return fail(store_errc::kFenced, "this epoch is over");
    return home->confirm();
  });
}

Status ControllerTrust::open_authority(const std::string& cluster) {
  bool makeshift = role_ == Role::Standby && !is_made();
  auto authority = makeshift ? Authority::create(cluster, wall_clock())
                   : home_   ? shared_authority(cluster)
                             : Authority::load_or_create(folder_, cluster, wall_clock());
  if (!authority) return std::unexpected(authority.error());
  auto book = home_ ? shared_book() : files_of_book_->read();
  if (!book) return std::unexpected(book.error());
  {
    std::lock_guard lock(mutex_);
    authority_ = std::move(*authority);
    book_ = std::move(*book);
    makeshift_ = makeshift;
  }
  return issue_own();
}

// Of the log's home. A folder of earlier, beside slurm.conf, moves there.
Result<Authority> ControllerTrust::shared_authority(const std::string& cluster) {
  auto key = home_->shared_text(kAuthorityKey);
  if (!key) return std::unexpected(key.error());
  auto certificate = home_->shared_text(kAuthorityCertificate);
  if (!certificate) return std::unexpected(certificate.error());
  if (*key && *certificate)
    return Authority::from({.certificate = std::move(**certificate), .key = std::move(**key)});
  bool moves = ::access((folder_ + "/ca_key.pem").c_str(), F_OK) == 0;
  auto authority = moves ? Authority::load_or_create(folder_, cluster, wall_clock())
                         : Authority::create(cluster, wall_clock());
  if (!authority) return authority;
  auto book = moves ? BookFiles(folder_, 0, {}).read() : TrustBook();
  if (!book) return std::unexpected(book.error());
  // The key last: where it is, the others are.
  const TlsIdentity& made = authority->identity();
  for (const auto& [name, text] :
       {std::pair<const char*, std::string>(kAuthorityBook, book->text()),
        {kAuthorityCertificate, made.certificate},
        {kAuthorityKey, made.key}})
    if (Status shared = home_->share_text(name, text); !shared)
      return std::unexpected(shared.error());
  if (moves) log_.info("the authority of {} is in {} from now on", folder_, home_->describe());
  return authority;
}

Result<TrustBook> ControllerTrust::shared_book() const {
  auto text = home_->shared_text(kAuthorityBook);
  if (!text) return std::unexpected(text.error());
  return *text ? TrustBook::parse(**text) : TrustBook();
}

bool ControllerTrust::is_made() const {
  if (home_) {
    auto key = home_->shared_text(kAuthorityKey);
    return key && *key;
  }
  return ::access((folder_ + "/ca_key.pem").c_str(), F_OK) == 0;
}

Duration ControllerTrust::life() const {
  return tls_.certificate_life > Duration{0} ? tls_.certificate_life : kCertificateLife;
}

Status ControllerTrust::issue_own() {
  Instant now = wall_clock();
  std::lock_guard lock(mutex_);
  auto identity = authority_->issue(std::string(kControllerName), now, life());
  if (!identity) return std::unexpected(identity.error());
  auto facts = read_certificate(identity->certificate);
  if (!facts) return std::unexpected(facts.error());
  auto context = TlsContext::server(*identity);
  if (!context) return std::unexpected(context.error());
  if (role_ == Role::Leader) {
    TrustBook book = book_;
    book.note(*facts, now);
    Status saved = save(book);
    // A full disk must not keep the controller from answering: its own certificate, whose key is in
    // memory alone, is written down with the next change of the book.
    if (!saved && (home_ || saved.error().code == store_errc::kFenced)) return saved;
    if (!saved) log_.error("TLS: {}; noted with the next certificate", saved.error().text);
    book_ = std::move(book);
  }
  facts_ = *facts;
  context_ = std::move(*context);
  log_.info("certificate {} of this controller is good until {}", facts_.serial,
            facts_.until.unix_seconds());
  return {};
}

Status ControllerTrust::read_site_files() {
  auto authority = read_file(files_.authority);
  if (!authority) return std::unexpected(authority.error());
  auto certificate = read_file(files_.controller_certificate);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_secret(files_.controller_key, kPemMax);
  if (!key) return std::unexpected(key.error());
  TlsIdentity identity{.certificate = std::move(*certificate), .key = std::move(*key)};
  std::lock_guard lock(mutex_);
  if (identity.certificate == identity_.certificate && *authority == site_authority_) return {};
  auto context = TlsContext::server(identity);
  if (!context) return std::unexpected(context.error());
  if (auto checked = TlsContext::client({.authority = *authority, .revoked = {}}); !checked)
    return fail(fmt::format("{}: {}", files_.authority, checked.error().text));
  auto facts = read_certificate(identity.certificate);
  if (!facts) return std::unexpected(facts.error());
  facts_ = *facts;
  identity_ = std::move(identity);
  site_authority_ = std::move(*authority);
  context_ = std::move(*context);
  log_.info("certificate {} of the site's authority is good until {}", facts_.serial,
            facts_.until.unix_seconds());
  return {};
}

std::shared_ptr<const TlsContext> ControllerTrust::context() const {
  std::lock_guard lock(mutex_);
  return context_;
}

void ControllerTrust::renew() {
  if (!on()) return;
  bool due = tls_.site_authority, made = false;
  std::string before;
  {
    std::lock_guard lock(mutex_);
    made = makeshift_ && is_made();
    due = due || made || wants_renewal(facts_, wall_clock());
    before = site_authority_;
  }
  if (!due) return;
  Status renewed = tls_.site_authority ? read_site_files()
                   : made              ? open_authority(cluster_)
                                       : issue_own();
  if (!renewed) return log_.error("TLS: the old certificate stays: {}", renewed.error().text);
  {
    std::lock_guard lock(mutex_);
    if (site_authority_ == before) return;
    publish_locked();
  }
  if (on_news_) on_news_();
}

TrustNews ControllerTrust::news() const {
  std::lock_guard lock(mutex_);
  return {.authority = authority_ ? authority_->certificate() : site_authority_,
          .revoked = book_.revoked()};
}

// For commands of this machine. They have other ways if this one fails.
void ControllerTrust::publish_locked() {
  TlsTrust trust{.authority = authority_ ? authority_->certificate() : site_authority_,
                 .revoked = book_.revoked()};
  if (Status wrote = write_file(published_, trust_text(trust)); !wrote)
    log_.error("TLS: {}", wrote.error().text);
}

Status ControllerTrust::save(const TrustBook& book) {
  if (home_) return home_->share_text(kAuthorityBook, book.text());
  return files_of_book_->save(book);
}

// `change` gets a copy of the book, which counts once it is on disk.
template <class Change>
auto ControllerTrust::change(Change&& change) {
  using Answer = std::invoke_result_t<Change, TrustBook&, Instant>;
  bool news = false;
  Answer answer = [&]() -> Answer {
    std::lock_guard lock(mutex_);
    if (!authority_) return not_ours(on());
    TrustBook book = book_;
    Answer done = change(book, wall_clock());
    if (!done) return done;
    if (Status saved = save(book); !saved) return std::unexpected(saved.error());
    news = book.revoked() != book_.revoked();
    book_ = std::move(book);
    if (news) publish_locked();
    return done;
  }();
  if (news && on_news_) on_news_();
  return answer;
}

Result<Peer> ControllerTrust::meet_guest(std::string_view greeting,
                                         std::string_view binding) const {
  auto id = joining_id(greeting);
  if (!id) return std::unexpected(id.error());
  std::lock_guard lock(mutex_);
  const TrustBook::Invitation* one = book_.invitation(*id, wall_clock());
  if (!one) return fail("the join token has been used, or has expired, or was never given");
  if (Status proved = check_join_greeting(one->token, greeting, binding); !proved)
    return std::unexpected(proved.error());
  Peer peer{.kind = PeerKind::Token, .user = *id, .role = "join"};
  peer.uid = peer.gid = 65534;  // nobody
  return peer;
}

std::string ControllerTrust::prove_to_guest(std::string_view greeting,
                                            std::string_view binding) const {
  auto id = joining_id(greeting);
  std::lock_guard lock(mutex_);
  const TrustBook::Invitation* one = id ? book_.invitation(*id, wall_clock()) : nullptr;
  return one ? prove_join(one->token, greeting, binding) : std::string();
}

Result<std::string> ControllerTrust::accept_guest(const std::string& id) {
  return change([&](TrustBook& book, Instant now) { return book.accept(id, now); });
}

Status ControllerTrust::admits(const std::string& node) const {
  std::lock_guard lock(mutex_);
  return book_.may_have(node);
}

Result<std::string> ControllerTrust::sign(const std::string& node, const std::string& request) {
  if (node == kControllerName) return fail("a node of this name gets no certificate");
  return change([&](TrustBook& book, Instant now) -> Result<std::string> {
    if (Status may = book.may_have(node); !may) return std::unexpected(may.error());
    auto certificate = authority_->sign(request, node, now, life());
    if (!certificate) return certificate;
    auto facts = read_certificate(*certificate);
    if (!facts) return std::unexpected(facts.error());
    book.note(*facts, now);
    return certificate;
  });
}

Result<std::string> ControllerTrust::invite(const std::string& node, Duration life) {
  return change([&](TrustBook& book, Instant now) -> Result<std::string> {
    auto token = book.invite(node, life, now, system_entropy());
    if (!token) return std::unexpected(token.error());
    return join_text(*token);
  });
}

Status ControllerTrust::revoke_node(const std::string& node) {
  auto done = change([&](TrustBook& book, Instant now) { return book.revoke_name(node, now); });
  if (!done) return std::unexpected(done.error());
  return {};
}

Status ControllerTrust::revoke_serial(const std::string& serial) {
  return change([&](TrustBook& book, Instant now) { return book.revoke_serial(serial, now); });
}

Certificates ControllerTrust::list() const {
  std::lock_guard lock(mutex_);
  Certificates out;
  for (const auto& [serial, one] : book_.issued())
    out.rows.push_back(
        {.name = one.name, .serial = serial, .until = one.until, .revoked = one.revoked});
  if (!authority_ && on())
    out.rows.push_back({.name = facts_.name, .serial = facts_.serial, .until = facts_.until});
  out.blocked.assign(book_.blocked().begin(), book_.blocked().end());
  return out;
}

}  // namespace ym
