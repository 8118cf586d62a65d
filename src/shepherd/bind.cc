// SPDX-License-Identifier: Apache-2.0
#include "shepherd/bind.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "notation/cpu_list.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
struct Bits {
  unsigned long words[kCpuNumberEnd / kWordBits] = {};
};

Bits bits_of(const CpuNumbers& numbers) {
  Bits bits;
  for (std::uint32_t n : numbers) bits.words[n / kWordBits] |= 1ul << n % kWordBits;
  return bits;
}

}  // namespace

std::string bind_process(const TaskOrder& task) {
  std::string trouble;
  auto cpus = parse_cpu_list(task.cpus);
  if (cpus && !cpus->empty()) {
    Bits bits = bits_of(*cpus);
    if (::syscall(SYS_sched_setaffinity, 0, sizeof bits.words, bits.words) != 0)
      trouble = errno_text(fmt::format("cannot bind to CPUs {}", task.cpus));
  }
  auto nodes = parse_cpu_list(task.mem_nodes);
  if (nodes && !nodes->empty()) {
    Bits bits = bits_of(*nodes);
    // The kernel takes one bit less than it is told of.
    unsigned long most = nodes->back() + 2;
    if (::syscall(SYS_set_mempolicy, task.mem_policy, bits.words, most) != 0 && trouble.empty())
      trouble = errno_text(fmt::format("cannot bind to memory of {}", task.mem_nodes));
  }
  return trouble;
}

std::string notice_of(const TaskOrder& task, int pid) {
  std::string text = task.notice, number = fmt::format("{}", pid);
  for (std::size_t at = 0; (at = text.find("%p", at)) != std::string::npos; at += number.size())
    text.replace(at, 2, number);
  return text;
}

}  // namespace ym
