// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/reservation.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/scontrol/data.h"
#include "model/node_gres.h"
#include "notation/time_limit.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

Result<ReservationRow> known_reservation(Controller& controller, const std::string& name) {
  auto rows = controller.ask<ReservationRows>(QueryReservations{.name = name});
  if (!rows) return std::unexpected(rows.error());
  return rows->rows.empty() ? ReservationRow{} : rows->rows[0];
}

}  // namespace

int create_reservation(ScontrolContext& context, const Words& words) {
  auto assignments = parse_assignments(words);
  if (!assignments) return context.fail_with(assignments.error().text);
  if (Status nodes = resolve_hosts_of(*assignments, context); !nodes)
    return context.fail_with(nodes.error().text);
  auto update = reservation_update(*assignments, {}, wall_clock(), true);
  if (!update) return context.fail_with(update.error().text);
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(*update, Asking::Keyed);
  if (!done) {
    std::string text = fmt::format("Error creating the reservation: {}", done.error().text);
    if (is(done.error(), Errc::NodesBusy))
      text +=
          "\nNote, unless nodes are directly requested a reservation must exist in a single "
          "partition.\nIf no partition is requested the default partition is assumed.";
    return context.fail_with(text);
  }
  print(fmt::format("Reservation created: {}\n", done->text));
  return 0;
}

int update_reservation(ScontrolContext& context, const std::vector<Assignment>& assignments) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto refused = [&](const std::string& text) {
    return context.fail_with(
        fmt::format("Error updating the reservation: {}\nslurm_update error: {}", text, text));
  };
  auto known = known_reservation(**controller, reservation_named(assignments));
  if (!known) return refused(known.error().text);
  std::vector<Assignment> settled = assignments;
  if (Status nodes = resolve_hosts_of(settled, context); !nodes)
    return context.fail_with(nodes.error().text);
  auto update = reservation_update(settled, *known, wall_clock(), false);
  if (!update) return context.fail_with(update.error().text);
  auto done = (*controller)->ask<Done>(*update, Asking::Keyed);
  if (!done) return refused(done.error().text);
  print("Reservation updated.\n");
  return 0;
}

int delete_reservation(ScontrolContext& context, const std::string& said, const std::string& name) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  UpdateReservation request{.wanted = {.name = name}, .remove = true};
  auto done = (*controller)->ask<Done>(request, Asking::Keyed);
  if (!done)
    return context.fail_with(
        fmt::format("delete_reservation {}: {}", printable(said), done.error().text));
  return 0;
}

std::string reservation_record(const ReservationRow& row, Instant now, bool one_line) {
  const Reservation& one = row.reservation;
  std::vector<std::string> lines = {
      fmt::format("ReservationName={} StartTime={} EndTime={} Duration={}", one.name,
                  show_time(one.start, "Unknown"), show_time(one.end, "Unknown"),
                  print_span_long(one.end - one.start)),
      fmt::format("Nodes={} NodeCnt={} CoreCnt={} Features={} PartitionName={} Flags={}",
                  or_null(row.nodes), one.nodes.size(), row.cores, or_null(one.features),
                  or_null(one.partition), flags_text(one)),
      fmt::format("TRES={}{}", row.cpus ? fmt::format("cpu={}", row.cpus) : "(null)",
                  gres_tres_text(one.gres)),
      fmt::format("Users={} Groups={} Accounts={} Licenses={} State={} BurstBuffer={}",
                  or_null(one.users), or_null(one.groups), or_null(one.accounts),
                  or_null(one.licenses), one.active(now) ? "ACTIVE" : "INACTIVE",
                  or_null(one.burst_buffer)),
      fmt::format("MaxStartDelay={}", one.max_start_delay_s ? print_span_long(std::chrono::seconds(
                                                                  one.max_start_delay_s))
                                                            : "(null)"),
  };
  if (!one.comment.empty()) lines.push_back(fmt::format("Comment={}", one.comment));
  return record_text(lines, one_line);
}

int show_reservations(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::string name = words.empty() ? "" : words[0];
  auto rows = (*controller)->ask<ReservationRows>(QueryReservations{.name = name});
  if (!rows && !is(rows.error(), Errc::ReservationInvalid))
    return context.fail_with(fmt::format("slurm_load_reservations error: {}", rows.error().text));
  if (!rows) {
    print(fmt::format("Reservation {} not found\n", name));
    return 1;
  }
  if (context.settings().notation)
    return print_data(context, {"show", "reservations"}, [&](DataWriter& data) {
      data.begin_list("reservations");
      for (const ReservationRow& row : rows->rows) write_reservation(data, row, wall_clock());
      data.end();
      data.number("last_update", wall_clock().unix_seconds());
    });
  std::string out;
  for (const ReservationRow& row : rows->rows)
    out += reservation_record(row, wall_clock(), context.settings().one_line);
  print(rows->rows.empty() ? "No reservations in the system\n" : out);
  return 0;
}

std::string license_record(const LicenseRow& row, bool one_line) {
  const License& one = row.license;
  return fmt::format("LicenseName={}{}Total={} Used={} Free={} Reserved={} Remote=no\n", one.name,
                     one_line ? " " : "\n    ", one.total, one.used, one.free(), row.reserved);
}

int show_licenses(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto rows = (*controller)->ask<LicenseRows>(QueryLicenses{.name = words.empty() ? "" : words[0]});
  if (!rows)
    return context.fail_with(fmt::format("slurm_load_licenses error: {}", rows.error().text));
  if (context.settings().notation)
    return print_data(context, {"show", "licenses"}, [&](DataWriter& data) {
      data.begin_list("licenses");
      for (const LicenseRow& row : rows->rows) write_license(data, row);
      data.end();
      data.number("last_update", wall_clock().unix_seconds());
    });
  if (rows->rows.empty() && words.empty()) {
    print("No licenses configured in Slurm.\n");
    return 0;
  }
  std::string out;
  for (const LicenseRow& row : rows->rows) out += license_record(row, context.settings().one_line);
  print(out);
  return 0;
}

}  // namespace ym::cli
