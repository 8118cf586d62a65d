// SPDX-License-Identifier: Apache-2.0
#include "net/channel.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/check.h"

namespace ym {

Channel& Channel::operator=(Channel&& other) noexcept {
  tls_ = std::move(other.tls_);
  fd_ = std::move(other.fd_);
  why_ = std::move(other.why_);
  errno_ = std::exchange(other.errno_, 0);
  return *this;
}

Status Channel::begin_tls(const TlsContext& context, const std::string& name,
                          const std::string& ticket) {
  auto session = context.open(fd_.get(), name, ticket);
  if (!session) return std::unexpected(session.error());
  tls_ = std::move(*session);
  return {};
}

Channel::Moved Channel::meet() { return met() ? Moved::Some : judge(tls_->handshake()); }

Channel::Moved Channel::judge(TlsStep step) {
  switch (step) {
    case TlsStep::Done: return Moved::Some;
    case TlsStep::WantRead: return Moved::WantRead;
    case TlsStep::WantWrite: return Moved::WantWrite;
    case TlsStep::Closed: why_ = "the other side closed"; return Moved::End;
    case TlsStep::Failed: break;
  }
  why_ = tls_->error();
  return Moved::End;
}

Channel::Moved Channel::judge_socket() {
  errno_ = errno;
  why_ = errno_text(errno_);
  return Moved::End;
}

Channel::Moved Channel::read(char* to, std::size_t size, std::size_t& done) {
  if (tls_) return judge(tls_->read(to, size, done));
  for (;;) {
    ssize_t n = ::recv(fd_.get(), to, size, MSG_DONTWAIT);
    if (n > 0) {
      done = static_cast<std::size_t>(n);
      return Moved::Some;
    }
    if (n == 0) {
      why_ = "the other side closed";
      return Moved::End;
    }
    if (errno == EAGAIN) return Moved::WantRead;
    if (errno != EINTR) return judge_socket();
  }
}

Channel::Moved Channel::write(const char* from, std::size_t size, std::size_t& done) {
  if (tls_) return judge(tls_->write(from, size, done));
  for (;;) {
    ssize_t n = ::send(fd_.get(), from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      done = static_cast<std::size_t>(n);
      return Moved::Some;
    }
    if (errno == EAGAIN) return Moved::WantWrite;
    if (errno != EINTR) return judge_socket();
  }
}

void Channel::say_goodbye() {
  if (tls_) tls_->say_goodbye();
}

Fd Channel::take_fd() {
  YM_CHECK(!tls_);
  return std::move(fd_);
}

}  // namespace ym
