// SPDX-License-Identifier: Apache-2.0
#include "net/stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 64u << 10;
constexpr int kReadsPerTurn = 4;  // then the loop's other connections get their turn
constexpr std::size_t kKeepCapacity = 64u << 10;  // an idle connection keeps no large buffer

}  // namespace

Result<std::shared_ptr<Stream>> Stream::create(Loop& loop, Fd fd, StreamOwner& owner,
                                               std::size_t outgoing_max) {
  int number = fd.get();
  std::shared_ptr<Stream> stream(new Stream(loop, std::move(fd), owner, outgoing_max));
  Stream* self = stream.get();  // the watch is a member: it cannot outlive the stream
  auto watch =
      FdWatch::create(loop, number, [self] { self->on_readable(); }, [self] { self->flush(); });
  if (!watch) return std::unexpected(watch.error());
  stream->watch_ = std::move(*watch);
  return stream;
}

SendResult Stream::enqueue(FrameHeader header, std::string_view payload, WhenFull when_full,
                           std::size_t limit) {
  limit = std::min(limit, outgoing_max_);
  bool post = false;
  SendResult result = SendResult::Sent;
  {
    std::lock_guard lock(mutex_);
    if (gone_) return SendResult::Gone;
    // A frame larger than the limit still passes when nothing is waiting.
    if (unsent_ > 0 && unsent_ + kFrameHeaderSize + payload.size() > limit) {
      wants_room_ = true;
      room_below_ = limit / 2;
      if (when_full == WhenFull::Cut) gone_ = true;
      result = SendResult::Full;
    } else {
      append_frame(queue_, header, payload);
      unsent_ += kFrameHeaderSize + payload.size();
      post = !std::exchange(flush_posted_, true);
    }
  }
  if (result == SendResult::Full && when_full == WhenFull::Cut)
    loop_.post([self = shared_from_this()] { self->end("it read too slowly"); });
  else if (post)
    schedule_flush();
  return result;
}

void Stream::enqueue_raw(std::string_view bytes) {
  bool post;
  {
    std::lock_guard lock(mutex_);
    if (gone_) return;
    queue_.append(bytes);
    unsent_ += bytes.size();
    post = !std::exchange(flush_posted_, true);
  }
  if (post) schedule_flush();
}

// Posted, not called: everything that is sent until the loop gets to it leaves in one write.
void Stream::schedule_flush() {
  loop_.post([self = shared_from_this()] {
    {
      std::lock_guard lock(self->mutex_);
      self->flush_posted_ = false;
    }
    self->flush();
  });
}

void Stream::start_reading() {
  if (fd_ && !paused_) watch_.arm_read();
}

void Stream::resume() {
  paused_ = false;
  start_reading();
}

void Stream::on_readable() {
  if (paused_ || !fd_) return;
  auto self = shared_from_this();  // the owner may let go of us
  static thread_local std::array<char, kReadSize> buffer;
  for (int i = 0; i < kReadsPerTurn; ++i) {
    ssize_t n = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return end(errno_text(errno));
    if (n == 0) return end("the other side closed");
    if (!finishing_ && owner_) owner_->on_bytes({buffer.data(), static_cast<std::size_t>(n)});
    if (paused_ || !fd_) return;
    if (static_cast<std::size_t>(n) < buffer.size()) break;
  }
  watch_.arm_read();
}

// Takes what is queued for writing. False if there is nothing to write.
bool Stream::fill_writing() {
  if (written_ < writing_.size()) return true;
  writing_.clear();
  written_ = 0;
  std::lock_guard lock(mutex_);
  if (queue_.capacity() <= kKeepCapacity && writing_.capacity() > kKeepCapacity)
    writing_.shrink_to_fit();
  std::swap(writing_, queue_);
  return !writing_.empty();
}

void Stream::flush() {
  if (!fd_) return;
  auto self = shared_from_this();
  bool room = false;
  while (fill_writing()) {
    ssize_t n = ::send(fd_.get(), writing_.data() + written_, writing_.size() - written_,
                       MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      watch_.arm_write();
      break;
    }
    if (n < 0) return end(errno_text(errno));
    written_ += static_cast<std::size_t>(n);
    std::lock_guard lock(mutex_);
    unsent_ -= static_cast<std::size_t>(n);
    if (wants_room_ && !gone_ && unsent_ <= room_below_) {
      room = true;
      wants_room_ = false;
    }
  }
  if (room && owner_) owner_->on_room();
  if (fd_ && written_ == writing_.size()) after_flush();
}

void Stream::after_flush() {
  {
    std::lock_guard lock(mutex_);
    if (!queue_.empty()) return;  // queued meanwhile: its own flush is posted
  }
  if (finishing_ && !std::exchange(write_ended_, true)) ::shutdown(fd_.get(), SHUT_WR);
  if (std::exchange(tell_flushed_, false) && owner_) owner_->on_flushed();
}

void Stream::notify_when_flushed() {
  tell_flushed_ = true;
  loop_.post([self = shared_from_this()] { self->flush(); });
}

void Stream::flush_now() {
  owner_ = nullptr;
  flush();
}

void Stream::mark_gone() {
  std::lock_guard lock(mutex_);
  gone_ = true;
}

void Stream::finish() {
  mark_gone();
  finishing_ = true;
  paused_ = false;
  watch_.arm_read();
  loop_.post([self = shared_from_this()] { self->flush(); });
}

void Stream::cut(std::string reason) {
  mark_gone();
  loop_.post([self = shared_from_this(), reason = std::move(reason)] { self->end(reason); });
}

void Stream::end(const std::string& reason) {
  if (!fd_) return;
  auto self = shared_from_this();
  StreamOwner* owner = owner_;
  drop();
  if (owner) owner->on_end(reason);
}

void Stream::drop() {
  mark_gone();
  owner_ = nullptr;
  watch_ = {};
  fd_ = {};
}

Fd Stream::take_fd() {
  mark_gone();
  owner_ = nullptr;
  watch_ = {};
  set_blocking(fd_.get());
  return std::move(fd_);
}

}  // namespace ym
