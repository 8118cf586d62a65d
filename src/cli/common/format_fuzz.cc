// SPDX-License-Identifier: Apache-2.0
// Format strings, sort orders and states of squeue and sinfo, against made-up rows; texts in JSON.
#include <cstdint>

#include "cli/common/made_up_rows.h"
#include "cli/sinfo/sinfo.h"
#include "cli/squeue/squeue.h"

namespace ym::cli {
namespace {

int try_input(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 2048) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  SqueueSettings queue{.steps = (data[0] & 8) != 0};
  SinfoSettings nodes{.by_node = (data[0] & 4) != 0, .exact = (data[0] & 8) != 0};
  queue.report.header = (data[0] & 4) != 0;
  for (ReportWish* wish : {&queue.report, &nodes.report}) {
    switch (data[0] % 3) {
      case 0: wish->format = text; break;
      case 1: wish->long_format = text; break;
      default: wish->sort = text;
    }
  }
  queue.states.all = true;
  (void)render_queue(
      queue, {made_up::running(7, made_up::spec("x")), made_up::pending(8, made_up::spec("y"))},
      made_up::kNow);
  (void)quoted(text);
  (void)NodeStateChoice::parse(text);
  (void)render_nodes(nodes, {made_up::partition(1, "debug", true)},
                     {made_up::node(1), made_up::node(2, 3)}, made_up::kNow);
  return 0;
}

}  // namespace
}  // namespace ym::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ym::cli::try_input(data, size);
}
