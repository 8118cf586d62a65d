// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/order_keeper.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace ym {

void OrderKeeper::note(const std::vector<Event>& events) {
  if (events.empty()) return;
  std::lock_guard lock(notes_mutex_);
  last_seen_ = events.back().seq;
  if (!wanted_) return;
  if (notes_.size() + 2 * events.size() > kNotesMax) {
    notes_.clear();
    wanted_ = false;  // until somebody asks again
    return;
  }
  for (const Event& event : events)
    std::visit(
        [&]<class E>(const E& body) {
          if constexpr (std::is_same_v<E, PartitionDefined> || std::is_same_v<E, PartitionRemoved>)
            complete_from_ = event.seq;  // names may be others now
          else if constexpr (requires { body.array_job; })
            notes_.push_back({.seq = event.seq, .job = body.array_job});
          if constexpr (requires {
                          body.job;
                          body.job.value;
                        } && !std::is_same_v<E, StepEnded> && !std::is_same_v<E, StepStarted> &&
                        !std::is_same_v<E, StepNodeEnded>)
            notes_.push_back({.seq = event.seq, .job = body.job});
        },
        event.body);
}

// What has changed from the one snapshot to the other; false if that is not known.
bool OrderKeeper::changes_since(Seq known, Seq wanted, std::vector<JobId>& changed) {
  std::lock_guard lock(notes_mutex_);
  if (!wanted_ || known < complete_from_) return false;
  for (const Note& note : notes_)
    if (note.seq > known && note.seq <= wanted) changed.push_back(note.job);
  std::erase_if(notes_, [&](const Note& note) { return note.seq <= known; });
  return true;
}

std::shared_ptr<const OrderedJobs> OrderKeeper::same_again(
    View& view, Duration now, const std::function<bool(Seq)>& good_enough) const {
  std::lock_guard lock(kept_mutex_);
  if (!kept_order_ || now - kept_at_ >= kLife || !good_enough(kept_.state.seq)) return nullptr;
  view = kept_;
  return kept_order_;
}

void OrderKeeper::keep(const View& view, std::shared_ptr<const OrderedJobs> order, Duration now) {
  View old;  // freed after the lock
  std::lock_guard lock(kept_mutex_);
  if (kept_order_ && kept_.state.seq > view.state.seq) return;
  old = std::exchange(kept_, view);
  kept_order_ = std::move(order);
  kept_at_ = now;
}

void OrderKeeper::let_go(Duration now) {
  View old;  // freed after the lock
  std::lock_guard lock(kept_mutex_);
  if (!kept_order_ || now - kept_at_ < kLife) return;
  old = std::exchange(kept_, {});
  kept_order_.reset();
}

std::shared_ptr<const OrderedJobs> OrderKeeper::order_of(const Published& published, View& view) {
  std::lock_guard lock(order_mutex_);
  view = published.view();  // in here, so that the order never goes back
  const State& state = view.state;
  if (order_ && order_->seq() == state.seq) return order_;
  std::vector<JobId> changed;
  if (order_ && changes_since(order_->seq(), state.seq, changed)) {
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    return order_ = std::make_shared<OrderedJobs>(order_->moved_on(state, changed));
  }
  {
    // From here on changes are noted. What was durable before and is not in this snapshot was not:
    // then the next question begins anew, too.
    std::lock_guard notes(notes_mutex_);
    if (!wanted_) complete_from_ = last_seen_;
    wanted_ = true;
  }
  return order_ = std::make_shared<OrderedJobs>(OrderedJobs::of(state));
}

}  // namespace ym
