// SPDX-License-Identifier: Apache-2.0
// Who may use which reservation and licences: at submission, and again when a plan is committed.
#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "model/node_gres.h"
#include "schedule/calendar.h"
#include "schedule/gres.h"

namespace ym {

// Fills in the reservation's partition where the job names none.
Status Controller::check_reservation(JobSpec& spec, const Caller& caller, Instant now) const {
  if (!spec.extras) return {};
  if (Status ok = check_licenses(spec.extras->licenses, *state_.licenses); !ok) return ok;
  for (std::string_view name : split_words(spec.extras->reservation, ',')) {
    const Reservation* one = state_.find_reservation(name);
    if (!one) return refuse(Errc::ReservationInvalid);
    if (!admits(*one, spec.user_name, caller.groups, spec.account))
      return refuse(Errc::ReservationAccess);
    bool over = one->end <= now && !one->recurs() && !one->has(ReservationFlag::TimeFloat);
    if (over) return refuse(Errc::ReservationInvalid);
    if (spec.partitions.empty()) spec.partitions = one->partition;
  }
  return {};
}

bool Controller::reservations_allow(const Job& job, const Allocation& allocation, Instant now,
                                    const std::vector<const Allocation*>& held) const {
  if (state_.reservations.empty() && allocation.reservation.empty() && allocation.licenses.empty())
    return true;
  std::uint32_t limit_s = job.spec->time_limit_s;
  bool unlimited = limit_s == 0 || limit_s == JobSpec::kUnlimited;
  Calendar calendar(state_, now);
  auto stay = calendar.stay(*job.spec, allocation.reservation, now,
                            unlimited ? kNever : now + std::chrono::seconds(limit_s));
  if (!stay) return false;
  Licenses licenses = *state_.licenses;
  for (const Allocation* one : held) {
    take_licenses(one->licenses, licenses);
    calendar.count({}, *one);
  }
  if (!licenses_suffice(allocation.licenses, licenses, calendar, *stay)) return false;
  if (calendar.has_parts())
    for (const NodeShare& share : allocation.nodes)
      for (JobId other : indexes_.on_node(share.node))
        calendar.count(other, *state_.jobs.at(other.value).allocation);
  for (const NodeShare& share : allocation.nodes) {
    Free free = free_now(state_.nodes.at(share.node.value), share.row);
    if (!calendar.clip(free, *stay) || free.cpus < share.cpus) return false;
    if (calendar.has_parts() && !allocation.gres->empty() &&
        !has_gres(givable_gres(*free.gres), gres_on(*allocation.gres, share.node), share.node))
      return false;
  }
  return true;
}

}  // namespace ym
