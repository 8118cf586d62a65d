// SPDX-License-Identifier: Apache-2.0
// TLS 1.3 on a non-blocking socket, nothing older. Hides OpenSSL from the rest, and raises no
// SIGPIPE.
//
// Thread rule: a TlsContext is shared by all threads; a TlsSession belongs to one at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

class TlsSession;

// A certificate with its private key, both in PEM.
struct TlsIdentity {
  std::string certificate, key;
};

// Whom a client believes.
struct TlsTrust {
  // Certificates in PEM that the server's must lead to. Empty: any server's is taken, and whoever
  // uses this proves the server in another way, bound to the channel.
  std::string authority;
  std::vector<std::string> revoked;  // serial numbers of certificates, as CertificateFacts has them
  bool operator==(const TlsTrust&) const = default;
};

class TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> server(const TlsIdentity& identity);
  static Result<std::shared_ptr<TlsContext>> client(const TlsTrust& trust);
  // One that shows a certificate of its own to servers that ask for it.
  static Result<std::shared_ptr<TlsContext>> client(const TlsTrust& trust,
                                                    const TlsIdentity& identity);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // Does not own fd, which must be non-blocking. `name`: of the server, in its certificate; not
  // looked at without an authority. Empty: any. `ticket`: a file, for a client only, that keeps
  // what lets the next session begin without a full handshake; empty: none. It must be of use to
  // nobody but this user and this trust.
  Result<std::unique_ptr<TlsSession>> open(int fd, const std::string& name,
                                           const std::string& ticket = {}) const;
  // Whether sessions prove the server by an authority.
  bool verifies() const;

 private:
  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class TlsStep : std::uint8_t { Done, WantRead, WantWrite, Closed, Failed };

class TlsSession {
 public:
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  TlsStep handshake();
  bool established() const { return established_; }
  // It began with a ticket. REQUIRES: established.
  bool resumed() const;
  // REQUIRES: established. `done` bytes were moved if the step is Done.
  TlsStep read(char* to, std::size_t size, std::size_t& done);
  TlsStep write(const char* from, std::size_t size, std::size_t& done);
  // Bytes that were received and not read yet: the socket need not be readable for them.
  bool has_pending() const;
  // Tells the other side that nothing more comes.
  void say_goodbye();
  // After Failed, for people.
  const std::string& error() const { return error_; }
  // The same 32 bytes at both ends of this connection, and at no other. REQUIRES: established.
  std::string binding() const;

 private:
  friend class TlsContext;
  struct Impl;
  explicit TlsSession(std::unique_ptr<Impl> impl);
  TlsStep judge(int result);
  bool meets_revoked_server();

  std::unique_ptr<Impl> impl_;
  bool established_ = false;
  std::string error_;
};

}  // namespace ym
