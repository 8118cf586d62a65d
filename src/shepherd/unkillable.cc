// SPDX-License-Identifier: Apache-2.0
#include "shepherd/unkillable.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "shepherd/containment.h"
#include "shepherd/descendants.h"

namespace ym {

std::string describe_unkillable(const std::vector<pid_t>& processes) {
  std::string text;
  std::size_t told = 0;
  for (pid_t pid : processes) {
    std::string one = describe_process(pid);
    if (one.empty()) continue;
    if (++told <= kUnkillableMax) text += one;
  }
  if (told > kUnkillableMax) text += fmt::format("and {} more\n", told - kUnkillableMax);
  return text;
}

void run_unkillable_program(const ShepherdOrder& order) {
  if (order.unkillable_program.empty()) return;
  std::vector<std::string> settings = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                                       fmt::format("SLURM_JOB_ID={}", order.job.value),
                                       fmt::format("SLURM_JOBID={}", order.job.value),
                                       fmt::format("SLURM_STEP_ID={}", step_word(order.step)),
                                       fmt::format("SLURMD_NODENAME={}", order.node)};
  std::vector<char*> environment;
  for (std::string& one : settings) environment.push_back(one.data());
  environment.push_back(nullptr);
  std::string program = order.unkillable_program;
  char* arguments[] = {program.data(), nullptr};
  pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(program.c_str(), arguments, environment.data());
    ::_exit(127);
  }
  if (pid < 0) return;
  constexpr int kPauseMs = 10;
  for (Duration waited{0}; waited < kUnkillableProgramWait; waited += Duration(kPauseMs)) {
    if (::waitpid(pid, nullptr, WNOHANG) != 0) return;
    ::poll(nullptr, 0, kPauseMs);
  }
  ::kill(pid, SIGKILL);
}

}  // namespace ym
