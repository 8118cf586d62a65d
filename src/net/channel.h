// SPDX-License-Identifier: Apache-2.0
// A connected socket that bytes go through without waiting: as they are, or within TLS. Whoever
// uses it sees no difference but secured().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/address.h"
#include "net/tls.h"

namespace ym {

class Channel {
 public:
  enum class Moved : std::uint8_t {
    Some,
    WantRead,   // nothing now: go on when the socket is readable
    WantWrite,  // or writable
    End,        // for good; why() says why
  };

  Channel() = default;
  explicit Channel(Fd fd) : fd_(std::move(fd)) {}
  Channel(Channel&&) = default;
  Channel& operator=(Channel&& other) noexcept;
  // Does not say goodbye: a copy in another process may go on.
  ~Channel() = default;

  int fd() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

  // Before the first byte. `ticket`: TlsContext::open.
  Status begin_tls(const TlsContext& context, const std::string& name,
                   const std::string& ticket = {});
  bool has_tls() const { return tls_ != nullptr; }
  // Goes on with the handshake of TLS; Some when it is over, or there is none.
  Moved meet();
  bool met() const { return !tls_ || tls_->established(); }
  bool secured() const { return tls_ && tls_->established(); }
  bool resumed() const { return secured() && tls_->resumed(); }
  // What both ends of a secured channel have in common; empty without TLS.
  std::string binding() const { return secured() ? tls_->binding() : std::string(); }

  // REQUIRES: met(). `done` bytes were moved if it is Some.
  Moved read(char* to, std::size_t size, std::size_t& done);
  Moved write(const char* from, std::size_t size, std::size_t& done);
  // Bytes that have been received and are not seen by poll(2).
  bool has_pending() const { return secured() && tls_->has_pending(); }
  void say_goodbye();
  const std::string& why() const { return why_; }
  int error() const { return errno_; }  // of the socket, after End

  void close() { *this = Channel(); }
  // The socket itself. REQUIRES: no TLS.
  Fd take_fd();

 private:
  Moved judge(TlsStep step);
  Moved judge_socket();

  Fd fd_;
  std::unique_ptr<TlsSession> tls_;  // goes before its socket
  std::string why_;
  int errno_ = 0;
};

}  // namespace ym
