// SPDX-License-Identifier: Apache-2.0
#include "shepherd/listeners.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/clock.h"

namespace ym {
namespace {

constexpr std::uint32_t kEvery = 0xffffffff;
constexpr std::size_t kReadSize = 16 << 10;
constexpr Duration kLastWords{1000};

}  // namespace

void Listeners::add(Fd fd, Wish wish, const StepAttached& greeting, std::string_view residual) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
  One one;
  one.fd = std::move(fd);
  one.wish = wish;
  if (all_.size() >= kListenersMax) {
    queue(one, wire::message_number<StepOver>,
          wire::encode(StepOver{.error = "too many have attached to this step already"}));
    return;
  }
  if (!one.frames.feed(residual, one.early)) return;
  queue(one, wire::message_number<StepAttached>, wire::encode(greeting));
  all_.push_back(std::move(one));
}

void Listeners::queue(One& one, std::uint16_t type, std::string_view payload) {
  if (!one.fd) return;
  append_frame(one.out, {.type = type}, payload);
  write(one);
  if (one.out.size() > kListenerQueueMax) one.fd = Fd();
}

void Listeners::write(One& one) {
  std::size_t done = 0;
  while (one.fd && done < one.out.size()) {
    ssize_t wrote =
        ::send(one.fd.get(), one.out.data() + done, one.out.size() - done, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) break;
    if (wrote < 0) one.fd = Fd();
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  one.out.erase(0, done);
}

void Listeners::tell(std::uint16_t type, std::string_view payload) {
  for (One& one : all_) queue(one, type, payload);
}

void Listeners::output(std::uint32_t task, StreamKind stream, std::string_view data, bool end) {
  std::string payload;
  for (One& one : all_) {
    if (one.wish.task != kEvery && one.wish.task != task) continue;
    if (payload.empty())
      payload = wire::encode(
          TaskOutput{.task = task, .stream = stream, .data = std::string(data), .end = end});
    queue(one, wire::message_number<TaskOutput>, payload);
  }
}

pollfd Listeners::watched(std::size_t index) const {
  const One& one = all_[index];
  return {.fd = one.fd.get(),
          .events = static_cast<short>(POLLIN | (one.out.empty() ? 0 : POLLOUT)),
          .revents = 0};
}

std::vector<Frame> Listeners::serve(std::size_t index) {
  One& one = all_[index];
  std::vector<Frame> frames = std::exchange(one.early, {});
  write(one);
  char buffer[kReadSize];
  ssize_t got = one.fd ? ::recv(one.fd.get(), buffer, sizeof buffer, 0) : 0;
  bool nothing = got < 0 && (errno == EAGAIN || errno == EINTR);
  if (!nothing && (got <= 0 || !one.frames.feed({buffer, static_cast<std::size_t>(got)}, frames)))
    one.fd = Fd();
  if (!one.wish.input) frames.clear();
  return frames;
}

void Listeners::sweep() {
  std::erase_if(all_, [](const One& one) { return !one.fd; });
}

void Listeners::finish() {
  Duration until = monotonic_clock() + kLastWords;
  for (;;) {
    for (One& one : all_) write(one);
    std::erase_if(all_, [](const One& one) { return !one.fd || one.out.empty(); });
    if (all_.empty() || monotonic_clock() >= until) break;
    std::vector<pollfd> fds;
    for (const One& one : all_)
      fds.push_back({.fd = one.fd.get(), .events = POLLOUT, .revents = 0});
    ::poll(fds.data(), fds.size(), 100);
  }
  all_.clear();
}

}  // namespace ym
