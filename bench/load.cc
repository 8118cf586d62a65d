// SPDX-License-Identifier: Apache-2.0
// Load for benchmarks, small and compiled so that it does not become the limit itself.
//
//   load submit SOCKET CLUSTER COUNT WINDOW [held]
//       submissions over one connection, WINDOW of them on their way
//   load run SOCKET CLUSTER COUNT WINDOW
//       the same, and until the last of them has ended on its node
//   load fsync FOLDER SECONDS BYTES
//       a bare loop of append and fdatasync: the floor under any durable log
//   load spawn COUNT PROGRAM [ARGUMENTS…]
//       a bare loop of posix_spawn and wait
//   load lines COUNT LINE PROGRAM [ARGUMENTS…]
//       the same, with the time until its LINEth line came
//   load poll SOCKET CLUSTER CONNECTIONS PAUSE_MS
//       squeue's usual question over so many connections, each again after the pause, until
//       SIGTERM; says "ready" when all are connected. Each is another user's if root runs it
//
// Each prints one line of JSON.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "model/job_messages.h"
#include "net/client.h"
#include "wire/codec.h"
#include "wire/messages.h"

extern char** environ;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "load: %s\n", text.c_str());
  std::exit(1);
}

std::string a_submission(bool held) {
  ym::SubmitJob submit;
  submit.spec.name = "bench";
  submit.spec.work_dir = "/tmp";
  submit.spec.command = "/tmp/bench.sh";
  submit.spec.submit_line = "sbatch --hold -t 60 -o /dev/null /tmp/bench.sh";
  submit.spec.std_out = "/dev/null";
  submit.spec.time_limit_s = 3600;
  submit.spec.batch = true;
  submit.script = "#!/bin/sh\ntrue\n";
  submit.environment = std::string("PATH=/usr/bin:/bin\0HOME=/root\0", 30);
  submit.hold = held;
  return ym::wire::encode(submit);
}

// How many of the last jobs are waited for: more than run side by side.
constexpr std::size_t kWatched = 64;

void wait_for_end(ym::Client& client, ym::JobId job) {
  ym::FrameHeader header{
      .type = ym::wire::message_number<ym::WatchJob>, .flags = 0, .correlation = 1};
  auto wait = std::chrono::seconds(120);
  std::string watch = ym::wire::encode(ym::WatchJob{.job = job, .until_end = true});
  if (auto ok = client.send(header, watch, wait); !ok) fail(ok.error().text);
  if (auto frame = client.receive(wait); !frame) fail(frame.error().text);
}

int submit(const std::string& socket, const std::string& cluster, long count, long window,
           bool held, bool to_the_end) {
  auto address = ym::parse_address(socket);
  if (!address) fail(address.error().text);
  auto client = ym::Client::connect(*address, {.cluster = cluster});
  if (!client) fail(client.error().text);
  const std::string message = a_submission(held);
  const auto wait = std::chrono::seconds(60);
  double begin = now();
  long sent = 0, acknowledged = 0;
  std::deque<ym::JobId> last;
  while (acknowledged < count) {
    while (sent < count && sent - acknowledged < window) {
      ym::FrameHeader header{.type = ym::wire::message_number<ym::SubmitJob>,
                             .flags = 0,
                             .correlation = static_cast<std::uint64_t>(++sent)};
      if (auto ok = client->send(header, message, wait); !ok) fail(ok.error().text);
    }
    auto frame = client->receive(wait);
    if (!frame) fail(frame.error().text);
    if (frame->header.type != ym::wire::message_number<ym::SubmitAnswer>) {
      auto failure = ym::wire::decode<ym::Failure>(frame->payload);
      fail(failure ? failure->text : "unexpected answer");
    }
    ++acknowledged;
    auto answer = ym::wire::decode<ym::SubmitAnswer>(frame->payload);
    if (!answer) fail(answer.error().text);
    last.push_back(answer->job);
    if (last.size() > kWatched) last.pop_front();
  }
  if (to_the_end)
    for (ym::JobId job : last) wait_for_end(*client, job);
  double seconds = now() - begin;
  std::printf("{\"count\": %ld, \"seconds\": %.4f, \"per_second\": %.0f}\n", count, seconds,
              static_cast<double>(count) / seconds);
  return 0;
}

int fsync_loop(const std::string& folder, double seconds, long bytes) {
  std::string path = folder + "/fsync.bench";
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) fail(path + ": " + std::strerror(errno));
  std::string zeros(16 << 20, '\0');
  if (::pwrite(fd, zeros.data(), zeros.size(), 0) < 0 || ::fsync(fd) != 0) fail("cannot prepare");
  std::string block(static_cast<std::size_t>(bytes), 'x');
  double begin = now();
  long count = 0;
  for (off_t at = 0; now() - begin < seconds; ++count, at = (at + bytes) % (15 << 20))
    if (::pwrite(fd, block.data(), block.size(), at) < 0 || ::fdatasync(fd) != 0)
      fail("cannot write");
  double took = now() - begin;
  ::close(fd);
  ::unlink(path.c_str());
  std::printf("{\"count\": %ld, \"seconds\": %.4f, \"per_second\": %.0f}\n", count, took,
              static_cast<double>(count) / took);
  return 0;
}

int spawn_loop(long count, char** command) {
  double begin = now();
  std::vector<double> each;
  for (long i = 0; i < count; ++i) {
    double started = now();
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (int error = ::posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
        error != 0)
      fail(std::string(command[0]) + ": " + std::strerror(error));
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (::waitpid(pid, &status, 0) < 0 || status != 0) fail("the program failed");
    each.push_back(now() - started);
  }
  double seconds = now() - begin;
  std::sort(each.begin(), each.end());
  std::printf(
      "{\"count\": %ld, \"seconds\": %.4f, \"per_second\": %.0f, \"median_seconds\": %.6f}\n",
      count, seconds, static_cast<double>(count) / seconds, each[each.size() / 2]);
  return 0;
}

struct Seen {
  double line = 0, all = 0;
  long bytes = 0;
};

// Starts the program and reads what it prints.
Seen read_program(long line, char** command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  double begin = now();
  pid_t pid = 0;
  if (int error = ::posix_spawnp(&pid, command[0], &actions, nullptr, command, environ); error != 0)
    fail(std::string(command[0]) + ": " + std::strerror(error));
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Seen seen;
  static char buffer[256 * 1024];
  long lines = 0;
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0; seen.bytes += n) {
    lines += std::count(buffer, buffer + n, '\n');
    if (seen.line == 0 && lines >= line) seen.line = now() - begin;
  }
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(pid, &status, 0) < 0 || status != 0) fail("the program failed");
  seen.all = now() - begin;
  if (lines < line) fail("there were " + std::to_string(lines) + " lines only");
  return seen;
}

int lines_loop(long count, long line, char** command) {
  std::vector<double> first, all;
  long bytes = 0;
  for (long i = 0; i < count; ++i) {
    Seen seen = read_program(line, command);
    first.push_back(seen.line);
    all.push_back(seen.all);
    bytes = seen.bytes;
  }
  std::sort(first.begin(), first.end());
  std::sort(all.begin(), all.end());
  std::printf("{\"count\": %ld, \"line_seconds\": %.6f, \"seconds\": %.6f, \"bytes\": %ld}\n",
              count, first[first.size() / 2], all[all.size() / 2], bytes);
  return 0;
}

volatile sig_atomic_t g_stop = 0;

struct Poller {
  ym::Client client;
  double asked_at = 0;
};

// What squeue's usual columns need.
std::string usual_question() {
  using ym::JobField;
  std::uint64_t fields = 0;
  for (JobField field : {JobField::Name, JobField::User, JobField::Partition, JobField::Reason,
                         JobField::Nodes, JobField::NodeCount, JobField::Run})
    fields |= ym::bit(field);
  return ym::wire::encode(ym::QueryJobs{.fields = fields, .order = ym::JobOrder::Usual});
}

// Reads what has come; true once the answer is whole.
bool read_answer(Poller& poller, double& bytes) {
  for (;;) {
    auto frame = poller.client.poll_frame();
    if (!frame) fail(frame.error().text);
    if (!*frame) return false;
    if ((*frame)->header.type != ym::wire::message_number<ym::JobRows>) fail("unexpected answer");
    bytes += static_cast<double>((*frame)->payload.size());
    if (!((*frame)->header.flags & ym::wire::kFlagMore)) return true;
  }
}

// Each user is somebody else, as far as root can make it so.
ym::Client connect_as(long number, const ym::Address& address, const std::string& cluster) {
  constexpr uid_t kFirstUser = 20000;
  bool root = ::getuid() == 0;
  if (root && ::seteuid(kFirstUser + static_cast<uid_t>(number)) != 0)
    fail("cannot become somebody else");
  auto client = ym::Client::connect(address, {.cluster = cluster});
  if (!client) fail(client.error().text);
  if (root && ::seteuid(0) != 0) fail("cannot become root again");
  return std::move(*client);
}

// Users who ask the same again and again, each a pause after it asked before. The loop costs as
// much as its users do, not as many as there are: it runs on the machine that is measured.
class PollLoop {
 public:
  PollLoop(const ym::Address& address, const std::string& cluster, long count, double pause)
      : pause_(pause), events_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (long i = 0; i < count; ++i) {
      pollers_.push_back({.client = connect_as(i, address, cluster)});
      ym::Client& client = pollers_.back().client;
      if (auto met = client.finish_handshake(kWait); !met) fail(met.error().text);
      epoll_event event{.events = EPOLLIN, .data = {.u64 = static_cast<std::uint64_t>(i)}};
      if (::epoll_ctl(events_, EPOLL_CTL_ADD, client.fd(), &event) != 0) fail("epoll_ctl");
      // Spread over the pause, as people are.
      next_.emplace(now() + pause * static_cast<double>(i) / static_cast<double>(count), i);
    }
  }

  void run() {
    double begin = now();
    while (!g_stop) {
      while (!next_.empty() && next_.top().first <= now()) {
        ask(pollers_[static_cast<std::size_t>(next_.top().second)]);
        next_.pop();
      }
      double until = next_.empty() ? now() + 0.05 : std::min(next_.top().first, now() + 0.05);
      take_answers(std::max(kNap, until - now()));
    }
    report(now() - begin);
  }

 private:
  static constexpr std::chrono::seconds kWait{60};
  static constexpr double kNap = 0.002;

  void ask(Poller& one) {
    ym::FrameHeader header{
        .type = ym::wire::message_number<ym::QueryJobs>, .flags = 0, .correlation = 1};
    one.asked_at = now();
    if (auto ok = one.client.send(header, question_, kWait); !ok) fail(ok.error().text);
  }
  // Those with a pause are read when the next question is due: to wake for each as well would cost
  // the machine as much as what is measured.
  void take_answers(double seconds) {
    if (pause_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    epoll_event ready[64];
    int wait_ms = pause_ > 0 ? 0 : static_cast<int>(std::max(1.0, 1000 * seconds));
    int count = ::epoll_wait(events_, ready, 64, wait_ms);
    for (int i = 0; i < count; ++i) take_answer(static_cast<long>(ready[i].data.u64));
  }
  void take_answer(long number) {
    Poller& one = pollers_[static_cast<std::size_t>(number)];
    if (!read_answer(one, bytes_)) return;
    took_.push_back(now() - one.asked_at);
    next_.emplace(one.asked_at + pause_, number);
  }
  void report(double seconds) {
    std::sort(took_.begin(), took_.end());
    std::printf(
        "{\"count\": %zu, \"seconds\": %.4f, \"per_second\": %.0f, \"bytes\": %.0f, "
        "\"median_seconds\": %.6f, \"cpu_seconds\": %.4f}\n",
        took_.size(), seconds, static_cast<double>(took_.size()) / seconds, bytes_,
        took_.empty() ? 0.0 : took_[took_.size() / 2],
        static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  }

  using Turn = std::pair<double, long>;  // who asks next, and when
  const std::string question_ = usual_question();
  double pause_, bytes_ = 0;
  int events_;
  std::vector<Poller> pollers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> next_;
  std::vector<double> took_;
};

int poll_loop(const std::string& socket, const std::string& cluster, long count, double pause) {
  auto address = ym::parse_address(socket);
  if (!address) fail(address.error().text);
  ::signal(SIGTERM, [](int) { g_stop = 1; });
  PollLoop loop(*address, cluster, count, pause);
  std::printf("ready\n");
  std::fflush(stdout);
  loop.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "submit" && argc >= 6)
    return submit(argv[2], argv[3], std::atol(argv[4]), std::atol(argv[5]), argc > 6, false);
  if (mode == "run" && argc == 6)
    return submit(argv[2], argv[3], std::atol(argv[4]), std::atol(argv[5]), false, true);
  if (mode == "fsync" && argc == 5)
    return fsync_loop(argv[2], std::atof(argv[3]), std::atol(argv[4]));
  if (mode == "spawn" && argc >= 4) return spawn_loop(std::atol(argv[2]), argv + 3);
  if (mode == "lines" && argc >= 5)
    return lines_loop(std::atol(argv[2]), std::atol(argv[3]), argv + 4);
  if (mode == "poll" && argc == 6)
    return poll_loop(argv[2], argv[3], std::atol(argv[4]), std::atof(argv[5]) / 1000);
  fail("see the head of bench/load.cc");
}
