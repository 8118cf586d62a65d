// SPDX-License-Identifier: Apache-2.0
// Any words behind `update`, `create`, `delete` and `reboot` are read or refused. The first byte
// chooses the parser, each line of the rest is a word.
#include <cstdint>

#include "base/text.h"
#include "cli/scontrol/keys.h"
#include "cli/scontrol/reservation.h"
#include "cli/scontrol/scontrol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace cli = ym::cli;
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  cli::Words words;
  for (std::string_view word : ym::split(text, '\n')) words.emplace_back(word);
  constexpr ym::Instant kNow{1'700'000'000'000};
  if (data[0] % 8 == 0) static_cast<void>(cli::reboot_wish(words));
  if (data[0] % 8 == 1) static_cast<void>(cli::new_nodes(words));
  auto assignments = cli::parse_assignments(words);
  if (!assignments) return 0;
  switch (data[0] % 8) {
    case 2: static_cast<void>(cli::job_update(*assignments, kNow)); break;
    case 3: static_cast<void>(cli::step_update(*assignments)); break;
    case 4: static_cast<void>(cli::node_update(*assignments)); break;
    case 5: static_cast<void>(cli::partition_update(*assignments)); break;
    case 6: static_cast<void>(cli::reservation_update(*assignments, {}, kNow, false)); break;
    case 7: static_cast<void>(cli::reservation_update(*assignments, {}, kNow, true)); break;
    default: break;
  }
  return 0;
}
