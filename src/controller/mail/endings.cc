// SPDX-License-Identifier: Apache-2.0
#include "controller/mail/endings.h"

#include <algorithm>

#include "base/format.h"

namespace ym {
namespace {

// As wait(2) puts both into one number, and Slurm compares them: any exit code is more than any
// signal.
std::uint32_t status_of(const Job& job) {
  return job.exit.signal ? job.exit.signal : std::uint32_t{job.exit.code} << 8;
}
bool exited(std::uint32_t status) { return (status & 0xff) == 0; }

}  // namespace

std::string ending_text(const Job& job) {
  if (job.exit.signal) return std::string(name_of(job.state));
  return fmt::format("{}, ExitCode {}", name_of(job.state), job.exit.code);
}

std::string endings_text(const std::vector<const Job*>& elements) {
  std::uint32_t least = status_of(*elements.front()), most = least;
  bool again = false;
  for (const Job* one : elements) {
    least = std::min(least, status_of(*one));
    most = std::max(most, status_of(*one));
    again = again || one->restarts > 0;
  }
  std::string text;
  if (exited(least) && exited(most)) {
    bool mixed = least == 0 && most > 0;
    text = fmt::format("{}, ExitCode [{}-{}]", mixed ? "Mixed" : name_of(elements.back()->state),
                       least >> 8, most >> 8);
  } else if (!exited(most)) {
    text = fmt::format("Mixed, MaxSignal [{}]", most);
  } else {
    text = fmt::format("Mixed, MaxExitCode [{}]", most >> 8);
  }
  return text + (again ? ", with requeued tasks" : "");
}

}  // namespace ym
