// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/shepherds.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmd/spawn.h"
#include "net/passing.h"
#include "os/clock.h"
#include "os/files.h"
#include "shepherd/folder.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr Duration kLookAgain{100};
constexpr Duration kRemainsAgain{20};

std::pair<sockaddr_un, socklen_t> control_address(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);  // after a NUL: without a file
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size)};
}

// Bound before the shepherd exists, so that nothing sent to it is ever too early.
Result<Fd> control_listener(const std::string& control) {
  auto [address, size] = control_address(control);
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr* name = reinterpret_cast<const sockaddr*>(&address);
  if (!fd || ::bind(fd.get(), name, size) != 0 || ::listen(fd.get(), 64) != 0)
    return fail(errno_text("control socket"));
  return fd;
}

// Whoever takes the name of a shepherd that is gone must not get its packets.
bool is_ours(const Fd& fd) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
         who.uid == ::geteuid();
}

Fd file_with(const std::string& bytes) {
  Fd fd(::memfd_create("residual", MFD_CLOEXEC));
  if (fd && ::pwrite(fd.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Fd();
  return fd;
}

}  // namespace

Shepherds::Shepherds(Loop& loop, Spool& spool, Log& log, std::string program, std::string node)
    : loop_(loop), spool_(spool), log_(log), nursery_(std::move(program)), node_(std::move(node)) {}

Shepherds::~Shepherds() {
  for (auto& [key, watched] : watched_) {
    if (watched.pidfd) loop_.unwatch(watched.pidfd.get());
  }
  for (auto& [fd, handle] : aside_) loop_.unwatch(fd);
}

Status Shepherds::start(JobId job, Sluid sluid, StepId step, Connection srun) {
  std::string stem = spool_.stem(sluid, step);
  auto lock = spool_.take_lock(sluid, step);
  if (!lock) return std::unexpected(lock.error());
  auto control = control_listener(spool_.control(sluid, step));
  if (!control) return std::unexpected(control.error());
  Birth birth{.stem = stem,
              .title = fmt::format("slurmstepd: [{}.{}]", job.value, step_name(step)),
              .record = std::move(*lock),
              .control = std::move(*control),
              .errors = Fd(::fcntl(log_.errors_fd(), F_DUPFD_CLOEXEC, 3)),
              .stream = std::move(srun.fd),
              .residual = srun.residual.empty() ? Fd() : file_with(srun.residual)};
  auto born = nursery_.bear(birth);
  if (!born) return std::unexpected(born.error());
  log_.debug("started shepherd of {}.{} as process {}", job.value, step_name(step), born->pid);
  return watch({sluid, step}, job, std::move(born->handle));
}

Result<int> Shepherds::run_aside(Aside wish) {
  if (wish.connection.fd) set_blocking(wish.connection.fd.get());
  SpawnSetup setup;
  setup.pass(wish.connection.fd, 3);
  setup.pass(file_with(wish.connection.residual), 4);
  setup.pass(file_with(wish.secret), 5);
  setup.pass(wish.listener, 6);
  auto pid = setup.spawn(wish.program, std::move(wish.arguments));
  if (!pid) return std::unexpected(pid.error());
  Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  int fd = handle.get();
  if (!handle) return fail(errno_text("pidfd_open"));
  Status ready = loop_.watch_readable(fd, [this, fd] {
    siginfo_t info{};
    ::waitid(P_PIDFD, static_cast<id_t>(fd), &info, WEXITED);
    loop_.unwatch(fd);
    auto on_end = std::move(aside_.at(fd).on_end);
    aside_.erase(fd);
    if (on_end) on_end();
  });
  if (!ready) return std::unexpected(ready.error());
  aside_.emplace(fd, RunningAside{.pidfd = std::move(handle), .on_end = std::move(wish.on_end)});
  return fd;
}

void Shepherds::stop_aside(int handle) const {
  if (aside_.contains(handle)) ::syscall(SYS_pidfd_send_signal, handle, SIGTERM, nullptr, 0);
}

void Shepherds::adopt(JobId job, Sluid sluid, StepId step) { look_again({sluid, step}, job); }

// A shepherd so young that it has not said its process id is looked at again until it has, or is
// gone.
void Shepherds::look_again(Key key, JobId job) {
  if (auto record = spool_.read_record(key.first, key.second); record && record->started) {
    Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, record->started->pid, 0)));
    bool watching = handle && watch(key, job, std::move(handle)).has_value();
    // The lock tells whether that process id is still the shepherd's.
    if (watching && !spool_.take_lock(key.first, key.second)) return;
    auto watched = watched_.find(key);
    if (watched != watched_.end()) {
      loop_.unwatch(watched->second.pidfd.get());
      watched_.erase(watched);
    }
  }
  if (spool_.take_lock(key.first, key.second)) {
    report_end(key, job);
  } else {
    loop_.after(kLookAgain, [this, key, job] { look_again(key, job); });
  }
}

Status Shepherds::watch(Key key, JobId job, Fd handle) {
  Watched& watched = watched_[key];
  watched.job = job;
  watched.pidfd = std::move(handle);
  Status ready = loop_.watch_readable(watched.pidfd.get(), [this, key] { ended(key); });
  if (!ready) watched_.erase(key);
  return ready;
}

void Shepherds::ended(Key key) {
  auto found = watched_.find(key);
  if (found == watched_.end()) return;
  Watched watched = std::move(found->second);
  loop_.unwatch(watched.pidfd.get());
  watched_.erase(found);
  report_end(key, watched.job);
}

void Shepherds::report_end(Key key, JobId job) {
  if (auto result = spool_.read_result(key.first, key.second)) {
    auto text = read_file(spool_.stem(key.first, key.second) + kUnkillableSuffix);
    if (text) log_unkillable(key, job, *text);
    if (on_end_) on_end_(key.first, key.second, ended_of(*result));
    return;
  }
  auto record = spool_.read_record(key.first, key.second);
  log_.error("the shepherd of {}.{} ended without a result", job.value, step_name(key.second));
  if (!record)
    record =
        StepRecord{.order = {.job = job, .sluid = key.first, .step = key.second, .node = node_},
                   .started = {},
                   .result = {}};
  Duration wait = record->order.unkillable_timeout;
  pid_t pid = record->started ? static_cast<pid_t>(record->started->pid) : 0;
  end_remains(key, job, Ref(Remains(std::move(record->order), pid)), monotonic_clock() + wait);
}

void Shepherds::end_remains(Key key, JobId job, Ref<Remains> remains, Duration give_up_at) {
  agent::Ended ended{.exit = {.code = 0, .signal = 9}, .error = "shepherd lost"};
  if (!remains->end()) {
    if (monotonic_clock() < give_up_at) {
      loop_.after(kRemainsAgain, [this, key, job, remains, give_up_at] {
        end_remains(key, job, remains, give_up_at);
      });
      return;
    }
    ended.drain_reason = "Kill task failed";
    log_unkillable(key, job, remains->describe());
  }
  if (on_end_) on_end_(key.first, key.second, ended);
}

void Shepherds::log_unkillable(Key key, JobId job, std::string_view text) const {
  log_.error("job {} step {}: these processes cannot be killed:", job.value, step_name(key.second));
  for (std::string_view line : split(text, '\n'))
    if (!line.empty()) log_.error("{}", line);
}

Status Shepherds::send(Sluid sluid, StepId step, const ControlPacket& packet, int passed_fd) const {
  auto sent = open(sluid, step, packet, passed_fd);
  if (!sent) return std::unexpected(sent.error());
  return {};
}

Result<Fd> Shepherds::open(Sluid sluid, StepId step, const ControlPacket& packet,
                           int passed_fd) const {
  std::string control = spool_.control(sluid, step);
  if (control.empty()) return fail("no such step");
  auto [address, size] = control_address(control);
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr* name = reinterpret_cast<const sockaddr*>(&address);
  if (!fd || ::connect(fd.get(), name, size) != 0) return fail(errno_text("control socket"));
  if (!is_ours(fd)) return fail("control socket: held by a stranger");
  Status sent =
      send_packet(fd.get(), wire::encode(packet), std::span(&passed_fd, passed_fd >= 0 ? 1 : 0));
  if (!sent) return std::unexpected(sent.error());
  return fd;
}

}  // namespace ym
