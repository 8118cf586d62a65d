// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: temporary folders, waiting for events, a server that records
// and echoes.
#pragma once
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "net/authenticator.h"
#include "net/client.h"
#include "net/server.h"
#include "net/token.h"

namespace ym {

// Long enough that only a hang meets it.
inline constexpr Duration kPatience{std::chrono::seconds(60)};

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-net-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// State changed by network threads and waited for by the test.
class Events {
 public:
  void change(const std::function<void()>& how) {
    {
      std::lock_guard lock(mutex_);
      how();
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool wait(const std::function<bool()>& until) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, until);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

inline const Instant kTestNow = Instant::from_unix_seconds(1'800'000'000);

inline ClusterKey test_key(char fill = 'k') {
  return ClusterKey::from_bytes(std::string(32, fill)).value();
}

inline std::string test_token(char key_fill = 'k', std::string audience = "emil") {
  Entropy zeros = [](std::span<std::uint8_t> out) { std::fill(out.begin(), out.end(), 0); };
  return sign_token(test_key(key_fill),
                    {.user = "ada",
                     .uid = 1234,
                     .gid = 56,
                     .issued = kTestNow,
                     .expires = kTestNow + std::chrono::seconds(60),
                     .audience = std::move(audience),
                     .kind = "node"},
                    zeros)
      .value();
}

inline constexpr std::uint16_t kEcho = 16;  // answered with its own payload
inline constexpr std::uint16_t kSink = 17;  // only counted
inline constexpr std::uint16_t kFlood =
    18;  // never mind the answers: sends until told Full or Gone
inline constexpr std::uint16_t kCloseMe = 19;   // closed with the payload as reason
inline constexpr std::uint16_t kDetachMe = 20;  // echoed, then detached
inline constexpr std::uint16_t kRefuseMe = 22;  // answered with an error
inline constexpr std::uint16_t kPauseMe = 21;   // no more reading until the test resumes

// Listens on a Unix socket in its own folder and on a loopback port, records what happens.
class EchoServer {
 public:
  explicit EchoServer(ServerOptions options = {}) {
    options.cluster = "emil";
    if (!options.authenticate)
      options.authenticate = authenticate_with(test_key(), "emil", [] { return kTestNow; });
    ServerHandlers handlers{
        .on_open = [this](ConnectionId id,
                          const Peer& peer) { events.change([&] { opened[id] = peer; }); },
        .on_frames = [this](ConnectionId id, const Peer&,
                            std::vector<Frame> batch) { handle(id, std::move(batch)); },
        .on_close = [this](ConnectionId id,
                           const std::string& why) { events.change([&] { closed[id] = why; }); },
        .on_writable = [this](ConnectionId) { events.change([&] { ++writable; }); }};
    server = std::make_unique<Server>(std::move(options), std::move(handlers));
    Status listening = server->listen_unix(path(), 0666);
    EXPECT_TRUE(listening) << listening.error().text;
    auto bound = server->listen_tcp("127.0.0.1", 0);
    EXPECT_TRUE(bound) << bound.error().text;
    port = bound.value_or(0);
  }
  ~EchoServer() { server.reset(); }

  std::string path() const { return dir / "s"; }
  Address unix_address() const { return {.path = path()}; }
  Address tcp_address() const { return {.host = "127.0.0.1", .port = port}; }
  Client client(ClientOptions options = {}) {
    auto made = Client::connect(unix_address(), options);
    EXPECT_TRUE(made) << made.error().text;
    return std::move(*made);
  }
  // Why the only connection so far was closed.
  std::string close_reason() {
    EXPECT_TRUE(events.wait([&] { return !closed.empty(); }));
    auto all = look(&EchoServer::closed);
    return all.empty() ? "" : all.begin()->second;
  }

  // The first connection that opened.
  std::pair<ConnectionId, Peer> first() {
    std::pair<ConnectionId, Peer> found;
    EXPECT_TRUE(events.wait([&] {
      if (!opened.empty()) found = *opened.begin();
      return !opened.empty();
    }));
    return found;
  }
  template <class T>
  T look(T EchoServer::* member) {
    T copy{};
    events.change([&] { copy = this->*member; });
    return copy;
  }

  TempDir dir;
  std::uint16_t port = 0;
  Events events;  // guards everything below
  std::map<ConnectionId, Peer> opened;
  std::map<ConnectionId, std::string> closed;
  std::size_t sunk = 0, batches = 0, writable = 0, flooded = 0;
  bool flood_done = false;
  std::vector<Result<Detached>> detached;
  WhenFull flood_policy = WhenFull::Cut;
  std::unique_ptr<Server> server;

 private:
  void handle(ConnectionId id, std::vector<Frame> batch) {
    events.change([&] { ++batches; });
    for (Frame& frame : batch) handle_one(id, frame);
  }
  void handle_one(ConnectionId id, const Frame& frame) {
    if (frame.header.type == kEcho) server->send(id, frame.header, frame.payload);
    if (frame.header.type == kSink) events.change([&] { ++sunk; });
    if (frame.header.type == kCloseMe) server->close(id, frame.payload);
    if (frame.header.type == kRefuseMe)
      server->send_error(id, frame.header.correlation, {7, "no such job"});
    if (frame.header.type == kPauseMe) server->pause(id);
    if (frame.header.type == kDetachMe) {
      server->send(id, frame.header, frame.payload);
      server->detach(id, [this](Result<Detached> d) {
        events.change([&] { detached.push_back(std::move(d)); });
      });
    }
    if (frame.header.type == kFlood) {
      std::string piece(1000, 'f');
      std::size_t sent = 0;
      while (sent < 1'000'000 &&
             server->send(id, {.type = kFlood}, piece, flood_policy) == SendResult::Sent)
        ++sent;
      events.change([&] { flooded = sent, flood_done = true; });
    }
  }
};

}  // namespace ym
