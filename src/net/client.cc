// SPDX-License-Identifier: Apache-2.0
#include "net/client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "net/tls_errors.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 64u << 10;
constexpr Duration kUnixPatience{1000};  // with a queue that is full

// True if `events` (or an error) came before the deadline.
Result<bool> wait_for(int fd, short events, Deadline deadline) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  for (;;) {
    int n = ::poll(&one, 1, deadline.poll_ms());
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) return fail("poll: " + errno_text(errno));
  }
}

void set_tcp_options(int fd) {
  int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Result<Fd> connect_one(const SocketAddress& address, Deadline deadline) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail("no socket: " + errno_text(errno));
  int error = 0;
  // A Unix socket whose queue is full says EAGAIN and has no way to wait for it but trying again.
  while (::connect(fd.get(), address.get(), address.size) != 0) {
    error = std::exchange(errno, 0);
    if (error == EINTR) {
      error = 0;
      continue;
    }
    if (error != EAGAIN || address.family() != AF_UNIX || deadline.passed()) break;
    ::poll(nullptr, 0, 5);
    error = 0;
  }
  if (error == EINPROGRESS || error == EALREADY) {
    auto ready = wait_for(fd.get(), POLLOUT, deadline);
    if (!ready) return std::unexpected(ready.error());
    if (!*ready) return fail("no answer in time");
    socklen_t size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == EISCONN) error = 0;
  if (error != 0) return fail(errno_text(error));
  if (address.family() != AF_UNIX) set_tcp_options(fd.get());
  return fd;
}

// Over TCP, without waiting: it may be connected, or not yet.
Result<Fd> start_connecting(const SocketAddress& address) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail("no socket: " + errno_text(errno));
  set_tcp_options(fd.get());
  if (::connect(fd.get(), address.get(), address.size) != 0 && errno != EINPROGRESS &&
      errno != EINTR)
    return fail(errno_text(errno));
  return fd;
}

bool is_farewell(const Frame& frame) {
  return frame.header.type == static_cast<std::uint16_t>(NetType::Error) &&
         frame.header.correlation == 0;
}

}  // namespace

Result<Client> Client::prepare(const Address& address, const ClientOptions& options) {
  if (options.cluster.size() > kClusterNameMax) return fail("the cluster's name is too long");
  if (options.token.size() > kTokenMax) return fail("the token is too long");
  Client client(Fd(), options.frame_max);
  client.name_ = to_text(address);
  client.cluster_ = options.cluster;
  client.versions_ = options.versions;
  client.unix_ = address.is_unix();
  client.token_ = options.token;
  if (!client.unix_)
    client.proving_ = {.make_token = options.make_token,
                       .check_proof = options.check_proof,
                       .tls = options.tls,
                       .tls_name = options.tls_name,
                       .tls_ticket = options.tls_ticket};
  client.holding_ = client.proving_.check_proof && !(options.tls && options.tls->verifies());
  return client;
}

Result<Client> Client::connect(const Address& address, const ClientOptions& options) {
  auto client = prepare(address, options);
  if (!client) return client;
  Deadline deadline = Deadline::in(options.connect_timeout);
  auto found = resolve(address);
  if (!found) return std::unexpected(found.error());
  std::string why;
  std::uint32_t code = 0;
  for (const SocketAddress& one : *found) {
    auto fd = connect_one(one, deadline);
    if (!fd) {
      why = fd.error().text;
      continue;
    }
    client->channel_ = Channel(std::move(*fd));
    Status begun = client->begin_greeting();
    auto met = begun ? client->finish_tls(deadline) : std::unexpected(begun.error());
    if (met && *met) return client;
    why = met ? "no answer in time" : met.error().text;
    code = met ? 0 : met.error().code;
  }
  return fail(code, fmt::format("cannot connect to {}: {}", to_text(address), why));
}

Result<Client> Client::begin(const Address& address, const ClientOptions& options) {
  auto client = prepare(address, options);
  if (!client) return client;
  auto found = resolve(address);
  if (!found) return std::unexpected(found.error());
  client->alternatives_.assign(found->begin(), found->end());
  if (Status begun = client->connect_next({}); !begun) return std::unexpected(begun.error());
  return client;
}

// The next alternative that does not refuse at once. `why` the one before did not do.
Status Client::connect_next(std::string why) {
  connecting_ = false;
  while (!alternatives_.empty()) {
    SocketAddress address = alternatives_.front();
    alternatives_.pop_front();
    if (address.family() == AF_UNIX) {  // is there at once, or not at all
      auto fd = connect_one(address, Deadline::in(kUnixPatience));
      if (fd) {
        channel_ = Channel(std::move(*fd));
        return begin_greeting();
      }
      why = fd.error().text;
      continue;
    }
    auto fd = start_connecting(address);
    if (fd) {
      channel_ = Channel(std::move(*fd));
      connecting_ = true;
      return {};
    }
    why = fd.error().text;
  }
  return fail(fmt::format("cannot connect to {}: {}", name_, why));
}

Result<bool> Client::finish_connecting(Deadline deadline) {
  while (connecting_) {
    auto ready = wait_for(channel_.fd(), POLLOUT, deadline);
    if (!ready) return std::unexpected(ready.error());
    if (!*ready) return false;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(channel_.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    connecting_ = error != 0;
    if (error != 0) {
      if (Status next = connect_next(errno_text(error)); !next)
        return std::unexpected(next.error());
      continue;
    }
    if (Status begun = begin_greeting(); !begun) return std::unexpected(begun.error());
  }
  return finish_tls(deadline);
}

// The socket is connected.
Status Client::begin_greeting() {
  meeting_ = false;
  if (!proving_.tls) return greet();
  meeting_ = true;
  meeting_wants_ = POLLOUT;
  return channel_.begin_tls(*proving_.tls, proving_.tls_name, proving_.tls_ticket);
}

// False if it takes longer.
Result<bool> Client::finish_tls(Deadline deadline) {
  while (meeting_) {
    Channel::Moved moved = channel_.meet();
    if (moved == Channel::Moved::End)
      return fail(kNotBelieved, fmt::format("cannot talk to {}: {}", name_, channel_.why()));
    meeting_ = moved != Channel::Moved::Some;
    if (!meeting_) {
      if (Status greeted = greet(); !greeted) return std::unexpected(greeted.error());
      break;
    }
    meeting_wants_ = moved == Channel::Moved::WantRead ? POLLIN : POLLOUT;
    auto ready = wait_for(channel_.fd(), meeting_wants_, deadline);
    if (!ready || !*ready) return ready;
  }
  return true;
}

// The hello goes before whatever has been queued.
Status Client::greet() {
  if (std::exchange(greeted_, true)) return {};
  if (proving_.make_token) {
    auto made = proving_.make_token(channel_.binding());
    if (!made) return std::unexpected(made.error());
    if (made->size() > kTokenMax) return fail("the token is too long");
    token_ = std::move(*made);
  }
  out_ = encode_client_hello({.versions = versions_, .cluster = cluster_, .token = token_}) + out_;
  return {};
}

Client Client::adopt(int fd, std::string residual, std::uint32_t frame_max) {
  Client client(Fd(fd), frame_max);
  client.name_ = "the other end";
  client.greeted_ = client.welcomed_ = true;
  client.adopted_ = std::move(residual);
  return client;
}

std::unexpected<Error> Client::lost(std::string what) {
  return fail(fmt::format("lost the connection to {}: {}", name_, what));
}

Error Client::farewell(const Frame& frame) const {
  Error error = decode_error(frame.payload);
  return {error.code, fmt::format("{} closed the connection: {}", name_, error.text)};
}

// The sending side is broken. What the other side said before it closed is worth more than "broken
// pipe".
Status Client::last_words(std::string otherwise) {
  while (ready_.size() < kReadyMax) {
    Status read = read_some(Deadline::in(Duration{0}));
    if (!read && refused_) return read;
    if (!read) break;
  }
  for (const Frame& frame : ready_)
    if (is_farewell(frame)) return std::unexpected(farewell(frame));
  return lost(std::move(otherwise));
}

Result<bool> Client::flush_some() {
  std::size_t done = 0;
  while (done < out_.size()) {
    std::size_t n = 0;
    Channel::Moved moved = channel_.write(out_.data() + done, out_.size() - done, n);
    if (moved == Channel::Moved::Some) {
      done += n;
      continue;
    }
    if (moved != Channel::Moved::End) break;  // in TLS 1.3 it is the socket's room that lacks
    int error = channel_.error();
    std::string why = channel_.why();
    Status end =
        channel_.has_tls() || error == EPIPE || error == ECONNRESET ? last_words(why) : lost(why);
    return std::unexpected(end.error());
  }
  out_.erase(0, done);
  return out_.empty();
}

Status Client::flush(Deadline deadline) {
  auto connected = finish_connecting(deadline);
  if (!connected) return std::unexpected(connected.error());
  if (!*connected) return fail(fmt::format("cannot connect to {}: no answer in time", name_));
  for (;;) {
    auto done = flush_some();
    if (!done) return std::unexpected(done.error());
    if (*done) return {};
    auto ready = wait_for(channel_.fd(), POLLOUT, deadline);
    if (!ready) return std::unexpected(ready.error());
    if (!*ready) return fail(fmt::format("{} did not take the message in time", name_));
  }
}

Result<bool> Client::advance() {
  Deadline at_once = Deadline::in(Duration(0));
  auto connected = finish_connecting(at_once);
  if (!connected || !*connected) return connected;
  auto sent = flush_some();
  if (!sent || !*sent) return sent;
  while (!welcomed_) {
    auto come = readable(Duration(0));
    if (!come || !*come) return come;
    if (Status read = read_some(at_once); !read) return std::unexpected(read.error());
  }
  // What was held back until now.
  return flush_some();
}

short Client::wanted() const {
  if (meeting_ && !connecting_) return meeting_wants_;
  return static_cast<short>(POLLIN | (connecting_ || !out_.empty() ? POLLOUT : 0));
}

Status Client::queue(FrameHeader header, std::string_view payload) {
  if (payload.size() > kFrameMax)
    return fail(
        fmt::format("a message of {} bytes is above the limit of {}", payload.size(), kFrameMax));
  append_frame(holding_ ? held_ : out_, header, payload);
  return {};
}

Result<std::optional<Frame>> Client::poll_frame() {
  auto ready = advance();
  if (!ready) return std::unexpected(ready.error());
  if (!*ready) return std::nullopt;
  if (ready_.empty()) {
    auto more = readable(Duration(0));
    if (!more) return std::unexpected(more.error());
    if (!*more) return std::nullopt;
    if (Status read = read_some(Deadline::in(Duration(0))); !read)
      return std::unexpected(read.error());
  }
  if (ready_.empty()) return std::nullopt;
  auto frame = next_frame(Deadline::in(Duration(0)));
  if (!frame) return std::unexpected(frame.error());
  return std::move(*frame);
}

Status Client::take_bytes(std::string_view bytes) {
  std::string rest;
  if (!welcomed_) {
    auto whole = hello_.feed(bytes);
    if (!whole) {
      refused_ = true;
      std::uint32_t code = whole.error().code;
      return fail(code ? code : kNotBelieved,
                  fmt::format("{} refused: {}", name_, whole.error().text));
    }
    if (!*whole) return {};
    if (Status good = welcome(); !good) return good;
    rest = hello_.take_rest();
    bytes = rest;
  }
  std::vector<Frame> frames;
  if (!bytes.empty())
    if (Status fed = frames_.feed(bytes, frames); !fed) return fed;
  for (Frame& frame : frames) {
    if (frame.header.type == static_cast<std::uint16_t>(NetType::Ping)) {
      append_frame(out_,
                   {.type = static_cast<std::uint16_t>(NetType::Pong),
                    .correlation = frame.header.correlation},
                   {});
    } else if (frame.header.type >= kFirstMessageType ||
               frame.header.type == static_cast<std::uint16_t>(NetType::Error)) {
      ready_.push_back(std::move(frame));
    }
  }
  return {};
}

// The server's hello is whole: it is who we mean, or we leave.
Status Client::welcome() {
  const ServerHello& hello = hello_.server();
  if (!cluster_.empty() && hello.cluster != cluster_)
    return fail(fmt::format("{} is of cluster {}, not {}", name_, hello.cluster, cluster_));
  if (proving_.check_proof) {
    Status genuine =
        proving_.check_proof({.token = token_, .binding = channel_.binding()}, hello.proof);
    if (!genuine)
      return fail(kNotBelieved, fmt::format("{} does not prove that it is of cluster {}: {}", name_,
                                            hello.cluster, genuine.error().text));
  }
  welcomed_ = true;
  version_ = hello.version;
  server_cluster_ = hello.cluster;
  holding_ = false;
  out_ += std::exchange(held_, {});
  return {};
}

Status Client::read_some(Deadline deadline) {
  if (!adopted_.empty()) return take_bytes(std::exchange(adopted_, {}));
  if (!channel_.has_pending()) {
    auto ready = wait_for(channel_.fd(), POLLIN, deadline);
    if (!ready) return std::unexpected(ready.error());
    if (!*ready) return fail(fmt::format("no answer from {} in time", name_));
  }
  std::array<char, kReadSize> buffer;
  std::size_t n = 0;
  Channel::Moved moved = channel_.read(buffer.data(), buffer.size(), n);
  if (moved == Channel::Moved::Some) return take_bytes({buffer.data(), n});
  if (moved != Channel::Moved::End) return {};
  if (channel_.error() != 0) return lost(channel_.why());
  return lost(welcomed_ ? "it closed" : "it closed during the handshake");
}

Result<Frame> Client::next_frame(Deadline deadline) {
  while (ready_.empty()) {
    if (!out_.empty())
      if (Status sent = flush(deadline); !sent) return std::unexpected(sent.error());
    if (Status read = read_some(deadline); !read) return std::unexpected(read.error());
  }
  Frame frame = std::move(ready_.front());
  ready_.pop_front();
  if (is_farewell(frame)) return std::unexpected(farewell(frame));
  return frame;
}

Status Client::finish_handshake(Duration timeout) {
  Deadline deadline = Deadline::in(timeout);
  if (Status sent = flush(deadline); !sent) return sent;
  while (!welcomed_)
    if (Status read = read_some(deadline); !read) return read;
  return out_.empty() ? Status{} : flush(deadline);
}

Status Client::send(FrameHeader header, std::string_view payload, Duration timeout) {
  if (Status queued = queue(header, payload); !queued) return queued;
  return flush(Deadline::in(timeout));
}

Result<Frame> Client::receive(Duration timeout) { return next_frame(Deadline::in(timeout)); }

Result<Frame> Client::call(std::uint16_t type, std::string_view payload, Duration timeout) {
  Deadline deadline = Deadline::in(timeout);
  std::uint64_t id = ++last_correlation_;
  if (Status sent = send({.type = type, .correlation = id}, payload, timeout); !sent)
    return std::unexpected(sent.error());
  std::deque<Frame> others;
  for (;;) {
    Result<Frame> frame = next_frame(deadline);
    if (frame && frame->header.correlation != id) {
      if (others.size() >= kReadyMax) return fail("too many other messages before the answer");
      others.push_back(std::move(*frame));
      continue;
    }
    ready_.insert(ready_.begin(), std::move_iterator(others.begin()),
                  std::move_iterator(others.end()));
    if (frame && frame->header.type == static_cast<std::uint16_t>(NetType::Error))
      return std::unexpected(decode_error(frame->payload));
    return frame;
  }
}

Result<bool> Client::readable(Duration timeout) {
  if (has_buffered()) return true;
  return wait_for(channel_.fd(), POLLIN, Deadline::in(timeout));
}

Client::Released Client::release() {
  YM_CHECK(welcomed_);
  YM_CHECK(out_.empty());
  std::string residual;
  for (const Frame& frame : ready_) append_frame(residual, frame.header, frame.payload);
  residual += frames_.residual();
  residual += adopted_;
  // Whoever has it next polls, and would not see what TLS has received already.
  std::array<char, kReadSize> buffer;
  for (std::size_t n = 0; channel_.has_pending() &&
                          channel_.read(buffer.data(), buffer.size(), n) == Channel::Moved::Some;)
    residual.append(buffer.data(), n);
  return {.channel = std::move(channel_), .residual = std::move(residual)};
}

}  // namespace ym
