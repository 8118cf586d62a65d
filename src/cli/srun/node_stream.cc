// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/node_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr std::size_t kReadSize = 64 << 10;
constexpr std::size_t kReadAtOnce = 16;
constexpr std::size_t kConfirmBytes = 256 << 10;  // a quarter of what the node keeps for us
constexpr Duration kLongestPause{2000};

}  // namespace

void NodeStream::adopt(Client client) {
  Client::Released released = client.release();
  fd_ = Fd(released.fd);
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
  frames_ = FrameReader();
  if (!frames_.feed(released.residual, ready_)) lose();
}

Status NodeStream::start(Controller& controller, const LaunchTasks& launch) {
  auto client = controller.connect_node(node_);
  if (!client) return std::unexpected(client.error());
  adopt(std::move(*client));
  send(launch);
  return {};
}

bool NodeStream::try_resume(Controller& controller, Duration now) {
  if (open() || over_ || now < next_try_) return false;
  next_try_ = now + pause_;
  pause_ = std::min(pause_ * 2, kLongestPause);
  auto client = controller.connect_node(node_);
  if (!client) return false;
  std::string unsent = std::move(out_);
  out_.clear();
  adopt(std::move(*client));
  send(resume_);
  out_ += unsent;
  return true;
}

void NodeStream::write() {
  while (open() && !out_.empty()) {
    ssize_t wrote = ::send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) return lose();
    out_.erase(0, static_cast<std::size_t>(wrote));
  }
}

std::vector<Frame> NodeStream::read() {
  std::array<char, kReadSize> buffer;
  for (std::size_t n = 0; open() && n < kReadAtOnce; ++n) {
    ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0 ||
        !frames_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)), ready_))
      lose();
  }
  std::vector<Frame> out;
  out.swap(ready_);
  for (const Frame& frame : out) {
    if (frame.header.type < kFirstMessageType) continue;
    resume_.received = std::max(resume_.received, frame.header.correlation);
    unconfirmed_bytes_ += frame.payload.size() + kFrameHeaderSize;
    pause_ = Duration(100);
  }
  if (unconfirmed_bytes_ >= kConfirmBytes && open()) confirm();
  return out;
}

// The node may forget what has arrived.
void NodeStream::confirm() {
  unconfirmed_bytes_ = 0;
  send(resume_);
}

void NodeStream::lose() {
  fd_ = Fd();
  // A message that left in part only would be garbage on the next connection; whole ones behind it
  // are kept nowhere.
  out_.clear();
  lost_at_ = monotonic_clock();
  next_try_ = lost_at_ + pause_;
}

void NodeStream::set_over() {
  over_ = true;
  fd_ = Fd();
  out_.clear();
}

}  // namespace ym::cli
