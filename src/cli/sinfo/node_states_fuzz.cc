// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/node_states.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto choice = ym::cli::NodeStateChoice::parse(text)) {
    ym::Node node;
    static_cast<void>(choice->holds(node));
    static_cast<void>(choice->names_future());
  }
  return 0;
}
