// SPDX-License-Identifier: Apache-2.0
#include "config/cpus.h"

#include <algorithm>

#include "base/format.h"

namespace ym {

void derive_cpus(const Fields& fields, NodeSpec& spec,
                 const std::function<void(std::string_view)>& warn) {
  auto narrow = [](std::uint64_t number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 1u << 31));
  };
  std::uint64_t boards = fields.number("Boards", 1), cores = fields.number("CoresPerSocket", 1);
  std::uint64_t threads = fields.number("ThreadsPerCore", 1), cpus = fields.number("CPUs", 0);
  std::uint64_t sockets = fields.number("Sockets", 0);
  if (const Value* per_board = fields.find("SocketsPerBoard")) {
    std::uint64_t all = per_board->number * boards;
    if (sockets != 0 && sockets != all)
      warn(fmt::format("Sockets={} and SocketsPerBoard×Boards={} disagree, {} is used", sockets,
                       all, all));
    sockets = all;
  }
  if (sockets == 0) {
    sockets = cpus == 0 ? boards : cpus / (cores * threads);
    // CPUs that count cores, not threads, leave no socket when divided by both.
    if (sockets == 0) sockets = std::max<std::uint64_t>(1, cpus / cores);
  }
  if (sockets % boards != 0) {
    warn(fmt::format("{} sockets cannot be spread over Boards={}, one board is used", sockets,
                     boards));
    boards = 1;
  }
  std::uint64_t all = sockets * cores * threads;
  if (cpus == 0) cpus = all;
  if (cpus != all && cpus != sockets * cores && cpus != sockets) {
    warn(
        fmt::format("CPUs={} is neither Sockets={} nor times CoresPerSocket={} nor times "
                    "ThreadsPerCore={}, {} is used",
                    cpus, sockets, cores, threads, all));
    cpus = all;
  }
  spec.cpus = narrow(cpus);
  spec.boards = narrow(boards);
  spec.sockets = narrow(sockets);
  spec.cores_per_socket = narrow(cores);
  spec.threads_per_core = narrow(threads);
}

}  // namespace ym
