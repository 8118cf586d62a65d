// SPDX-License-Identifier: Apache-2.0
// Keeps the usual order of the queue from one question to the next: what has changed in between is
// noted as it becomes durable, and put in its place when somebody asks. Nobody asks: it costs a
// note of a few bytes for each event, up to a number.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "controller/queries/order.h"
#include "daemon/slurmctld/published.h"
#include "model/event.h"

namespace ym {

class OrderKeeper {
 public:
  // Beyond that the order is made anew.
  static constexpr std::size_t kNotesMax = 100'000;
  // As old an order may be (decision 17).
  static constexpr Duration kLife{100};

  // These events are durable now. Before a snapshot that has them is published.
  void note(const std::vector<Event>& events);
  // The published view and the order of its jobs. On the asker's thread; others who ask wait, the
  // journal does not.
  std::shared_ptr<const OrderedJobs> order_of(const Published& published, View& view);
  // The same view and order that somebody else got a moment before, if `good_enough` says so of its
  // number; null: there is none. A thousand long answers then share one state.
  std::shared_ptr<const OrderedJobs> same_again(
      View& view, Duration now, const std::function<bool(Seq made_of)>& good_enough) const;
  void keep(const View& view, std::shared_ptr<const OrderedJobs> order, Duration now);
  // Lets go of it when it is of no use any more.
  void let_go(Duration now);

 private:
  struct Note {
    Seq seq;
    JobId job;
  };
  bool changes_since(Seq known, Seq wanted, std::vector<JobId>& changed);

  std::mutex notes_mutex_;
  std::vector<Note> notes_;  // ascending; guarded by notes_mutex_
  Seq last_seen_;            // guarded by notes_mutex_
  Seq complete_from_;        // every change after that is noted; guarded by notes_mutex_
  bool wanted_ = false;      // somebody has asked; guarded by notes_mutex_
  mutable std::mutex kept_mutex_;
  // All guarded by kept_mutex_.
  View kept_;
  std::shared_ptr<const OrderedJobs> kept_order_;  // null: nothing is kept
  Duration kept_at_{0};
  std::mutex order_mutex_;
  std::shared_ptr<const OrderedJobs> order_;  // guarded by order_mutex_
};

}  // namespace ym
