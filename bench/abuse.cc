// SPDX-License-Identifier: Apache-2.0
// What nobody should do to a controller, and a user who suffers from it.
//
//   abuse idle SOCKET CLUSTER COUNT USERS
//       so many connections that say hello and nothing more, of so many users
//   abuse flood SOCKET CLUSTER CONNECTIONS [UID]
//       one user's submissions, as fast as the connections take them
//   abuse loris SOCKET COUNT [UID]
//       connections that send a hello byte by byte, and come back when they are cut off
//   abuse garbage SOCKET COUNT [UID]
//       the same with noise, and with messages that claim to be huge
//   abuse silent PORT ADDRESSES COUNT [FILE]
//       over TCP, from so many addresses of this machine (127.0.0.10 …) so many connections each
//       that never say hello, and come back; FILE: what each says first (of TLS, say)
//   abuse probe SOCKET CLUSTER SECONDS [UID [KEY]]
//       a user who asks, submits (held) and asks again, every few milliseconds; over TCP
//       (HOST:PORT) with a token of the cluster's KEY
//
// All but probe go on until SIGTERM, and say "ready" when they have begun. Each prints one line of
// JSON. Root becomes the users; others are always themselves.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/prng.h"
#include "model/job_messages.h"
#include "net/client.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/open_files.h"
#include "os/random.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace {

constexpr uid_t kIdleUsers = 30000, kFlooder = 40000, kSlow = 40001, kNoisy = 40002,
                kSufferer = 40003;
constexpr auto kWait = std::chrono::seconds(60);

volatile sig_atomic_t g_stop = 0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "abuse: %s\n", text.c_str());
  std::exit(1);
}

void ready() {
  std::puts("ready");
  std::fflush(stdout);
}

// The kernel tells the server the uid of this moment.
ym::Result<ym::Client> connect_as(uid_t uid, const std::string& socket,
                                  const std::string& cluster) {
  bool root = ::getuid() == 0;
  if (root && ::seteuid(uid) != 0) fail("cannot become somebody else");
  auto client = ym::Client::connect({.path = socket}, {.cluster = cluster});
  if (root && ::seteuid(0) != 0) fail("cannot become root again");
  return client;
}

int idle(const std::string& socket, const std::string& cluster, long count, long users) {
  std::vector<ym::Client> clients;
  for (long i = 0; i < count; ++i) {
    auto client = connect_as(kIdleUsers + static_cast<uid_t>(i % users), socket, cluster);
    if (!client) fail(client.error().text);
    if (auto met = client->finish_handshake(kWait); !met) fail(met.error().text);
    clients.push_back(std::move(*client));
  }
  ready();
  while (!g_stop) ::poll(nullptr, 0, 50);
  long cut = 0;
  for (ym::Client& client : clients) {
    auto readable = client.readable(ym::Duration(0));
    cut += readable && *readable;
  }
  std::printf("{\"connections\": %ld, \"cut\": %ld}\n", count, cut);
  return 0;
}

std::string a_submission() {
  ym::SubmitJob submit;
  submit.spec.name = "abuse";
  submit.spec.work_dir = "/tmp";
  submit.spec.std_out = "/dev/null";
  submit.spec.time_limit_s = 60;
  submit.spec.batch = true;
  submit.script = "#!/bin/sh\ntrue\n";
  submit.hold = true;
  return ym::wire::encode(submit);
}

int flood(const std::string& socket, const std::string& cluster, long connections, uid_t uid) {
  std::vector<ym::Client> clients;
  for (long i = 0; i < connections; ++i) {
    auto client = connect_as(uid, socket, cluster);
    if (!client) fail(client.error().text);
    if (auto met = client->finish_handshake(kWait); !met) fail(met.error().text);
    clients.push_back(std::move(*client));
  }
  ready();
  const std::string message = a_submission();
  constexpr long kWindow = 500;  // of each connection: what a socket takes at once
  std::vector<long> under_way(clients.size());
  long taken = 0, refused = 0;
  while (!g_stop)
    for (std::size_t i = 0; i < clients.size() && !g_stop; ++i) {
      for (; under_way[i] < kWindow; ++under_way[i]) {
        ym::FrameHeader header{
            .type = ym::wire::message_number<ym::SubmitJob>, .flags = 0, .correlation = 1};
        if (auto ok = clients[i].queue(header, message); !ok) fail(ok.error().text);
      }
      for (;;) {
        auto frame = clients[i].poll_frame();
        if (!frame) fail(frame.error().text);
        if (!*frame) break;
        --under_way[i];
        bool good = (*frame)->header.type == ym::wire::message_number<ym::SubmitAnswer>;
        ++(good ? taken : refused);
      }
    }
  std::printf("{\"taken\": %ld, \"refused\": %ld}\n", taken, refused);
  return 0;
}

// Connections that are opened again when the server ends them: `open` makes that of a number,
// `next` gives what each says next.
template <class Open, class Next>
int pester(long count, Open open, Next next) {
  std::vector<std::pair<ym::Fd, std::size_t>> all(static_cast<std::size_t>(count));
  long cut = -count;
  bool begun = false;
  while (!g_stop) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto& [fd, sent] = all[i];
      char byte;
      bool gone = !fd || ::recv(fd.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
      if (gone) {
        ++cut;
        sent = 0;
        fd = open(i);
        if (!fd) continue;
      }
      char unread[4096];
      while (::recv(fd.get(), unread, sizeof unread, MSG_DONTWAIT) > 0) continue;
      std::string bytes = next(sent++);
      if (::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        fd = ym::Fd();
    }
    if (!begun) ready();
    begun = true;
    ::poll(nullptr, 0, 20);
  }
  std::printf("{\"connections\": %ld, \"cut\": %ld}\n", count, cut);
  return 0;
}

int pester_as(uid_t uid, const std::string& socket, long count,
              std::string (*next)(std::size_t at)) {
  auto open = [&](std::size_t) {
    auto client = connect_as(uid, socket, "");
    return client ? ym::Fd(::dup(client->fd())) : ym::Fd();
  };
  return pester(count, open, next);
}

ym::Fd connect_from(const std::string& address, std::uint16_t port) {
  ym::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in from{}, to{};
  from.sin_family = to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &from.sin_addr);
  ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  bool done = ::bind(fd.get(), reinterpret_cast<sockaddr*>(&from), sizeof from) == 0 &&
              ::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  return done ? std::move(fd) : ym::Fd();
}

int silent(std::uint16_t port, long addresses, long each, const char* file) {
  std::string first;
  if (file) first = (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  auto open = [&](std::size_t at) {
    auto which = 10 + at % static_cast<std::size_t>(addresses);
    return connect_from("127.0.0." + std::to_string(which), port);
  };
  return pester(addresses * each, open,
                [&](std::size_t at) { return at == 0 ? first : std::string(); });
}

std::string drop_of_hello(std::size_t at) {
  static const std::string hello = ym::encode_client_hello({.cluster = std::string(200, 'x')});
  return hello.substr(std::min(at, hello.size() - 2), 1);
}

std::string noise(std::size_t at) {
  static ym::Prng prng(7);
  if (at % 2 == 0 && prng.below(2) == 0) {  // a good hello, and then a message beyond the limit
    std::string bytes = ym::encode_client_hello({});
    ym::append_frame(bytes, {.type = 100}, "");
    for (std::size_t i = bytes.size() - 16; i < bytes.size() - 12; ++i) bytes[i] = '\xff';
    return bytes;
  }
  std::string bytes(1 + prng.below(3000), '\0');
  for (char& byte : bytes) byte = static_cast<char>(prng.below(256));
  return bytes;
}

template <class Request>
double ask(ym::Client& client, const Request& request) {
  double begin = now();
  auto frame = client.call(ym::wire::message_number<Request>, ym::wire::encode(request), kWait);
  if (!frame) fail(frame.error().text);
  if (frame->header.type == ym::wire::message_number<ym::Failure>)
    fail(ym::wire::decode<ym::Failure>(frame->payload)->text);
  return now() - begin;
}

void print(const char* name, std::vector<double>& took, const char* after) {
  std::sort(took.begin(), took.end());
  auto at = [&](double share) {
    return 1000 * took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))];
  };
  std::printf("\"%s_p50_ms\": %.3f, \"%s_p99_ms\": %.3f, \"%s_max_ms\": %.3f%s", name, at(0.5),
              name, at(0.99), name, at(1), after);
}

// A proof of who asks over the network, for one connection.
std::string token_of(const ym::ClusterKey& key, const std::string& cluster, uid_t uid) {
  ym::Instant now = ym::wall_clock();
  auto token = ym::sign_token(key,
                              {.user = {},
                               .uid = uid,
                               .gid = uid,
                               .issued = now,
                               .expires = now + ym::kOnceLife,
                               .audience = cluster,
                               .kind = "user",
                               .id = {},
                               .binding = {},
                               .once = true},
                              ym::system_entropy());
  if (!token) fail(token.error().text);
  return *token;
}

int probe(const std::string& place, const std::string& cluster, double seconds, uid_t uid,
          const char* key_file) {
  auto address = ym::parse_address(place);
  if (!address) fail(address.error().text);
  std::optional<ym::ClusterKey> key;
  if (key_file) {
    auto loaded = ym::load_key(key_file);
    if (!loaded) fail(loaded.error().text);
    key = std::move(*loaded);
  }
  auto connect = [&] {
    if (!key) return connect_as(uid, place, cluster);
    return ym::Client::connect(*address,
                               {.cluster = cluster, .token = token_of(*key, cluster, uid)});
  };
  std::vector<double> connects, asks, submissions;
  ym::SubmitJob submit = ym::wire::decode<ym::SubmitJob>(a_submission()).value();
  for (double end = now() + seconds; now() < end; ::poll(nullptr, 0, 5)) {
    double begin = now();
    auto client = connect();
    if (!client) fail(client.error().text);
    ask(*client, ym::Ping{});
    connects.push_back(now() - begin);
    asks.push_back(ask(*client, ym::QueryPartitions{}));
    submissions.push_back(ask(*client, submit));
  }
  std::printf("{\"count\": %zu, ", asks.size());
  print("connect", connects, ", ");
  print("ask", asks, ", ");
  print("submit", submissions, "}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  auto number = [&](int at, long otherwise) { return argc > at ? std::atol(argv[at]) : otherwise; };
  auto uid = [&](int at, uid_t otherwise) { return static_cast<uid_t>(number(at, otherwise)); };
  ::signal(SIGTERM, [](int) { g_stop = 1; });
  ym::raise_open_files();
  if (mode == "idle" && argc == 6) return idle(argv[2], argv[3], number(4, 1), number(5, 1));
  if (mode == "flood" && argc >= 5) return flood(argv[2], argv[3], number(4, 1), uid(5, kFlooder));
  if (mode == "loris" && argc >= 4)
    return pester_as(uid(4, kSlow), argv[2], number(3, 1), drop_of_hello);
  if (mode == "garbage" && argc >= 4)
    return pester_as(uid(4, kNoisy), argv[2], number(3, 1), noise);
  if (mode == "silent" && argc >= 5)
    return silent(static_cast<std::uint16_t>(number(2, 0)), number(3, 1), number(4, 1), argv[5]);
  if (mode == "probe" && argc >= 5)
    return probe(argv[2], argv[3], std::atof(argv[4]), uid(5, kSufferer),
                 argc > 6 ? argv[6] : nullptr);
  fail("see the head of bench/abuse.cc");
}
