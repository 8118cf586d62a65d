// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/nursery_line.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/slurmd/spawn.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kTitleSpace = 1024;

}  // namespace

NurseryLine::~NurseryLine() { close(); }

Status NurseryLine::open() {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return fail(errno_text("nursery"));
  Fd ours(pair[0]), theirs(pair[1]);
  timeval patience{.tv_sec = kNurseryPatienceSeconds, .tv_usec = 0};
  ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  SpawnSetup setup;
  setup.pass(theirs, kNurserySocket);
  // Ours may be a pipe whose reader waits for its end. Shepherds are given theirs.
  setup.pass(Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)), STDERR_FILENO);
  // The last argument is space for the titles of shepherds.
  auto pid = setup.spawn(program_, {"slurmstepd", kNurseryWord, std::string(kTitleSpace, ' ')});
  if (!pid) return std::unexpected(pid.error());
  pid_ = *pid;
  socket_ = std::move(ours);
  return {};
}

// It has nothing to lose: whatever it has forked stands on its own.
void NurseryLine::close() {
  socket_ = Fd();
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

Result<Born> NurseryLine::bear(const Birth& birth) {
  // What a nursery that is gone was not given, it has not done.
  Status sent = socket_ ? send_birth(socket_.get(), birth) : fail("");
  if (!sent) {
    close();
    if (auto opened = open(); !opened) return std::unexpected(opened.error());
    sent = send_birth(socket_.get(), birth);
  }
  if (!sent) return std::unexpected(sent.error());
  auto born = receive_born(socket_.get());
  if (!born) close();  // the answer may still come, and would be taken for the next one's
  return born;
}

}  // namespace ym
