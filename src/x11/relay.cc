// SPDX-License-Identifier: Apache-2.0
#include "x11/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <utility>

#include "os/files.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 32 << 10;
constexpr time_t kDialSeconds = 10;

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

// What was read: bytes, nothing yet, or the end.
enum class Got : std::uint8_t { Bytes, Nothing, End };
Got read_some(int fd, std::string& bytes) {
  bytes.resize(kReadSize);
  ssize_t got = ::recv(fd, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Got::Nothing;
  if (got <= 0) return Got::End;
  bytes.resize(static_cast<std::size_t>(got));
  return Got::Bytes;
}

// Takes off `bytes` what the kernel took; false if the other end is gone.
bool write_some(int fd, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t wrote = ::send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) break;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  bytes.erase(0, done);
  return true;
}

}  // namespace

Relay::Relay(ym::Channel tunnel, std::string residual, std::optional<Display> display)
    : tunnel_(std::move(tunnel)), display_(std::move(display)) {
  set_nonblocking(tunnel_.fd());
  take_bytes(residual);
}

void Relay::take_client(Fd client) {
  if (over_ || channels_.size() >= kX11ChannelsMax) return;
  set_nonblocking(client.get());
  channels_[++last_].fd = std::move(client);
  say({.channel = last_});
}

void Relay::add_polls(std::vector<pollfd>& fds) const {
  auto wanted = [](bool in, bool out) {
    return static_cast<short>((in ? POLLIN : 0) | (out ? POLLOUT : 0));
  };
  fds.push_back({.fd = tunnel_.fd(), .events = wanted(true, !out_.empty()), .revents = 0});
  for (const auto& [number, channel] : channels_) {
    bool in = channel.unsure < kX11Window && !channel.ended;
    fds.push_back(
        {.fd = channel.fd.get(), .events = wanted(in, !channel.out.empty()), .revents = 0});
  }
}

void Relay::go_on(const std::vector<pollfd>& fds, std::size_t& first) {
  short tunnel = fds[first++].revents;
  // As many as there were when they were added; take() may open more, and all may close any.
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, channel] : channels_) numbers.push_back(number);
  std::size_t at = first;
  first += numbers.size();
  for (std::uint32_t number : numbers) {
    short events = fds[at++].revents;
    if (events & POLLOUT) write_local(number, channels_.at(number));
    auto still = channels_.find(number);
    if (still == channels_.end()) continue;
    bool may_read = still->second.unsure < kX11Window && !still->second.ended;
    if (may_read && (events & (POLLIN | POLLHUP | POLLERR))) read_local(number, still->second);
    // An ended channel is not read any more: nothing else would notice that nobody listens.
    if (auto gone = channels_.find(number); gone != channels_.end() && (events & POLLERR))
      close(number);
  }
  if (tunnel & POLLOUT) write_tunnel();
  if (tunnel & (POLLIN | POLLHUP | POLLERR)) read_tunnel();
}

void Relay::read_tunnel() {
  std::string bytes(kReadSize, '\0');
  // poll(2) does not see what TLS has received already.
  do {
    std::size_t got = 0;
    auto moved = tunnel_.read(bytes.data(), bytes.size(), got);
    over_ = over_ || moved == ym::Channel::Moved::End;
    if (moved != ym::Channel::Moved::Some) return;
    take_bytes({bytes.data(), got});
  } while (!over_ && tunnel_.has_pending());
}

void Relay::take_bytes(std::string_view bytes) {
  std::vector<Frame> frames;
  over_ = over_ || !frames_.feed(bytes, frames);
  for (const Frame& frame : frames) {
    if (frame.header.type != wire::message_number<X11Data>) continue;
    auto data = wire::decode<X11Data>(frame.payload);
    if (data) take(*data);
    over_ = over_ || !data;
  }
}

void Relay::write_tunnel() {
  std::size_t done = 0;
  while (done < out_.size()) {
    std::size_t wrote = 0;
    auto moved = tunnel_.write(out_.data() + done, out_.size() - done, wrote);
    over_ = over_ || moved == ym::Channel::Moved::End;
    if (moved != ym::Channel::Moved::Some) break;
    done += wrote;
  }
  out_.erase(0, done);
}

void Relay::say(const X11Data& data) {
  append_frame(out_, {.type = wire::message_number<X11Data>}, wire::encode(data));
  write_tunnel();
}

void Relay::close(std::uint32_t number) {
  channels_.erase(number);
  say({.channel = number, .end = true});
}

Relay::Channel* Relay::open_channel(std::uint32_t number) {
  last_ = number;
  auto fd = channels_.size() < kX11ChannelsMax ? display_->dial() : fail("too many X clients");
  if (!fd) {
    say({.channel = number, .end = true});
    return nullptr;
  }
  set_nonblocking(fd->get());
  Channel& channel = channels_[number];
  channel.fd = std::move(*fd);
  channel.filter.emplace(display_->shown, display_->real);
  return &channel;
}

void Relay::take(const X11Data& data) {
  auto at = channels_.find(data.channel);
  Channel* channel = at == channels_.end() ? nullptr : &at->second;
  // Numbers only grow: an old one that is not here was closed, and its last words may be late.
  if (!channel && display_ && data.channel > last_ && !data.end)
    channel = open_channel(data.channel);
  if (!channel) return;
  channel->unsure -= std::min<std::size_t>(channel->unsure, data.taken);
  if (channel->owed + data.data.size() > kX11Window + kReadSize) return close(data.channel);
  channel->owed += data.data.size();
  Status fine;
  if (channel->filter)
    fine = channel->filter->feed(data.data, channel->out);
  else
    channel->out += data.data;
  if (!fine) {
    say({.channel = data.channel,
         .data = setup_refusal(channel->filter->big_endian(), fine.error().text),
         .end = true});
    channels_.erase(data.channel);
    return;
  }
  channel->ended = channel->ended || data.end;
  write_local(data.channel, *channel);
}

void Relay::read_local(std::uint32_t number, Channel& channel) {
  X11Data data{.channel = number};
  Got got = read_some(channel.fd.get(), data.data);
  if (got == Got::Nothing) return;
  if (got == Got::End) return close(number);
  channel.unsure += data.data.size();
  say(data);
}

void Relay::write_local(std::uint32_t number, Channel& channel) {
  if (!write_some(channel.fd.get(), channel.out)) return close(number);
  if (!channel.out.empty()) return;
  if (channel.ended) {
    channels_.erase(number);
    return;
  }
  if (channel.owed == 0) return;
  std::uint64_t taken = std::exchange(channel.owed, 0);
  say({.channel = number, .taken = taken});
}

Result<Fd> dial_display(const Address& address) {
  auto places = resolve(address);
  if (!places) return std::unexpected(places.error());
  Status why = fail("no address");
  for (const SocketAddress& place : *places) {
    Fd fd(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return fail(errno_text("socket"));
    // Linux bounds connect(2) by the time that a write may take.
    timeval patience{.tv_sec = kDialSeconds, .tv_usec = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    int at_once = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (::connect(fd.get(), place.get(), place.size) == 0) return fd;
    why = fail(errno_text(to_text(place)));
  }
  return std::unexpected(why.error());
}

}  // namespace ym
