// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "net/address.h"
#include "net/certificate.h"
#include "net/key.h"
#include "net/openssl.h"
#include "net/tls_errors.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::string_view kBindingLabel = "EXPORTER-yardmaster-channel";
constexpr std::size_t kBindingSize = 32;
constexpr std::size_t kTicketMax = 64u << 10;
// A ticket serves as long as a working day, so that nobody who was revoked is believed for longer
// by those who have not heard of it.
constexpr long kTicketLife_s = 8 * 3600;

std::string openssl_text(std::string_view otherwise) {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code ? ERR_reason_error_string(code) : nullptr;
  return reason ? reason : std::string(otherwise);
}

// OpenSSL's own way to a socket is write(2), which kills a process whose peer has gone.
int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int finish(BIO* bio, ssize_t n, int retry_flag) {
  BIO_clear_retry_flags(bio);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
  return static_cast<int>(n);
}

int socket_write(BIO* bio, const char* from, int size) {
  return finish(bio, ::send(socket_of(bio), from, static_cast<std::size_t>(size), MSG_NOSIGNAL),
                BIO_FLAGS_WRITE);
}

int socket_read(BIO* bio, char* to, int size) {
  return finish(bio, ::recv(socket_of(bio), to, static_cast<std::size_t>(size), 0), BIO_FLAGS_READ);
}

long socket_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

// Made once, for all threads.
BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
    BIO_meth_set_write(made, socket_write);
    BIO_meth_set_read(made, socket_read);
    BIO_meth_set_ctrl(made, socket_control);
    return made;
  }();
  return method;
}

BIO* socket_bio(int fd) {
  BIO* bio = BIO_new(socket_method());
  if (!bio) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(std::intptr_t{fd}));
  BIO_set_init(bio, 1);
  return bio;
}

Result<Openssl<SSL_CTX>> new_context(const SSL_METHOD* method) {
  Openssl<SSL_CTX> context(SSL_CTX_new(method));
  if (!context) return fail("no TLS: " + openssl_text("out of memory"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  // A buffer may move between attempts to write it, and part of it may have left.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

Status use_identity(SSL_CTX* context, const TlsIdentity& identity) {
  auto text = bio_of(identity.certificate);
  Openssl<X509> certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  auto key = key_of(identity.key);
  if (!certificate || !key)
    return fail("the certificate or its key is damaged: " + openssl_text("no PEM"));
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1)
    return fail("the certificate and its key do not serve: " + openssl_text("they do not match"));
  // What leads from the certificate to its authority may follow it.
  while (X509* more = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr))
    SSL_CTX_add0_chain_cert(context, more);
  ERR_clear_error();
  return {};
}

Status use_authority(SSL_CTX* context, const std::string& authority) {
  auto text = bio_of(authority);
  std::size_t count = 0;
  for (;; ++count) {
    Openssl<X509> one(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get());
  }
  ERR_clear_error();
  if (count == 0) return fail("there is no certificate of an authority in it");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

// The session's own file, or none.
const std::string* ticket_file(const SSL* ssl) {
  return static_cast<const std::string*>(SSL_get_app_data(ssl));
}

// A ticket that cannot be kept is only a slower next time.
int keep_ticket(SSL* ssl, SSL_SESSION* session) {
  const std::string* path = ticket_file(ssl);
  // One that served once serves again.
  if (!path || path->empty() || SSL_session_reused(ssl) == 1) return 0;
  unsigned char* bytes = nullptr;
  int size = i2d_SSL_SESSION(session, &bytes);
  if (size > 0)
    static_cast<void>(
        write_file(*path, {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)},
                   0600, Sync::No));
  OPENSSL_free(bytes);
  return 0;  // the session stays OpenSSL's
}

void use_ticket(SSL* ssl, const std::string& path) {
  auto bytes = read_secret(path, kTicketMax);
  if (!bytes) return;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes->data());
  SSL_SESSION* session = d2i_SSL_SESSION(nullptr, &at, static_cast<long>(bytes->size()));
  if (session) SSL_set_session(ssl, session);
  SSL_SESSION_free(session);
  ERR_clear_error();
}

}  // namespace

struct TlsContext::Impl {
  Openssl<SSL_CTX> context;
  bool is_server = false;
  TlsTrust trust;
};
struct TlsSession::Impl {
  Openssl<SSL> ssl;
  bool is_server = false;
  std::string ticket;
  std::vector<std::string> revoked;
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;
TlsSession::TlsSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsSession::~TlsSession() = default;

Result<std::shared_ptr<TlsContext>> TlsContext::server(const TlsIdentity& identity) {
  auto context = new_context(TLS_server_method());
  if (!context) return std::unexpected(context.error());
  if (Status used = use_identity(context->get(), identity); !used)
    return std::unexpected(used.error());
  auto impl = std::make_unique<Impl>();
  SSL_CTX_set_num_tickets(context->get(), 1);
  SSL_CTX_set_timeout(context->get(), kTicketLife_s);
  impl->context = std::move(*context);
  impl->is_server = true;
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

Result<std::shared_ptr<TlsContext>> TlsContext::client(const TlsTrust& trust) {
  auto context = new_context(TLS_client_method());
  if (!context) return std::unexpected(context.error());
  if (!trust.authority.empty())
    if (Status used = use_authority(context->get(), trust.authority); !used)
      return std::unexpected(used.error());
  SSL_CTX_set_session_cache_mode(context->get(),
                                 SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context->get(), keep_ticket);
  auto impl = std::make_unique<Impl>();
  impl->context = std::move(*context);
  impl->trust = trust;
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

Result<std::shared_ptr<TlsContext>> TlsContext::client(const TlsTrust& trust,
                                                       const TlsIdentity& identity) {
  auto made = client(trust);
  if (!made) return made;
  if (Status used = use_identity((*made)->impl_->context.get(), identity); !used)
    return std::unexpected(used.error());
  return made;
}

bool TlsContext::verifies() const { return !impl_->trust.authority.empty(); }

Result<std::unique_ptr<TlsSession>> TlsContext::open(int fd, const std::string& name,
                                                     const std::string& ticket) const {
  Openssl<SSL> ssl(SSL_new(impl_->context.get()));
  BIO* socket = ssl ? socket_bio(fd) : nullptr;
  if (!socket) return fail("no TLS: " + openssl_text("out of memory"));
  SSL_set_bio(ssl.get(), socket, socket);  // which owns it
  auto impl = std::make_unique<TlsSession::Impl>();
  impl->is_server = impl_->is_server;
  impl->ticket = ticket;
  impl->revoked = impl_->trust.revoked;
  if (impl_->is_server) {
    SSL_set_accept_state(ssl.get());
  } else {
    SSL_set_connect_state(ssl.get());
    if (!name.empty() && verifies() && SSL_set1_host(ssl.get(), name.c_str()) != 1)
      return fail("no TLS: " + openssl_text("a bad name"));
    SSL_set_app_data(ssl.get(), &impl->ticket);
    if (!ticket.empty()) use_ticket(ssl.get(), ticket);
  }
  impl->ssl = std::move(ssl);
  return std::unique_ptr<TlsSession>(new TlsSession(std::move(impl)));
}

TlsStep TlsSession::judge(int result) {
  if (result > 0) return TlsStep::Done;
  int failed_with = errno;
  SSL* ssl = impl_->ssl.get();
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ: return TlsStep::WantRead;
    case SSL_ERROR_WANT_WRITE: return TlsStep::WantWrite;
    case SSL_ERROR_ZERO_RETURN: return TlsStep::Closed;
    case SSL_ERROR_SYSCALL:
      error_ = failed_with ? errno_text(failed_with) : "the other side closed";
      ERR_clear_error();
      return TlsStep::Failed;
    default: break;
  }
  // What our own servers say plainly begins with letters, which are no version of TLS.
  if (!impl_->is_server && !established_ &&
      ERR_GET_REASON(ERR_peek_error()) == SSL_R_WRONG_VERSION_NUMBER) {
    error_ = std::string(kNoTls) + " (does its slurm.conf say another TLSType?)";
    ERR_clear_error();
    return TlsStep::Failed;
  }
  long verdict = SSL_get_verify_result(ssl);
  error_ = verdict == X509_V_OK ? "TLS: " + openssl_text("it broke")
                                : std::string("its certificate is not good: ") +
                                      X509_verify_cert_error_string(verdict);
  ERR_clear_error();
  return TlsStep::Failed;
}

// The certificate may have been good and be so no more.
bool TlsSession::meets_revoked_server() {
  if (impl_->revoked.empty()) return false;
  X509* certificate = SSL_get0_peer_certificate(impl_->ssl.get());
  if (!certificate) return false;
  std::string serial = serial_of(certificate);
  return std::ranges::find(impl_->revoked, serial) != impl_->revoked.end();
}

TlsStep TlsSession::handshake() {
  errno = 0;
  TlsStep step = judge(SSL_do_handshake(impl_->ssl.get()));
  if (step == TlsStep::Done && meets_revoked_server()) {
    error_ = "its certificate is not good: it has been revoked";
    return TlsStep::Failed;
  }
  established_ = step == TlsStep::Done;
  return step;
}

bool TlsSession::resumed() const { return SSL_session_reused(impl_->ssl.get()) == 1; }

TlsStep TlsSession::read(char* to, std::size_t size, std::size_t& done) {
  YM_CHECK(established_);
  errno = 0;
  return judge(SSL_read_ex(impl_->ssl.get(), to, size, &done));
}

TlsStep TlsSession::write(const char* from, std::size_t size, std::size_t& done) {
  YM_CHECK(established_);
  errno = 0;
  return judge(SSL_write_ex(impl_->ssl.get(), from, size, &done));
}

bool TlsSession::has_pending() const { return SSL_has_pending(impl_->ssl.get()) == 1; }

void TlsSession::say_goodbye() {
  if (established_) SSL_shutdown(impl_->ssl.get());
  ERR_clear_error();
}

std::string TlsSession::binding() const {
  YM_CHECK(established_);
  std::string bytes(kBindingSize, '\0');
  int made = SSL_export_keying_material(
      impl_->ssl.get(), reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(),
      kBindingLabel.data(), kBindingLabel.size(), nullptr, 0, 0);
  YM_CHECK(made == 1);
  return bytes;
}

}  // namespace ym
