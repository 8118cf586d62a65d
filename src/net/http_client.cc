// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 256 * 1024;
constexpr std::size_t kServersMax = 16;
constexpr Duration kConnectTime{1000};  // there are others
constexpr Duration kTryTime{1200};

Status wait_for(int fd, short events, Deadline deadline) {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  for (;;) {
    int n = ::poll(&one, 1, deadline.poll_ms());
    if (n > 0) return {};
    if (n == 0) return fail("no answer in time");
    if (errno != EINTR) return fail(errno_text(errno));
  }
}

// Until the channel can go on; an error if it ends, or takes too long.
Status wait_for(const Channel& channel, Channel::Moved moved, Deadline deadline) {
  if (moved == Channel::Moved::End) return fail(channel.why());
  short events = moved == Channel::Moved::WantWrite ? POLLOUT : POLLIN;
  return wait_for(channel.fd(), events, deadline);
}

Status send_all(Channel& channel, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    std::size_t done = 0;
    Channel::Moved moved = channel.write(bytes.data(), bytes.size(), done);
    if (moved == Channel::Moved::Some)
      bytes.remove_prefix(done);
    else if (Status ready = wait_for(channel, moved, deadline); !ready)
      return ready;
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<bool> HttpAnswer::feed(std::string_view bytes) {
  in_ += bytes;
  for (;;) {
    if (part_ == Part::Done) return true;
    auto moved = step();
    if (!moved) return moved;
    if (!*moved) return false;
  }
}

// False if more is needed.
Result<bool> HttpAnswer::step() {
  if (part_ == Part::Length || part_ == Part::Chunk) {
    std::size_t n = std::min(left_, in_.size());
    if (body_.size() + n > kBodyMax) return fail("the answer is too long");
    body_.append(in_, 0, n);
    in_.erase(0, n);
    left_ -= n;
    if (left_ > 0) return false;
    part_ = part_ == Part::Length ? Part::Done : Part::ChunkEnd;
    return true;
  }
  std::string_view mark = part_ == Part::Head ? "\r\n\r\n" : "\r\n";
  std::size_t end = in_.find(mark);
  if (end == std::string::npos) {
    if (in_.size() > kHeadMax) return fail("the answer's head is too long");
    return false;
  }
  std::string line = in_.substr(0, end);
  in_.erase(0, end + mark.size());
  switch (part_) {
    case Part::Head:
      if (Status ok = read_head(line); !ok) return std::unexpected(ok.error());
      return true;
    case Part::ChunkHead: {
      line = line.substr(0, line.find(';'));
      auto [at, error] = std::from_chars(line.data(), line.data() + line.size(), left_, 16);
      if (error != std::errc() || at != line.data() + line.size() || left_ > kBodyMax)
        return fail("a chunk without a length");
      part_ = left_ == 0 ? Part::Trailer : Part::Chunk;
      return true;
    }
    case Part::ChunkEnd:
      if (!line.empty()) return fail("a chunk that does not end");
      part_ = Part::ChunkHead;
      return true;
    default:  // Trailer: lines up to an empty one
      if (line.empty()) part_ = Part::Done;
      return true;
  }
}

Status HttpAnswer::read_head(std::string_view head) {
  std::size_t end = std::min(head.find("\r\n"), head.size());
  std::string_view line = head.substr(0, end);
  if (!line.starts_with("HTTP/1.") || line.size() < 12) return fail("not an answer in HTTP/1.1");
  status_ = static_cast<int>(parse_unsigned<std::uint32_t>(line.substr(9, 3)).value_or(0));
  if (status_ < 200) return fail("an answer without a status");
  bool chunked = false;
  std::optional<std::uint64_t> length;
  for (std::string_view rest = head.substr(std::min(end + 2, head.size())); !rest.empty();) {
    std::size_t stop = std::min(rest.find("\r\n"), rest.size());
    std::string_view field = rest.substr(0, stop);
    rest.remove_prefix(std::min(stop + 2, rest.size()));
    std::size_t colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view name = field.substr(0, colon), value = trimmed(field.substr(colon + 1));
    if (same_ignoring_case(name, "transfer-encoding"))
      chunked = same_ignoring_case(value, "chunked");
    if (same_ignoring_case(name, "content-length")) length = parse_u64(value);
    if (same_ignoring_case(name, "connection")) closes_ = same_ignoring_case(value, "close");
  }
  if (!chunked && (!length || *length > kBodyMax)) return fail("an answer of unknown length");
  left_ = chunked ? 0 : *length;
  part_ = chunked ? Part::ChunkHead : Part::Length;
  return {};
}

Result<HttpClient> HttpClient::create(const std::vector<std::string>& servers, Duration timeout,
                                      std::shared_ptr<const TlsContext> tls) {
  HttpClient client;
  client.timeout_ = timeout;
  client.tls_ = std::move(tls);
  if (servers.empty() || servers.size() > kServersMax) return fail("no servers, or too many");
  for (const std::string& server : servers) {
    auto address = parse_address(server, 2379);
    if (!address) return std::unexpected(address.error());
    if (address->is_unix()) return fail(server + " is not host:port");
    client.servers_.push_back(std::move(*address));
  }
  return client;
}

Status HttpClient::connect(Deadline deadline) {
  auto found = resolve(servers_[server_]);
  if (!found) return std::unexpected(found.error());
  Error last{.text = "no address"};
  for (const SocketAddress& one : *found) {
    Fd fd(::socket(one.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return fail("no socket: " + errno_text(errno));
    int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int error = ::connect(fd.get(), one.get(), one.size) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      if (Status ready = wait_for(fd.get(), POLLOUT, deadline); !ready) {
        last = ready.error();
        continue;
      }
      socklen_t size = sizeof error;
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
      channel_ = Channel(std::move(fd));
      return secure(deadline);
    }
    last.text = errno_text(error);
  }
  return std::unexpected(last);
}

Status HttpClient::secure(Deadline deadline) {
  if (!tls_) return {};
  Status begun = channel_.begin_tls(*tls_, servers_[server_].host);
  while (begun && !channel_.met()) {
    Channel::Moved moved = channel_.meet();
    if (moved != Channel::Moved::Some) begun = wait_for(channel_, moved, deadline);
  }
  if (!begun) channel_.close();
  return begun;
}

Result<std::string> HttpClient::post(const std::string& path, const std::string& body) {
  std::string request = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n\r\n",
      path, to_text(servers_[server_]), body.size());
  request += body;
  Deadline deadline = Deadline::in(timeout_);
  Error last{.text = "no server"};
  // Once more than there are servers: a kept connection may have been closed meanwhile. One that is
  // stuck must not take the time of the others.
  for (std::size_t tries = 0; tries <= servers_.size() && !deadline.passed(); ++tries) {
    bool fresh = !channel_;
    Status connected = fresh ? connect(Deadline::in(std::min(kConnectTime, timeout_))) : Status();
    bool last_try = tries == servers_.size() || servers_.size() == 1;
    Deadline patience = last_try ? deadline : Deadline::in(std::min(kTryTime, timeout_));
    auto answer = connected ? post_once(request, patience)
                            : Result<std::string>(std::unexpected(connected.error()));
    if (answer) return answer;
    last = {.text = fmt::format("{}: {}", to_text(servers_[server_]), answer.error().text)};
    channel_.close();
    if (fresh) server_ = (server_ + 1) % servers_.size();
  }
  return std::unexpected(last);
}

Result<std::string> HttpClient::post_once(const std::string& request, Deadline deadline) {
  if (Status sent = send_all(channel_, request, deadline); !sent)
    return std::unexpected(sent.error());
  HttpAnswer answer;
  std::string buffer(kReadSize, '\0');
  for (;;) {
    std::size_t n = 0;
    Channel::Moved moved = channel_.read(buffer.data(), buffer.size(), n);
    if (moved != Channel::Moved::Some) {
      if (Status ready = wait_for(channel_, moved, deadline); !ready)
        return std::unexpected(ready.error());
      continue;
    }
    auto whole = answer.feed({buffer.data(), n});
    if (!whole) return std::unexpected(whole.error());
    if (!*whole) continue;
    if (answer.closes()) channel_.close();
    return answer.take_body();
  }
}

}  // namespace ym
