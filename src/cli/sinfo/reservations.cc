// SPDX-License-Identifier: Apache-2.0
// sinfo -T: a line for each reservation.
#include <algorithm>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/sinfo/sinfo.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

// Without a heading Slurm's names are not padded to the longest of them either.
constexpr std::size_t kNameWidth = 9;

std::string line(std::size_t width, std::string_view name, std::string_view state,
                 std::string_view start, std::string_view end, std::string_view duration,
                 std::string_view nodes) {
  return fmt::format("{:<{}}  {:>8}  {:>19}  {:>19}  {:>11}  {}\n", name, width, state, start, end,
                     duration, nodes);
}

}  // namespace

std::string render_reservations(const std::vector<ReservationRow>& rows, bool heading,
                                Instant now) {
  if (rows.empty()) return "No reservations in the system\n";
  std::size_t width = kNameWidth;
  std::string out;
  if (heading) {
    for (const ReservationRow& row : rows) width = std::max(width, row.reservation.name.size());
    out = line(width, "RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST");
  }
  for (const ReservationRow& row : rows) {
    const Reservation& one = row.reservation;
    out += line(width, one.name, one.active(now) ? "ACTIVE" : "INACTIVE",
                show_time(one.start, "Unknown"), show_time(one.end, "Unknown"),
                print_span_long(one.end - one.start), row.nodes);
  }
  return out;
}

}  // namespace ym::cli
