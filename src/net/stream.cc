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
constexpr std::size_t kReadAtOnce = 4 * kReadSize;  // then the loop's others get their turn
constexpr char kTlsFirstByte = '\x16';
constexpr std::size_t kKeepCapacity = 64u << 10;  // an idle connection keeps no large buffer

}  // namespace

Result<std::shared_ptr<Stream>> Stream::create(Loop& loop, Fd fd, StreamOwner& owner,
                                               std::size_t outgoing_max) {
  int number = fd.get();
  std::shared_ptr<Stream> stream(new Stream(loop, std::move(fd), owner, outgoing_max));
  Stream* self = stream.get();  // the watch is a member: it cannot outlive the stream
  auto watch = FdWatch::create(
      loop, number, [self] { self->on_readable(); }, [self] { self->on_writable(); });
  if (!watch) return std::unexpected(watch.error());
  stream->watch_ = std::move(*watch);
  return stream;
}

// REQUIRES: mutex_ is held.
bool Stream::is_full(std::size_t bytes, WhenFull when_full, std::size_t limit) const {
  if (unread_ && when_full == WhenFull::Cut && !unread_->may_have(unsent_ + bytes, limited_))
    return true;
  // A frame larger than the limit still passes when nothing is waiting.
  return unsent_ > 0 && unsent_ + bytes > limit;
}

SendResult Stream::enqueue(FrameHeader header, std::string_view payload, WhenFull when_full,
                           std::size_t limit) {
  bool post = false;
  SendResult result = SendResult::Sent;
  {
    std::lock_guard lock(mutex_);
    if (gone_) return SendResult::Gone;
    limit = std::min(limit, outgoing_max_);
    // Long answers come in smaller portions when much is waiting.
    if (unread_ && when_full == WhenFull::Refuse)
      limit = std::min(limit, unread_->portion(limited_));
    if (is_full(kFrameHeaderSize + payload.size(), when_full, limit)) {
      wants_room_ = true;
      room_below_ = limit / 2;
      if (when_full == WhenFull::Cut) gone_ = true;
      result = SendResult::Full;
    } else {
      append_frame(queue_, header, payload);
      unsent_ += kFrameHeaderSize + payload.size();
      if (unread_) unread_->add(kFrameHeaderSize + payload.size());
      post = !std::exchange(flush_posted_, true);
    }
  }
  if (result == SendResult::Full && when_full == WhenFull::Cut)
    loop_.post([self = shared_from_this()] { self->end("it read too slowly"); });
  else if (post)
    schedule_flush();
  return result;
}

SendResult Stream::send_now(FrameHeader header, std::string_view payload) {
  std::unique_lock lock(mutex_);
  bool at_once = direct_ >= 0 && !gone_ && unsent_ == 0 && !loop_.in_loop_thread();
  if (!at_once) {
    lock.unlock();
    return enqueue(header, payload, WhenFull::Cut);
  }
  std::string frame;
  append_frame(frame, header, payload);
  ssize_t n = ::send(direct_, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  // The loop finds out about errors when it tries.
  std::size_t sent = n > 0 ? static_cast<std::size_t>(n) : 0;
  if (sent == frame.size()) return SendResult::Sent;
  queue_.append(frame, sent);
  unsent_ += frame.size() - sent;
  if (unread_) unread_->add(frame.size() - sent);
  bool post = !std::exchange(flush_posted_, true);
  lock.unlock();
  if (post) schedule_flush();
  return SendResult::Sent;
}

void Stream::may_write_at_once() {
  std::lock_guard lock(mutex_);
  if (!channel_.has_tls()) direct_ = channel_.fd();
}

void Stream::enqueue_raw(std::string_view bytes) {
  bool post;
  {
    std::lock_guard lock(mutex_);
    if (gone_) return;
    queue_.append(bytes);
    unsent_ += bytes.size();
    if (unread_) unread_->add(bytes.size());
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
  if (channel_ && !paused_) watch_.arm_read();
}

void Stream::resume() {
  paused_ = false;
  start_reading();
  if (channel_.has_pending()) loop_.post([self = shared_from_this()] { self->on_readable(); });
}

void Stream::set_unread(std::shared_ptr<Unread> unread, bool limited) {
  std::lock_guard lock(mutex_);
  unread_ = std::move(unread);
  limited_ = limited;
  if (unread_) unread_->add(unsent_);
}

// What is not written by now never will be.
void Stream::settle() {
  std::lock_guard lock(mutex_);
  if (auto unread = std::exchange(unread_, nullptr)) unread->remove(unsent_);
}

std::size_t Stream::unsent() {
  std::lock_guard lock(mutex_);
  return unsent_;
}

Status Stream::begin_tls(const TlsContext& context, const std::string& server_name) {
  if (Status begun = channel_.begin_tls(context, server_name); !begun) return begun;
  loop_.post([self = shared_from_this()] { self->flush(); });
  return {};
}

// The first byte of a TLS connection, and of no other that is ours.
void Stream::look_for_tls() {
  char first = 0;
  ssize_t n = ::recv(channel_.fd(), &first, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  auto context = std::exchange(offered_, nullptr);
  if (n != 1 || first != kTlsFirstByte) return;
  if (Status begun = channel_.begin_tls(*context, {}); !begun) end(begun.error().text);
}

// False if there is nothing to read or write yet.
bool Stream::advance_tls() {
  if (channel_.met()) return true;
  switch (channel_.meet()) {
    case Channel::Moved::Some:
      if (owner_) owner_->on_secured();
      return static_cast<bool>(channel_);
    case Channel::Moved::WantRead: watch_.arm_read(); return false;
    case Channel::Moved::WantWrite: watch_.arm_write(); return false;
    case Channel::Moved::End: break;
  }
  end(std::string(channel_.why()));
  return false;
}

// Gives to the owner what has come, up to `budget` bytes. False if that was the end of reading for
// now.
bool Stream::read_some(std::size_t budget) {
  static thread_local std::array<char, kReadSize> buffer;
  while (budget > 0) {
    std::size_t most = std::min(budget, buffer.size()), n = 0;
    Channel::Moved moved = channel_.read(buffer.data(), most, n);
    if (moved == Channel::Moved::WantRead) break;
    if (moved == Channel::Moved::WantWrite) {
      read_waits_for_write_ = true;
      watch_.arm_write();
      return false;
    }
    if (moved == Channel::Moved::End) {
      end(std::string(channel_.why()));
      return false;
    }
    if (!finishing_ && owner_) owner_->on_bytes({buffer.data(), n});
    if (paused_ || !channel_) return false;
    // A record of TLS is shorter than the buffer: more may be there.
    if (!channel_.has_tls() && n < most) break;
    budget -= n;
  }
  return true;
}

void Stream::on_readable() {
  if (paused_ || !channel_) return;
  if (!owner_ || owner_->reads_at_once()) read(kReadAtOnce);
}

void Stream::read(std::size_t budget) {
  if (paused_ || !channel_) return;
  auto self = shared_from_this();  // the owner may let go of us
  if (offered_) look_for_tls();
  if (!channel_ || !advance_tls()) return;
  if (!read_some(budget)) return;
  if (std::exchange(write_waits_for_read_, false)) flush();
  if (!channel_) return;
  if (channel_.has_pending())
    loop_.post([self] { self->on_readable(); });
  else
    watch_.arm_read();
}

void Stream::on_writable() {
  auto self = shared_from_this();
  if (std::exchange(read_waits_for_write_, false)) on_readable();
  flush();
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
  if (!channel_) return;
  auto self = shared_from_this();
  if (!advance_tls()) return;
  bool room = false;
  while (fill_writing()) {
    std::size_t n = 0;
    Channel::Moved moved =
        channel_.write(writing_.data() + written_, writing_.size() - written_, n);
    if (moved == Channel::Moved::WantWrite) watch_.arm_write();
    if (moved == Channel::Moved::WantRead) write_waits_for_read_ = true;
    if (moved == Channel::Moved::End) return end(std::string(channel_.why()));
    if (moved != Channel::Moved::Some) break;
    written_ += n;
    std::lock_guard lock(mutex_);
    unsent_ -= n;
    if (unread_) unread_->remove(n);
    if (wants_room_ && !gone_ && unsent_ <= room_below_) {
      room = true;
      wants_room_ = false;
    }
  }
  if (room && owner_) owner_->on_room();
  if (channel_ && written_ == writing_.size()) after_flush();
}

void Stream::after_flush() {
  {
    std::lock_guard lock(mutex_);
    if (!queue_.empty()) return;  // queued meanwhile: its own flush is posted
  }
  if (finishing_ && !std::exchange(write_ended_, true)) {
    channel_.say_goodbye();
    ::shutdown(channel_.fd(), SHUT_WR);
  }
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
  direct_ = -1;
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
  if (!channel_) return;
  auto self = shared_from_this();
  StreamOwner* owner = owner_;
  drop();
  if (owner) owner->on_end(reason);
}

void Stream::drop() {
  mark_gone();
  settle();
  owner_ = nullptr;
  watch_ = {};
  channel_.say_goodbye();
  channel_.close();
}

Fd Stream::take_fd() {
  mark_gone();
  settle();
  owner_ = nullptr;
  watch_ = {};
  set_blocking(channel_.fd());
  return channel_.take_fd();
}

}  // namespace ym
