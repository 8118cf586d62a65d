// SPDX-License-Identifier: Apache-2.0
// slurmstepd nursery: started by slurmd only, with its socket as descriptor 3. Each fork of it is
// the shepherd of one step.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "os/files.h"
#include "os/privileges.h"
#include "os/short_turns.h"
#include "shepherd/nursery.h"
#include "shepherd/program.h"
#include "shepherd/record.h"
#include "shepherd/shepherd.h"

namespace {

// By descriptor: what slurmd wrote is what counts, whatever the path names by now.
ym::Result<ym::ShepherdOrder> read_order(int fd) {
  auto bytes = ym::read_descriptor(fd, "record");
  auto record = bytes ? ym::decode_record(*bytes) : std::unexpected(bytes.error());
  if (!record) return std::unexpected(record.error());
  return std::move(record->order);
}

int live(ym::Birth birth) {
  ym::take_short_turns();
  auto order = read_order(birth.record.get());
  if (!order) {
    ::dprintf(STDERR_FILENO, "slurmstepd: the order is damaged: %s\n", order.error().text.c_str());
    return 1;
  }
  if (order->kind != ym::ShepherdKind::Tasks) {
    ym::PlainInherited plain{.record = std::move(birth.record),
                             .control = std::move(birth.control)};
    return order->kind == ym::ShepherdKind::Extern ? ym::run_extern(*order, std::move(plain))
                                                   : ym::run_programs(*order, std::move(plain));
  }
  ym::Shepherd::Inherited inherited{.record = std::move(birth.record),
                                    .control = std::move(birth.control),
                                    .stream = std::move(birth.stream)};
  if (birth.residual) {
    if (auto text = ym::read_descriptor(birth.residual.get(), "residual"))
      inherited.residual = std::move(*text);
  }
  return ym::Shepherd(std::move(*order), birth.stem, std::move(inherited)).run();
}

ym::TitleSpace title_space(int argc, char** argv) {
  char* end = argv[argc - 1] + std::strlen(argv[argc - 1]) + 1;
  return {.begin = argv[0], .size = static_cast<std::size_t>(end - argv[0])};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "-V") == 0) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  bool nursery = argc > 1 && std::strcmp(argv[1], ym::kNurseryWord) == 0;
  if (!nursery || ::fcntl(ym::kNurserySocket, F_GETFD) < 0) {
    std::fputs("slurmstepd: is started by slurmd only\n", stderr);
    return 1;
  }
  ym::keep_needed_capabilities(ym::GiveUp::ForNow);
  ym::take_short_turns();
  return ym::run_nursery(ym::Fd(ym::kNurserySocket), title_space(argc, argv), live);
}
