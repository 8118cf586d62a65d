// SPDX-License-Identifier: Apache-2.0
// TLS 1.3 on a non-blocking socket, nothing older. Hides OpenSSL from the rest, and raises no
// SIGPIPE. Not used by the daemons yet: Stream and Client still speak plain TCP.
//
// Thread rule: a TlsContext is shared by all threads; a TlsSession belongs to one at a time.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

class TlsSession;

// A certificate with its private key, both in PEM.
struct TlsIdentity {
  std::string certificate, key;
};

class TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> server(const TlsIdentity& identity);
  // `authority`: certificates in PEM that the server's must lead to. Empty: the server's is not
  // looked at, and whoever uses this proves the server in another way, bound to the channel.
  static Result<std::shared_ptr<TlsContext>> client(const std::string& authority);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // Does not own fd, which must be non-blocking. `name`: of the server, in its certificate; not
  // looked at without an authority. Empty: any.
  Result<std::unique_ptr<TlsSession>> open(int fd, const std::string& name) const;

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

  std::unique_ptr<Impl> impl_;
  bool established_ = false;
  std::string error_;
};

}  // namespace ym
