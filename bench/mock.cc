// SPDX-License-Identifier: Apache-2.0
// A controller's whole way of a job without the machine's part of it: nodes that answer at once.
//
//   mock SOCKET CLUSTER NODES CPUS COUNT WINDOW
//       is the nodes n1 … of so many CPUs each and a submitter; COUNT jobs are submitted, WINDOW of
//       them on their way, and each ends as soon as its node is told to start it. Prints one line
//       of JSON: how many were submitted, planned, started, ended and written down in a second.
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/job_messages.h"
#include "model/node_messages.h"
#include "net/client.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace {

using ym::wire::message_number;
constexpr auto kPatience = std::chrono::seconds(60);

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "mock: %s\n", text.c_str());
  std::exit(1);
}

ym::Client connect(const std::string& socket, const std::string& cluster) {
  auto address = ym::parse_address(socket);
  if (!address) fail(address.error().text);
  auto client = ym::Client::connect(*address, {.cluster = cluster});
  if (!client) fail(client.error().text);
  if (auto met = client->finish_handshake(kPatience); !met) fail(met.error().text);
  return std::move(*client);
}

// A node without a machine.
class MockNode {
 public:
  MockNode(ym::Client client, std::string name, std::uint32_t cpus)
      : client_(std::move(client)), name_(std::move(name)) {
    ym::NodeReport report{.node = name_, .complete = true};
    report.registration = {.cpus = cpus,
                           .boards = 1,
                           .sockets = 1,
                           .cores_per_socket = cpus,
                           .threads_per_core = 1,
                           .memory_mb = 1 << 20,
                           .tmp_mb = 1 << 20,
                           .version = YM_SLURM_VERSION,
                           .boot_id = "mock"};
    send(report);
  }
  int fd() const { return client_.fd(); }
  // How many of its jobs the controller has written down as ended.
  long ended() const { return ended_; }

  void turn() {
    ym::NodeReport report{.node = name_};
    for (;;) {
      auto frame = client_.poll_frame();
      if (!frame) fail(frame.error().text);
      if (!*frame) break;
      take(**frame, report);
    }
    if (!report.attempts.empty()) send(report);
  }

 private:
  void take(const ym::Frame& frame, ym::NodeReport& report) {
    if (frame.header.type == message_number<ym::LaunchJob>) {
      auto order = ym::wire::decode<ym::LaunchJob>(frame.payload);
      if (!order) fail(order.error().text);
      report.attempts.push_back({.job = order->job,
                                 .sluid = order->sluid,
                                 .phase = ym::AttemptPhase::Clean,
                                 .batch = true,
                                 .batch_ended = true});
    } else if (frame.header.type == message_number<ym::KillJob>) {
      auto order = ym::wire::decode<ym::KillJob>(frame.payload);
      if (!order) fail(order.error().text);
      report.attempts.push_back(
          {.job = order->job, .sluid = order->sluid, .phase = ym::AttemptPhase::Clean});
    } else if (frame.header.type == message_number<ym::ForgetAttempts>) {
      auto order = ym::wire::decode<ym::ForgetAttempts>(frame.payload);
      if (!order) fail(order.error().text);
      ended_ += static_cast<long>(order->attempts.size());
    }
  }
  void send(const ym::NodeReport& report) {
    auto sent =
        client_.send({.type = message_number<ym::NodeReport>}, ym::wire::encode(report), kPatience);
    if (!sent) fail(sent.error().text);
  }

  ym::Client client_;
  std::string name_;
  long ended_ = 0;
};

class Submitter {
 public:
  Submitter(ym::Client client, long count, long window)
      : client_(std::move(client)), count_(count), window_(window) {
    ym::SubmitJob submit;
    submit.spec.name = "bench";
    submit.spec.work_dir = "/tmp";
    submit.spec.std_out = "/dev/null";
    submit.spec.time_limit_s = 3600;
    submit.spec.batch = true;
    submit.script = "#!/bin/sh\ntrue\n";
    submit.environment = std::string("PATH=/usr/bin:/bin\0HOME=/root\0", 30);
    message_ = ym::wire::encode(submit);
  }
  int fd() const { return client_.fd(); }

  // As many as may be on their way, counted from submission to end.
  void turn(long ended) {
    for (;;) {
      auto frame = client_.poll_frame();
      if (!frame) fail(frame.error().text);
      if (!*frame) break;
      if ((*frame)->header.type != message_number<ym::SubmitAnswer>) fail("a refusal");
    }
    while (sent_ < count_ && sent_ - ended < window_) {
      auto sent = client_.send({.type = message_number<ym::SubmitJob>,
                                .correlation = static_cast<std::uint64_t>(++sent_)},
                               message_, kPatience);
      if (!sent) fail(sent.error().text);
    }
  }

 private:
  ym::Client client_;
  std::string message_;
  long count_, window_, sent_ = 0;
};

int run(const std::string& socket, const std::string& cluster, long nodes, long cpus, long count,
        long window) {
  std::vector<MockNode> mocks;
  for (long i = 1; i <= nodes; ++i)
    mocks.emplace_back(connect(socket, cluster), "n" + std::to_string(i),
                       static_cast<std::uint32_t>(cpus));
  Submitter submitter(connect(socket, cluster), count, window);
  double begin = now();
  for (long ended = 0; ended < count;) {
    submitter.turn(ended);
    std::vector<pollfd> fds{{.fd = submitter.fd(), .events = POLLIN, .revents = 0}};
    for (const MockNode& mock : mocks)
      fds.push_back({.fd = mock.fd(), .events = POLLIN, .revents = 0});
    if (::poll(fds.data(), fds.size(), 60'000) <= 0) fail("nothing happens any more");
    ended = 0;
    for (std::size_t i = 0; i < mocks.size(); ++i) {
      if (fds[i + 1].revents) mocks[i].turn();
      ended += mocks[i].ended();
    }
  }
  double seconds = now() - begin;
  std::printf("{\"count\": %ld, \"seconds\": %.4f, \"per_second\": %.0f}\n", count, seconds,
              static_cast<double>(count) / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) fail("see the head of bench/mock.cc");
  return run(argv[1], argv[2], std::atol(argv[3]), std::atol(argv[4]), std::atol(argv[5]),
             std::atol(argv[6]));
}
