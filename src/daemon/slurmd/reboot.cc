// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/reboot.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "os/child.h"
#include "os/environment_block.h"

namespace ym {

Reboot::~Reboot() {
  if (pidfd_) loop_.unwatch(pidfd_.get());
}

void Reboot::order(const std::string& command, Instant asked) {
  if (pid_ != 0 || asked == asked_) return;
  std::vector<std::string> words;
  for (std::string_view word : split_words(command, ' ')) words.emplace_back(word);
  if (words.empty())
    return log_.error("we are asked to reboot, but RebootProgram is not defined in slurm.conf");
  EnvironmentBlock environment;
  environment.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  environment.set("SLURM_CONF", place_.configuration);
  environment.set("SLURMD_NODENAME", place_.node);
  environment.set("SLURM_SCRIPT_CONTEXT", "reboot");
  auto pid = start_child(words, environment.bytes());
  if (!pid) return log_.error("RebootProgram: {}", pid.error().text);
  log_.info("node reboot request being processed: {}", command);
  asked_ = asked;
  pid_ = *pid;
  pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  Status watched = loop_.watch_readable(pidfd_.get(), [this] { ended(); });
  if (watched) return;
  log_.error("RebootProgram cannot be watched: {}", watched.error().text);
  pidfd_ = Fd();
}

void Reboot::ended() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  loop_.unwatch(pidfd_.get());
  pidfd_ = Fd();
  pid_ = 0;
  std::string error = child_error(status);
  if (error.empty()) return;
  log_.error("RebootProgram failed: {}", error);
  asked_ = {};
}

}  // namespace ym
