// SPDX-License-Identifier: Apache-2.0
// slurmstepd FOLDER: started by slurmd only, with the file descriptors of shepherd/folder.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "os/files.h"
#include "shepherd/folder.h"
#include "shepherd/program.h"
#include "shepherd/shepherd.h"
#include "wire/codec.h"

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
ym::Fd inherit(int fd) {
  if (!is_open(fd)) return ym::Fd();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return ym::Fd(fd);
}
// By descriptor: what slurmd made durable is what counts, whatever the path names by now.
ym::Result<std::string> read_inherited(int fd) {
  return ym::read_file("/proc/self/fd/" + std::to_string(fd));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  if (argc != 2 || !is_open(ym::kOrderFd) || !is_open(ym::kLockFd) || !is_open(ym::kControlFd)) {
    std::fputs("slurmstepd: is started by slurmd only\n", stderr);
    return 1;
  }
  ::setsid();
  ym::Fd order_fd = inherit(ym::kOrderFd);
  auto bytes = read_inherited(order_fd.get());
  auto order = bytes ? ym::wire::decode<ym::ShepherdOrder>(*bytes) : std::unexpected(bytes.error());
  if (!order) {
    std::fprintf(stderr, "slurmstepd: the order is damaged: %s\n", order.error().text.c_str());
    return 1;
  }
  order_fd = ym::Fd();
  if (order->kind != ym::ShepherdKind::Tasks) {
    ym::PlainInherited plain{.lock = inherit(ym::kLockFd), .control = inherit(ym::kControlFd)};
    return order->kind == ym::ShepherdKind::Extern
               ? ym::run_extern(*order, argv[1], std::move(plain))
               : ym::run_programs(*order, argv[1], std::move(plain));
  }
  ym::Shepherd::Inherited inherited{.lock = inherit(ym::kLockFd),
                                    .control = inherit(ym::kControlFd),
                                    .stream = inherit(ym::kStreamFd)};
  if (ym::Fd residual = inherit(ym::kResidualFd)) {
    if (auto text = read_inherited(residual.get())) inherited.residual = std::move(*text);
  }
  return ym::Shepherd(std::move(*order), argv[1], std::move(inherited)).run();
}
