// SPDX-License-Identifier: Apache-2.0
#include "schedule/calendar.h"

#include <algorithm>

#include "model/errc.h"
#include "notation/licenses.h"

namespace ym {
namespace {

// Groups are not known here: who is admitted by one was asked at submission.
bool may_use(const Reservation& one, const JobSpec& spec) {
  return !one.groups.empty() || admits(one, spec.user_name, {}, spec.account);
}

bool has_license(const LicenseList::Term& term, const Licenses& licenses, const Calendar& calendar,
                 const Calendar::Stay& stay) {
  auto at = licenses.find(term.name);
  if (at == licenses.end()) return false;
  std::uint64_t kept = calendar.empty() ? 0 : calendar.licenses_kept(term.name, stay);
  return at->second.free() >= kept + term.count;
}

}  // namespace

Calendar::Calendar(const State& state, Instant now) {
  state.reservations.for_each([&](std::uint64_t, const Reservation& one) {
    all_.push_back(one);
    if (one.has(ReservationFlag::TimeFloat)) {
      Duration length = one.end - one.start;
      all_.back().start = now + one.float_by;
      all_.back().end = all_.back().start + length;
    }
  });
  for (const Reservation& one : all_) {
    personal_ = personal_ || one.has(ReservationFlag::Magnetic);
    for (const ReservedNode& node : one.nodes) {
      by_node_[node.node].emplace_back(&one, &node);
      has_parts_ = has_parts_ || !node.whole;
    }
  }
}

void Calendar::count(JobId job, const Allocation& allocation) {
  if (allocation.reservation.empty() || (job && !counted_.insert(job).second)) return;
  const Reservation* in = by_name(allocation.reservation);
  if (!in) return;
  for (const NodeShare& share : allocation.nodes) used_[{in->id, share.node}] += share.cpus;
  count_gres(*in, allocation, 1);
}

void Calendar::uncount(const Allocation& allocation) {
  const Reservation* in = by_name(allocation.reservation);
  if (!in) return;
  for (const NodeShare& share : allocation.nodes) used_[{in->id, share.node}] -= share.cpus;
  count_gres(*in, allocation, -1);
}

void Calendar::count_gres(const Reservation& in, const Allocation& allocation, std::int64_t sign) {
  if (in.gres.empty()) return;
  for (const GresShare& share : *allocation.gres)
    if (share.devices.empty())
      used_gres_[{in.id, share.node, share.name, share.type}] +=
          sign * static_cast<std::int64_t>(share.count);
}

void Calendar::keep_gres(Free& free, const Reservation& one, bool others) const {
  GresKinds kinds = *free.gres;
  for (GresKind& kind : kinds) {
    auto share = std::ranges::find_if(one.gres, [&](const GresShare& each) {
      return each.node == free.node && each.name == kind.name && each.type == kind.type;
    });
    bool kept = share != one.gres.end();
    // Parts of a GPU go with it; what nobody can use up cannot be kept.
    if (kind.shared || kind.no_consume) continue;
    if (kind.devices.empty()) {
      auto at = used_gres_.find({one.id, free.node, kind.name, kind.type});
      std::uint64_t taken = at == used_gres_.end() ? 0 : static_cast<std::uint64_t>(at->second);
      std::uint64_t count = kept ? share->count : 0;
      std::uint64_t left = count - std::min(count, taken);
      kind.used = others ? std::max(kind.used, kind.count - std::min(kind.count, left))
                         : std::min(kind.count, kind.used + left);
    }
    for (std::size_t i = 0; i < kind.devices.size(); ++i) {
      GresDevice& device = kind.devices[i];
      bool reserved = kept && std::ranges::binary_search(
                                  share->devices, kind.first + static_cast<std::uint32_t>(i));
      if (reserved == others || device.used >= device.room) continue;
      kind.used += device.room - device.used;
      device.used = device.room;
    }
  }
  free.gres = Ref(std::move(kinds));
}

const Reservation* Calendar::by_name(std::string_view name) const {
  auto at = std::ranges::find(all_, name, &Reservation::name);
  return at == all_.end() ? nullptr : &*at;
}

std::vector<Calendar::Stay> Calendar::stays(const JobSpec& spec, Instant from, Instant to) const {
  std::vector<Stay> out;
  const std::string& name = spec.extras->reservation;
  if (!name.empty()) {
    // A comma list: the first that is usable.
    for (std::size_t at = 0; at <= name.size();) {
      std::size_t end = std::min(name.find(',', at), name.size());
      if (auto one = stay(spec, name.substr(at, end - at), from, to)) out.push_back(*one);
      at = end + 1;
    }
    return out;
  }
  out.push_back({.from = from, .to = to});
  if (!personal_) return out;
  for (const Reservation& one : all_)
    if (one.has(ReservationFlag::Magnetic) && one.active(from) && one.groups.empty() &&
        may_use(one, spec))
      out.insert(out.end() - 1, {.from = from, .to = to, .in = &one});
  return out;
}

std::optional<Calendar::Stay> Calendar::stay(const JobSpec& spec, const std::string& name,
                                             Instant from, Instant to) const {
  if (name.empty()) return Stay{.from = from, .to = to};
  const Reservation* one = by_name(name);
  if (!one || !may_use(*one, spec)) return std::nullopt;
  bool flexible = one->has(ReservationFlag::Flex);
  if (one->end <= from || (one->start > from && !flexible)) return std::nullopt;
  return Stay{.from = from, .to = to, .in = one};
}

bool Calendar::clip(Free& free, const Stay& stay) const {
  bool outside_is_closed = stay.in && !stay.in->has(ReservationFlag::Flex) &&
                           !stay.in->has(ReservationFlag::AnyNodes) && !stay.in->nodes.empty();
  auto here = by_node_.find(free.node);
  if (here == by_node_.end()) return !outside_is_closed;
  bool mine = false;
  // Whoever is in a reservation that may overlap others does not ask these.
  bool overrides =
      stay.in && (stay.in->has(ReservationFlag::Maint) || stay.in->has(ReservationFlag::Overlap));
  for (const auto& [one, reserved] : here->second) {
    auto used = used_.find({one->id, free.node});
    std::uint32_t taken = used == used_.end() ? 0 : used->second;
    std::uint32_t left = reserved->cpus - std::min(reserved->cpus, taken);
    if (one == stay.in) {
      mine = true;
      if (!reserved->whole && !one->has(ReservationFlag::Flex))
        free.cpus = std::min(free.cpus, left);
      if (!one->gres.empty() && !one->has(ReservationFlag::Flex)) keep_gres(free, *one, true);
      continue;
    }
    if (overrides || !meets(*one, stay)) continue;
    // Those who share would keep off whoever comes and has CPUs for himself.
    if (reserved->whole || free.row) return false;
    free.cpus -= std::min(free.cpus, left);
    free.idle = false;
    if (!one->gres.empty()) keep_gres(free, *one, false);
  }
  return mine || !outside_is_closed;
}

bool Calendar::in_maintenance(NodeId node, const Stay& stay) const {
  auto here = by_node_.find(node);
  return here != by_node_.end() && std::ranges::any_of(here->second, [&](const auto& entry) {
           return entry.first != stay.in && entry.first->has(ReservationFlag::Maint) &&
                  meets(*entry.first, stay);
         });
}

std::uint32_t Calendar::licenses_kept(std::string_view name, const Stay& stay) const {
  std::uint32_t kept = 0;
  for (const Reservation& one : all_) {
    if (one.licenses.empty() || &one == stay.in || !meets(one, stay)) continue;
    auto list = LicenseList::parse(one.licenses);
    if (!list) continue;
    for (const LicenseList::Term& term : list->terms)
      if (term.name == name) kept += term.count;
  }
  return kept;
}

std::vector<Instant> Calendar::turns(Instant after) const {
  std::set<Instant> out;
  for (const Reservation& one : all_) {
    if (one.start > after) out.insert(one.start);
    if (one.end > after) out.insert(one.end);
  }
  return {out.begin(), out.end()};
}

bool licenses_suffice(const std::string& held, const Licenses& licenses, const Calendar& calendar,
                      const Calendar::Stay& stay) {
  auto list = LicenseList::parse(held);
  return list && std::ranges::all_of(list->terms, [&](const LicenseList::Term& term) {
           return has_license(term, licenses, calendar, stay);
         });
}

std::optional<std::string> choose_licenses(const JobSpec& spec, const Licenses& licenses,
                                           const Calendar& calendar, const Calendar::Stay& stay) {
  if (spec.extras->licenses.empty()) return "";
  auto wanted = LicenseList::parse(spec.extras->licenses);
  if (!wanted) return std::nullopt;
  auto enough = [&](const LicenseList::Term& term) {
    return has_license(term, licenses, calendar, stay);
  };
  if (!wanted->any) {
    if (!std::ranges::all_of(wanted->terms, enough)) return std::nullopt;
    return wanted->str();
  }
  auto first = std::ranges::find_if(wanted->terms, enough);
  if (first == wanted->terms.end()) return std::nullopt;
  return LicenseList{.terms = {*first}}.str();
}

Status check_licenses(const std::string& text, const Licenses& licenses) {
  auto wanted = LicenseList::parse(text);
  if (!wanted) return refuse(Errc::InvalidLicenses);
  auto known = [&](const LicenseList::Term& term) {
    auto at = licenses.find(term.name);
    return at != licenses.end() && term.count > 0 && term.count <= at->second.total;
  };
  if (!std::ranges::all_of(wanted->terms, known)) return refuse(Errc::InvalidLicenses);
  return {};
}

void take_licenses(const std::string& held, Licenses& licenses) {
  if (held.empty()) return;
  auto list = LicenseList::parse(held);
  if (!list) return;
  for (const LicenseList::Term& term : list->terms) licenses[term.name].used += term.count;
}

}  // namespace ym
