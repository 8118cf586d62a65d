// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "net/address.h"

namespace ym {
namespace {

constexpr std::string_view kBindingLabel = "EXPORTER-yardmaster-channel";
constexpr std::size_t kBindingSize = 32;

struct Free {
  void operator()(SSL_CTX* one) const { SSL_CTX_free(one); }
  void operator()(SSL* one) const { SSL_free(one); }
  void operator()(BIO* one) const { BIO_free(one); }
  void operator()(X509* one) const { X509_free(one); }
  void operator()(EVP_PKEY* one) const { EVP_PKEY_free(one); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::string openssl_text(std::string_view otherwise) {
  unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code ? ERR_reason_error_string(code) : nullptr;
  return reason ? reason : std::string(otherwise);
}

Owned<BIO> memory(const std::string& bytes) {
  return Owned<BIO>(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
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

Result<Owned<SSL_CTX>> new_context(const SSL_METHOD* method) {
  Owned<SSL_CTX> context(SSL_CTX_new(method));
  if (!context) return fail("no TLS: " + openssl_text("out of memory"));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  // A buffer may move between attempts to write it, and part of it may have left.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  return context;
}

Status use_identity(SSL_CTX* context, const TlsIdentity& identity) {
  auto text = memory(identity.certificate);
  Owned<X509> certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  auto secret = memory(identity.key);
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(secret.get(), nullptr, nullptr, nullptr));
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
  auto text = memory(authority);
  std::size_t count = 0;
  for (;; ++count) {
    Owned<X509> one(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get());
  }
  ERR_clear_error();
  if (count == 0) return fail("there is no certificate of an authority in it");
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

}  // namespace

struct TlsContext::Impl {
  Owned<SSL_CTX> context;
  bool is_server = false;
  bool verifies = false;
};
struct TlsSession::Impl {
  Owned<SSL> ssl;
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
  impl->context = std::move(*context);
  impl->is_server = true;
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

Result<std::shared_ptr<TlsContext>> TlsContext::client(const std::string& authority) {
  auto context = new_context(TLS_client_method());
  if (!context) return std::unexpected(context.error());
  if (!authority.empty())
    if (Status used = use_authority(context->get(), authority); !used)
      return std::unexpected(used.error());
  auto impl = std::make_unique<Impl>();
  impl->context = std::move(*context);
  impl->verifies = !authority.empty();
  return std::shared_ptr<TlsContext>(new TlsContext(std::move(impl)));
}

Result<std::unique_ptr<TlsSession>> TlsContext::open(int fd, const std::string& name) const {
  Owned<SSL> ssl(SSL_new(impl_->context.get()));
  BIO* socket = ssl ? socket_bio(fd) : nullptr;
  if (!socket) return fail("no TLS: " + openssl_text("out of memory"));
  SSL_set_bio(ssl.get(), socket, socket);  // which owns it
  if (impl_->is_server) {
    SSL_set_accept_state(ssl.get());
  } else {
    SSL_set_connect_state(ssl.get());
    if (!name.empty() && impl_->verifies && SSL_set1_host(ssl.get(), name.c_str()) != 1)
      return fail("no TLS: " + openssl_text("a bad name"));
  }
  auto impl = std::make_unique<TlsSession::Impl>();
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
  long verdict = SSL_get_verify_result(ssl);
  error_ = verdict == X509_V_OK ? "TLS: " + openssl_text("it broke")
                                : std::string("its certificate is not good: ") +
                                      X509_verify_cert_error_string(verdict);
  ERR_clear_error();
  return TlsStep::Failed;
}

TlsStep TlsSession::handshake() {
  errno = 0;
  TlsStep step = judge(SSL_do_handshake(impl_->ssl.get()));
  established_ = step == TlsStep::Done;
  return step;
}

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
