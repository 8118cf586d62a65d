// SPDX-License-Identifier: Apache-2.0
// Small calls over one Unix connection: pipelined, and one by one beside a bare socketpair doing
// the same ping-pong.
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/check.h"
#include "net/client.h"
#include "net/server.h"
#include "net/token.h"

namespace ym {
namespace {

constexpr std::uint16_t kEcho = 16;
constexpr std::size_t kSmall = 32;  // bytes of payload
constexpr Duration kPatience{std::chrono::seconds(60)};

struct Echo {
  Echo() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-bench-XXXXXX").string();
    dir = ::mkdtemp(pattern.data());
    server = std::make_unique<Server>(
        ServerOptions{},
        ServerHandlers{.on_frames = [this](ConnectionId id, const Peer&, std::vector<Frame> batch) {
          for (Frame& frame : batch) server->send(id, frame.header, frame.payload);
        }});
    YM_CHECK(server->listen_unix(dir + "/s", 0600).has_value());
  }
  ~Echo() {
    server.reset();
    std::filesystem::remove_all(dir);
  }
  Client client() {
    Client made = Client::connect({.path = dir + "/s"}, {}).value();
    YM_CHECK(made.finish_handshake(kPatience).has_value());
    return made;
  }
  std::string dir;
  std::unique_ptr<Server> server;
};

void small_calls_pipelined(benchmark::State& state) {
  Echo echo;
  Client client = echo.client();
  const auto window = static_cast<std::size_t>(state.range(0));
  std::string batch;
  for (std::size_t i = 0; i < window; ++i)
    append_frame(batch, {.type = kEcho, .correlation = i}, std::string(kSmall, 'x'));
  std::vector<char> buffer(256u << 10);
  for (auto _ : state) {
    // Raw writes and reads: it is the server that is measured.
    std::size_t sent = 0, got = 0;
    while (got < batch.size()) {
      if (sent < batch.size()) {
        ssize_t n = ::send(client.fd(), batch.data() + sent, batch.size() - sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) sent += static_cast<std::size_t>(n);
      }
      if (!client.readable(sent < batch.size() ? Duration{0} : kPatience).value()) continue;
      ssize_t n = ::recv(client.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      YM_CHECK(n > 0);
      got += static_cast<std::size_t>(n);
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(small_calls_pipelined)->Arg(64)->Arg(1000)->Arg(10000)->UseRealTime();

void one_call_at_a_time(benchmark::State& state) {
  Echo echo;
  Client client = echo.client();
  std::string payload(kSmall, 'x');
  for (auto _ : state) YM_CHECK(client.call(kEcho, payload, kPatience).has_value());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_call_at_a_time)->UseRealTime();

// The floor: two threads and a socketpair, blocking, no framing.
void bare_socketpair_ping_pong(benchmark::State& state) {
  int fds[2];
  YM_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  std::thread other([fd = fds[1]] {
    char buffer[256];
    for (ssize_t n; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
      YM_CHECK(::send(fd, buffer, static_cast<std::size_t>(n), 0) == n);
  });
  char message[kSmall + kFrameHeaderSize] = {};
  for (auto _ : state) {
    YM_CHECK(::send(fds[0], message, sizeof message, 0) == ssize_t{sizeof message});
    YM_CHECK(::recv(fds[0], message, sizeof message, 0) == ssize_t{sizeof message});
  }
  ::shutdown(fds[0], SHUT_RDWR);
  other.join();
  ::close(fds[0]);
  ::close(fds[1]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bare_socketpair_ping_pong)->UseRealTime();

void connect_handshake_call_close(benchmark::State& state) {
  Echo echo;
  for (auto _ : state) {
    Client client = Client::connect({.path = echo.dir + "/s"}, {}).value();
    YM_CHECK(client.call(kEcho, "x", kPatience).has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(connect_handshake_call_close)->UseRealTime();

void verify_one_token(benchmark::State& state) {
  ClusterKey key = ClusterKey::from_bytes(std::string(32, 'k')).value();
  Instant now = Instant::from_unix_seconds(1'800'000'000);
  std::string token = sign_token(key,
                                 {.user = "ada",
                                  .uid = 1,
                                  .gid = 1,
                                  .issued = now,
                                  .expires = now + Duration{60'000},
                                  .audience = "emil",
                                  .kind = "user"},
                                 system_entropy())
                          .value();
  for (auto _ : state) YM_CHECK(verify_token(key, token, {.now = now}).has_value());
}
BENCHMARK(verify_one_token);

}  // namespace
}  // namespace ym
