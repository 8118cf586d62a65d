// SPDX-License-Identifier: Apache-2.0
// Any words of a user as his options of generic resources, one on each line: refused, or understood
// as wishes that have names.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "model/gres_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::GresOptions options;
  std::string* const fields[] = {&options.per_job,  &options.per_node, &options.per_socket,
                                 &options.per_task, &options.cpus_per, &options.memory_per,
                                 &options.bind,     &options.freq,     &options.flags};
  std::size_t next = 0;
  for (std::string_view line : ym::split(text, '\n'))
    if (next < std::size(fields)) *fields[next++] = line;
  static_cast<void>(ym::shown_gres(options.per_node));
  auto request = ym::understand(options);
  if (!request) {
    YM_CHECK(!request.error().text.empty());
    return 0;
  }
  for (const ym::GresWish& wish : request->wishes) {
    YM_CHECK(!wish.name.empty());
    static_cast<void>(ym::wanted_on_node(*request, wish.name, wish.type, 3, 2));
  }
  return 0;
}
