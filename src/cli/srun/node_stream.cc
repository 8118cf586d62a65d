// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/node_stream.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "net/silence.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr std::size_t kConfirmBytes = 128 << 10;
constexpr Duration kLongestPause{2000};

void append_resume(std::string& out, const ResumeStream& resume) {
  append_frame(out, {.type = wire::message_number<ResumeStream>}, wire::encode(resume));
}

}  // namespace

void NodeStream::adopt(Client client) {
  Client::Released released = client.release();
  channel_ = std::move(released.channel);
  watch_for_silence(channel_.fd(), patience_);
  frames_.clear();
  frames_.feed(released.residual);
}

template <class Message>
Status NodeStream::begin(Controller& controller, const Message& first) {
  auto client = controller.start_node(node_);
  if (!client) return std::unexpected(client.error());
  joining_ = std::move(*client);
  join_until_ = monotonic_clock() + controller.config().message_timeout;
  Status queued = joining_->queue({.type = wire::message_number<Message>}, wire::encode(first));
  if (!queued) return queued;
  auto sent = joining_->advance();
  return sent ? Status{} : std::unexpected(sent.error());
}

Status NodeStream::start(Controller& controller, const LaunchTasks& launch) {
  launched_ = direct_ = true;
  return begin(controller, launch);
}

Status NodeStream::attach(Controller& controller) {
  resume_.await_launch = true;
  return begin(controller, resume_);
}

Result<bool> NodeStream::join(Duration now) {
  if (!joining_) return true;
  auto ready = joining_->advance();
  if (!ready) return ready;
  if (!*ready && now >= join_until_) return fail("no answer in time");
  if (!*ready) return false;
  adopt(std::move(*joining_));
  joining_.reset();
  // What was said meanwhile follows at once only on a launch's own connection. Else when the node's
  // end answers: until then the message travels between processes there, which is no place for
  // much.
  if (!std::exchange(joined_, true) && direct_) {
    live_ = true;
    for (const std::string& one : kept_) out_ += one;
  }
  write();
  return true;
}

void NodeStream::stop_joining() {
  joining_.reset();
  Duration since = lost_at_;
  lose();
  if (since > Duration(0)) lost_at_ = since;
}

short NodeStream::wanted() const {
  return joining_ ? joining_->wanted() : static_cast<short>(POLLIN | (out_.empty() ? 0 : POLLOUT));
}

void NodeStream::try_resume(Controller& controller, Duration now) {
  if (open() || over_ || joining_ || now < next_try_) return;
  pause_ = std::min(pause_ * 2, kLongestPause);
  if (!begin(controller, resume_)) stop_joining();
}

void NodeStream::keep(std::string frame) {
  if (over_) return;
  if (live_) out_ += frame;
  kept_bytes_ += frame.size();
  kept_.push_back(std::move(frame));
  write();
}

void NodeStream::write() {
  std::size_t done = 0;
  while (open() && done < out_.size()) {
    std::size_t wrote = 0;
    auto moved = channel_.write(out_.data() + done, out_.size() - done, wrote);
    if (moved == Channel::Moved::End) return lose();
    if (moved != Channel::Moved::Some) break;
    done += wrote;
  }
  out_.erase(0, done);
}

bool NodeStream::receive() {
  if (!open()) return false;
  std::span<char> room = frames_.room();
  std::size_t got = 0;
  auto moved = channel_.read(room.data(), room.size(), got);
  if (moved == Channel::Moved::End) lose();
  if (moved != Channel::Moved::Some) return false;
  frames_.filled(got);
  return true;
}

bool NodeStream::note(const FrameView& frame) {
  if (frame.header.type < kFirstMessageType) return true;
  resume_.received = std::max(resume_.received, frame.header.correlation);
  unconfirmed_bytes_ += frame.payload.size() + kFrameHeaderSize;
  pause_ = Duration(100);
  set_launched();
  if (!live_) {
    live_ = true;
    for (const std::string& one : kept_) out_ += one;
    write();
  }
  if (frame.header.type != wire::message_number<ResumeStream>) return true;
  if (auto confirmed = wire::decode<ResumeStream>(frame.payload)) {
    while (!kept_.empty() && last_ - kept_.size() < confirmed->received) {
      kept_bytes_ -= kept_.front().size();
      kept_.pop_front();
    }
  }
  return false;
}

// The node may forget what has been written out.
void NodeStream::confirm() {
  if (unconfirmed_bytes_ < kConfirmBytes || !open()) return;
  unconfirmed_bytes_ = 0;
  append_resume(out_, resume_);
  write();
}

void NodeStream::lose() {
  channel_.close();
  live_ = false;
  // A message that left in part only would be garbage on the next connection.
  out_.clear();
  frames_.clear();
  lost_at_ = monotonic_clock();
  next_try_ = lost_at_ + pause_;
}

void NodeStream::set_over() {
  if (open()) {
    append_resume(out_, resume_);  // Everything has been written out: the node need not wait.
    write();
  }
  over_ = true;
  joining_.reset();
  channel_.close();
  out_.clear();
}

}  // namespace ym::cli
