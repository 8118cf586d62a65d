// SPDX-License-Identifier: Apache-2.0
// Drives commands for the comparison of workload managers (bench/versus): small and compiled, and
// part of nobody's code, so that it is neither the limit nor on anybody's side.
//
//   drive spawn COUNT CONCURRENT PROGRAM [ARGUMENTS…]
//       starts it COUNT times, so many side by side; rate and how long each took
//   drive poll CONCURRENT PAUSE_MS PROGRAM [ARGUMENTS…]
//       so many loops of it, each with a pause in between, until SIGTERM; says "ready" when each
//       has had its first answer
//   drive burst COUNT CONCURRENT KILL_AFTER PID PROGRAM [ARGUMENTS…]
//       starts it COUNT times and keeps the first number of what each that went well has printed;
//       after KILL_AFTER of these PID gets SIGKILL, and no further one is started
//   drive round_trip SECONDS
//       one byte to another process and back over TCP on the loopback: the floor under any request
//
// Each prints one line of JSON.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "drive: %s\n", text.c_str());
  std::exit(1);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// With its output into a file descriptor, or nowhere.
pid_t start(char** command, int output = -1) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (output >= 0)
    ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  else
    ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
  if (error != 0) fail(std::string(command[0]) + ": " + std::strerror(error));
  ::posix_spawn_file_actions_destroy(&actions);
  return pid;
}

struct Ended {
  pid_t pid = 0;
  bool well = false;
};

// Waits for one; pid 0 if none ended and `options` said not to wait.
Ended reap(int options = 0) {
  int status = 0;
  pid_t pid = 0;
  do {
    pid = ::waitpid(-1, &status, options);
  } while (pid < 0 && errno == EINTR);
  return {.pid = std::max(pid, 0), .well = WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

// How long each took, and what the children cost together.
void print(std::vector<double>& each, double seconds, long failed) {
  std::sort(each.begin(), each.end());
  auto part = [&](double share) {
    if (each.empty()) return 0.0;
    return each[std::min(each.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(each.size())))];
  };
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  std::printf(
      "{\"count\": %zu, \"failed\": %ld, \"seconds\": %.5f, \"per_second\": %.2f, "
      "\"p50\": %.6f, \"p90\": %.6f, \"p99\": %.6f, \"max\": %.6f, \"cpu_seconds\": %.4f}\n",
      each.size(), failed, seconds, static_cast<double>(each.size()) / seconds, part(0.5),
      part(0.9), part(0.99), part(1), seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
}

int spawn(long count, std::size_t concurrent, char** command) {
  std::map<pid_t, double> running;
  std::vector<double> each;
  long started = 0, failed = 0;
  double begin = now();
  while (started < count || !running.empty()) {
    while (started < count && running.size() < concurrent) {
      double at = now();
      running[start(command)] = at;
      ++started;
    }
    Ended ended = reap();
    auto found = running.find(ended.pid);
    if (found == running.end()) fail("no child to wait for");
    each.push_back(now() - found->second);
    failed += !ended.well;
    running.erase(found);
  }
  print(each, now() - begin, failed);
  return 0;
}

volatile sig_atomic_t g_stop = 0;

struct Loop {
  double due = 0, started = 0;
  pid_t pid = 0;
  bool answered = false;
};

// Gives the loop whose process ended its next turn; true for a first answer.
bool take(Loop& loop, double pause, std::vector<double>& each) {
  each.push_back(now() - loop.started);
  loop.pid = 0;
  loop.due = now() + pause;
  return !std::exchange(loop.answered, true);
}

int poll_loops(std::size_t concurrent, double pause, char** command) {
  ::signal(SIGTERM, [](int) { g_stop = 1; });
  std::vector<Loop> loops(concurrent);
  for (std::size_t i = 0; i < concurrent; ++i)  // spread, as people are
    loops[i].due = now() + pause * static_cast<double>(i) / static_cast<double>(concurrent);
  std::vector<double> each;
  std::size_t answered = 0;
  long failed = 0;
  double begin = now();
  for (std::size_t running = 0; !g_stop || running > 0;) {
    for (Loop& loop : loops) {
      if (g_stop || loop.pid != 0 || loop.due > now()) continue;
      loop.started = now();
      loop.pid = start(command);
      ++running;
    }
    Ended ended = reap(WNOHANG);
    if (ended.pid == 0) {
      ::usleep(1000);
      continue;
    }
    --running;
    failed += !ended.well;
    auto of_it = [&](const Loop& loop) { return loop.pid == ended.pid; };
    auto loop = std::find_if(loops.begin(), loops.end(), of_it);
    if (loop == loops.end() || !take(*loop, pause, each) || ++answered < concurrent) continue;
    std::printf("ready\n");
    std::fflush(stdout);
  }
  print(each, now() - begin, failed);
  return 0;
}

std::string first_number(int fd) {
  char text[512];
  ssize_t size = ::read(fd, text, sizeof text);
  const char *end = text + std::max<ssize_t>(size, 0), *at = text;
  auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  at = std::find_if(at, end, digit);
  return {at, std::find_if_not(at, end, digit)};
}

// How long those under way may still take once the controller is dead.
constexpr double kGraceSeconds = 3;

int burst(long count, std::size_t concurrent, std::size_t kill_after, pid_t victim,
          char** command) {
  std::map<pid_t, int> running;  // and where its output comes from
  std::vector<std::string> numbers;
  long started = 0;
  double killed_at = 0;
  while ((killed_at == 0 && started < count) || !running.empty()) {
    while (killed_at == 0 && started < count && running.size() < concurrent) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) fail("no pipe");
      running[start(command, ends[1])] = ends[0];
      ::close(ends[1]);
      ++started;
    }
    Ended ended = reap(killed_at > 0 ? WNOHANG : 0);
    if (ended.pid == 0) {
      if (now() - killed_at > kGraceSeconds)
        for (const auto& [pid, fd] : running) ::kill(pid, SIGKILL);
      ::usleep(1000);
      continue;
    }
    int fd = running[ended.pid];
    if (ended.well) numbers.push_back(first_number(fd));
    ::close(fd);
    running.erase(ended.pid);
    if (killed_at == 0 && numbers.size() >= kill_after) {
      ::kill(victim, SIGKILL);
      killed_at = now();
    }
  }
  std::printf("{\"started\": %ld, \"killed\": %s, \"acknowledged\": [", started,
              killed_at > 0 ? "true" : "false");
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::printf("%s\"%s\"", i > 0 ? ", " : "", numbers[i].c_str());
  std::printf("]}\n");
  return 0;
}

// One that sends back what comes, until the other end closes.
[[noreturn]] void echo(int listener) {
  int fd = ::accept(listener, nullptr, nullptr);
  int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  for (char byte = 0; ::read(fd, &byte, 1) == 1;)
    if (::write(fd, &byte, 1) != 1) break;
  ::_exit(0);
}

int round_trip(double seconds) {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, any, size) != 0 || ::listen(listener, 1) != 0 ||
      ::getsockname(listener, any, &size) != 0)
    fail("no socket");
  if (::fork() == 0) echo(listener);
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  if (::connect(fd, any, size) != 0) fail("no connection");
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::vector<double> each;
  double begin = now();
  for (char byte = 'x'; now() - begin < seconds;) {
    double at = now();
    if (::write(fd, &byte, 1) != 1 || ::read(fd, &byte, 1) != 1) fail("the connection broke");
    each.push_back(now() - at);
  }
  double took = now() - begin;
  ::close(fd);
  reap();
  print(each, took, 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  auto number = [&](int i) { return std::atol(argv[i]); };
  auto size = [&](int i) { return static_cast<std::size_t>(std::max(1L, number(i))); };
  if (mode == "spawn" && argc >= 5) return spawn(number(2), size(3), argv + 4);
  if (mode == "poll" && argc >= 5)
    return poll_loops(size(2), static_cast<double>(number(3)) / 1000, argv + 4);
  if (mode == "burst" && argc >= 7 && number(5) > 1)
    return burst(number(2), size(3), size(4), static_cast<pid_t>(number(5)), argv + 6);
  if (mode == "round_trip" && argc == 3) return round_trip(std::atof(argv[2]));
  fail("see the head of bench/drive.cc");
}
