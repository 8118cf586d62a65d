// SPDX-License-Identifier: Apache-2.0
// `scontrol create|update|delete reservation`.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"
#include "schedule/calendar.h"

namespace ym {
namespace {

// How long a reservation lasts that does not say.
constexpr Duration kYear = std::chrono::hours(24 * 365);
constexpr std::size_t kReservationsMax = 10'000;
// A start that was "now" when it was typed is not in the past.
constexpr Duration kTypingTime = std::chrono::seconds(60);

template <auto Member>
void copy(Reservation& to, const Reservation& from) {
  to.*Member = from.*Member;
}
struct Field {
  std::string_view name;
  void (*copy)(Reservation& to, const Reservation& from);
};
constexpr Field kFields[] = {
    {"start", copy<&Reservation::start>},
    {"end", copy<&Reservation::end>},
    {"flags", copy<&Reservation::flags>},
    {"node_text", copy<&Reservation::node_text>},
    {"node_count", copy<&Reservation::node_count>},
    {"core_count", copy<&Reservation::core_count>},
    {"partition", copy<&Reservation::partition>},
    {"features", copy<&Reservation::features>},
    {"users", copy<&Reservation::users>},
    {"groups", copy<&Reservation::groups>},
    {"accounts", copy<&Reservation::accounts>},
    {"licenses", copy<&Reservation::licenses>},
    {"tres", copy<&Reservation::tres>},
    {"burst_buffer", copy<&Reservation::burst_buffer>},
    {"comment", copy<&Reservation::comment>},
    {"allowed_partitions", copy<&Reservation::allowed_partitions>},
    {"qos", copy<&Reservation::qos>},
    {"max_start_delay_s", copy<&Reservation::max_start_delay_s>},
    {"purge_after_s", copy<&Reservation::purge_after_s>},
};

// "root_7": the first user or account, and a number.
std::string made_up_name(const Reservation& one, std::uint32_t number) {
  const std::string& list =
      one.users.empty() ? (one.accounts.empty() ? one.groups : one.accounts) : one.users;
  std::vector<std::string_view> words = split_words(list, ',');
  std::string_view first = words.empty() ? "resv" : words[0];
  if (first.starts_with('-')) first.remove_prefix(1);
  return fmt::format("{}_{}", first, number);
}

// Flags of which only one can be meant: a reservation comes again in one rhythm, if it does not
// float, and keeps its nodes or changes them.
bool contradicts_itself(const Reservation& one) {
  int rhythms = 0;
  for (ReservationFlag flag :
       {ReservationFlag::Hourly, ReservationFlag::Daily, ReservationFlag::Weekday,
        ReservationFlag::Weekend, ReservationFlag::Weekly, ReservationFlag::TimeFloat})
    rhythms += one.has(flag) ? 1 : 0;
  bool changes = one.has(ReservationFlag::Replace) || one.has(ReservationFlag::ReplaceDown);
  bool keeps = one.has(ReservationFlag::StaticAlloc) || one.has(ReservationFlag::Maint);
  return rhythms > 1 || (changes && keeps);
}

// Names with '-' say who may not; beside them no other may be named.
bool mixes(const std::string& list) {
  std::vector<std::string_view> words = split_words(list, ',');
  auto denied = std::ranges::count_if(words, [](auto word) { return word.starts_with('-'); });
  bool plain = std::ranges::none_of(words, [](auto word) { return word.starts_with('+'); });
  return !plain || (denied != 0 && denied != std::ssize(words));
}

Status check_names(const Reservation& one) {
  if (one.users.empty() && one.groups.empty() && one.accounts.empty())
    return refuse(Errc::ReservationEmpty);
  if (!one.users.empty() && !one.groups.empty())
    return fail(2129, "Reservations can't have users and groups specified, only one or the other");
  if (mixes(one.users) || mixes(one.groups)) return refuse(Errc::InvalidUserId);
  if (mixes(one.accounts))
    return fail(2045, "Invalid account or account/partition combination specified");
  return {};
}

// Nodes that are counted are those of a partition: the default one, unless another is named.
void name_partition(const State& state, Reservation& one) {
  bool counts = one.core_count > 0 || (one.node_text.empty() && one.node_count > 0);
  const Partition* standard = state.default_partition();
  if (counts && one.partition.empty() && standard) one.partition = standard->spec->name;
}

}  // namespace

// The reservation as it would be, with its nodes; refused if it cannot be.
Result<Reservation> Controller::wanted_reservation(const UpdateReservation& update,
                                                   Instant now) const {
  const Reservation* known = state_.find_reservation(update.wanted.name);
  if (update.create && known) return refuse(Errc::ReservationNameDup);
  if (!update.create && !known) return refuse(Errc::ReservationInvalid);
  Reservation out = known ? *known : Reservation{.id = {state_.next_reservation_id}};
  Instant was = out.start;
  Duration length = out.end - out.start;
  auto given = [&](std::string_view name) {
    return std::ranges::find(update.changed, name) != update.changed.end();
  };
  for (const std::string& name : update.changed) {
    const auto* field = std::ranges::find(kFields, name, &Field::name);
    if (field != std::end(kFields)) field->copy(out, update.wanted);
  }
  out.flags = (out.flags | update.flags_added) & ~update.flags_removed;
  if (update.create) {
    if (!out.start) return refuse(Errc::InvalidTime);
    out.name = update.wanted.name.empty() ? made_up_name(out, out.id.value) : update.wanted.name;
  }
  if (update.skip) {
    if (!out.recurs()) return fail(2128, "Reservation given is not skipable, try deleting instead");
    out.start = next_occurrence(out);
    out.end = out.start + length;
  } else if (update.duration_s >= 0) {
    out.end = out.start + std::chrono::seconds(update.duration_s);
  } else if (!given("end") && (given("start") || update.create)) {
    out.end = out.start + (update.create ? kYear : length);
  }
  bool moved = update.create || given("start");
  if (moved && out.start + kTypingTime < now && out.start != was && !update.skip &&
      !out.has(ReservationFlag::TimeFloat))
    return refuse(Errc::InvalidTime);
  if (out.end <= out.start || out.end <= now) return refuse(Errc::InvalidTime);
  if (out.recurs() && !update.skip && out.end > next_occurrence(out))
    return refuse(Errc::InvalidTime, "it would not be over when it comes again");
  if (contradicts_itself(out)) return refuse(Errc::ReservationInvalid);
  if (out.has(ReservationFlag::TimeFloat)) out.float_by = std::max(Duration(0), out.start - now);
  if (Status ok = check_names(out); !ok) return std::unexpected(ok.error());
  if (Status ok = check_licenses(out.licenses, *state_.licenses); !ok)
    return std::unexpected(ok.error());
  bool places = update.create || given("node_text") || given("node_count") || given("core_count") ||
                given("features") || given("partition") || moved || given("end") ||
                update.duration_s >= 0 || given("flags");
  if (update.create) name_partition(state_, out);
  if (!update.create && (given("node_count") || (given("node_text") && out.node_text.empty())))
    if (Status ok = count_on(out, given("node_text"), now); !ok) return std::unexpected(ok.error());
  if (places)
    if (Status ok = choose_nodes(out, now); !ok) return std::unexpected(ok.error());
  return out;
}

// From now on so many nodes, no certain ones: first of those that are named with the count, or else
// of those that it has.
Status Controller::count_on(Reservation& reservation, bool named, Instant now) const {
  constexpr auto kOfNames = static_cast<std::uint64_t>(ReservationFlag::SpecNodes) |
                            static_cast<std::uint64_t>(ReservationFlag::AllNodes) |
                            static_cast<std::uint64_t>(ReservationFlag::PartNodes);
  if (named && reservation.node_text.empty()) {  // "Nodes=": whichever
    reservation.flags &= ~kOfNames;
    if (reservation.node_count == 0)
      reservation.node_count = static_cast<std::uint32_t>(reservation.nodes.size());
  } else if (named) {
    if (Status ok = choose_nodes(reservation, now); !ok) return ok;
  }
  reservation.node_text.clear();
  return {};
}

void Controller::update_reservation(RequestId request, const UpdateReservation& update,
                                    const Caller& caller, Instant now, Outbox& out) {
  const Reservation* known = state_.find_reservation(update.wanted.name);
  bool may = caller.operates();
  // USER_DELETE: whoever may use it may delete it.
  if (update.remove && known && known->has(ReservationFlag::UserDelete))
    may = may || admits(*known, caller.user_name, caller.groups, "");
  if (!may) return refuse_request(request, refuse(Errc::InvalidUserId).error(), out);
  if (update.remove) {
    Status removed =
        known ? remove_reservation(*known, now, out) : Status(refuse(Errc::ReservationInvalid));
    if (!removed) return refuse_request(request, removed.error(), out);
    return answer(request, Done{}, out);
  }
  if (update.create && state_.reservations.size() >= kReservationsMax)
    return refuse_request(request, Error{.code = 0, .text = "Too many reservations"}, out);
  auto wanted = wanted_reservation(update, now);
  if (!wanted) return refuse_request(request, wanted.error(), out);
  std::string name = wanted->name;
  emit(ReservationDefined{.reservation = std::move(*wanted)}, now, out);
  answer(request, Done{.text = std::move(name)}, out);
}

// Refused while jobs run in it; those that wait for it are held.
Status Controller::remove_reservation(const Reservation& reservation, Instant now, Outbox& out) {
  bool used = false;
  state_.jobs.visit_from(0, [&](std::uint64_t, const Job& job) {
    used = used || (!is_terminal(job.state) && job.allocation->reservation == reservation.name);
    return !used;
  });
  if (used) return refuse(Errc::ReservationBusy);
  ReservationId id = reservation.id;
  hold_waiting_for(reservation, now, out);
  emit(ReservationRemoved{.reservation = id}, now, out);
  return {};
}

void Controller::hold_waiting_for(const Reservation& reservation, Instant now, Outbox& out) {
  if (reservation.has(ReservationFlag::NoHoldJobsAfter)) return;
  std::vector<JobUpdated> held;
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.state != JobState::Pending || job.spec->extras->reservation != reservation.name) return;
    held.push_back({.job = job.id,
                    .spec = job.spec,
                    .holds = {.user = job.holds.user, .admin = true},
                    .priority = job.priority,
                    .dependency = job.dependency,
                    .dependency_failed = job.dependency_failed,
                    .array_max_running = job.array_max_running,
                    .limit_end = job.limit_end});
  });
  for (JobUpdated& job : held) emit(std::move(job), now, out);
}

}  // namespace ym
