// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shepherd/pmi1.h"

// Two tasks of a user who may say anything, and an answer from elsewhere that may be anything.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::Pmi1Server server("name", {{.first_task = 0, .tasks = 2}, {.first_task = 2, .tasks = 1}}, 0);
  server.feed(0, text);
  server.feed(1, text.substr(size / 2));
  if (auto fence = server.take_fence()) {
    fence->data += text;
    server.finish_fence(*fence);
    server.feed(0, text);
  }
  (void)server.take_reply(0);
  (void)server.take_abort();
  return 0;
}
