// SPDX-License-Identifier: Apache-2.0
#include "schedule/outlook.h"

#include <algorithm>
#include <limits>

#include "schedule/het.h"
#include "schedule/homes.h"

namespace ym {
namespace {

// Times that are tried for all components of a heterogeneous job before it is given up.
constexpr int kTimesTried = 200;

// Numbers that no job has, for components while the others are placed beside them.
JobId stand_in(std::size_t component) {
  return JobId{std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(component)};
}

bool is_whole(const Asker& asker, const JobSpec& spec, PartitionId id) {
  const Partition* partition = asker.state.find(id);
  return spec.exclusive || (partition && rules_in(*partition->spec, asker.rules).whole_nodes);
}

// All of them at one time, or when the first that has to wait for longer could start.
struct Attempt {
  std::vector<Booking> bookings;
  Instant start;
  bool together = true, possible = true;
};
Attempt attempt(const Asker& asker, const std::vector<const JobSpec*>& specs, Instant start) {
  Attempt out{.bookings = {}, .start = start};
  for (std::size_t i = 0; i < specs.size() && out.together; ++i) {
    std::optional<JobSpec> fewest;
    if (takes_a_range(*specs[i])) fewest = with_fewest_nodes(*specs[i]);
    const JobSpec& spec = fewest ? *fewest : *specs[i];
    std::vector<Home> homes = homes_of(spec, asker.state, asker.book, asker.rules);
    auto found = earliest_of(asker, spec, homes, std::max(start, spec.begin));
    out.possible = found.has_value();
    if (!found) break;
    out.together = found->start <= start;
    out.start = std::max(start, found->start);
    found->job = stand_in(i);
    if (!out.together) break;
    asker.profile.promise(*found, spec, is_whole(asker, spec, found->partition));
    asker.bookings[found->job] = *found;
    out.bookings.push_back(std::move(*found));
  }
  for (const Booking& one : out.bookings) {
    asker.profile.retract(one);
    asker.bookings.erase(one.job);
  }
  return out;
}

}  // namespace

std::optional<Booking> earliest_of(const Asker& asker, const JobSpec& spec,
                                   const std::vector<Home>& homes, Instant from) {
  std::optional<Booking> best;
  for (const Home& home : homes) {
    const Partition* partition = asker.state.find(home.id);
    if (!partition || refusal_of(*partition->spec, spec) != Reason::None) continue;
    auto found = asker.profile.earliest(
        {.spec = spec, .from = from, .before = best ? best->start : kNever}, home);
    if (found) best = std::move(found);
  }
  return best;
}

std::vector<Booking> earliest_together(const Asker& asker,
                                       const std::vector<const JobSpec*>& specs) {
  if (!fit_when_empty(asker.state, specs, asker.rules)) return {};
  Instant start = asker.profile.now();
  for (int tries = 0; tries < kTimesTried; ++tries) {
    Attempt found = attempt(asker, specs, start);
    if (!found.possible) return {};
    if (found.together) return std::move(found.bookings);
    start = found.start;
  }
  return {};
}

Outlook::Outlook(const State& state, const PlacementRules& rules, Instant now)
    : state_(state),
      rules_(rules),
      book_([&] {
        Book book;
        book.rebuild(state);
        return book;
      }()),
      profile_(book_, state, bookings_, now) {}

void Outlook::promise(const Booking& booking) {
  const JobSpec& spec = *state_.jobs.at(booking.job.value).spec;
  profile_.promise(booking, spec, is_whole(asker(), spec, booking.partition));
  bookings_[booking.job] = booking;
}

std::optional<Booking> Outlook::earliest(const JobSpec& spec) {
  std::vector<Home> homes = homes_of(spec, state_, book_, rules_);
  return earliest_of(asker(), spec, homes, std::max(profile_.now(), spec.begin));
}

std::vector<Booking> Outlook::earliest_together(const std::vector<const JobSpec*>& specs) {
  if (specs.size() > 1) return ym::earliest_together(asker(), specs);
  auto found = earliest(*specs.front());
  if (!found) return {};
  return {std::move(*found)};
}

}  // namespace ym
