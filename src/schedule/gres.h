// SPDX-License-Identifier: Apache-2.0
// Which of a node's generic resources a request gets: how much is free, how many tasks that
// carries, and which devices are given. Pure; nothing here is called for jobs that ask for none.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/gres.h"

namespace ym {

// The kinds as they may be given out: a GPU that is in use as a whole has no parts to give, and one
// of which parts are in use is not free as a whole.
GresKinds givable_gres(const GresKinds& kinds);
// The same without a copy where nothing has to be changed: most nodes are asked, few chosen.
class GivableGres {
 public:
  explicit GivableGres(const GresKinds& kinds);
  GivableGres(const GivableGres&) = delete;  // points into itself
  const GresKinds& operator*() const { return changed_ ? *changed_ : kinds_; }

 private:
  const GresKinds& kinds_;
  std::optional<GresKinds> changed_;
};

// Of a node's givable kinds, what is free of a name; of a type, if one is named. Of a shared kind
// what one device has, unless `many`.
std::uint64_t gres_free(const GresKinds& kinds, std::string_view name, std::string_view type,
                        bool many);

// What a node would give: for so many tasks, and of the wishes for the whole job the parts that the
// node was chosen for.
struct GresDeal {
  std::uint64_t tasks = 0;
  std::uint32_t sockets = 0;               // of each node that the job asked for
  std::vector<std::uint64_t> job_amounts;  // for each wish of the request; empty: nothing
};

// How many of `tasks` the kinds carry; 0: not even one, or what is asked for by node is not there.
// Of the wishes for the whole job it asks for one of anything at least.
std::uint64_t gres_tasks(const GresRequest& request, const GresKinds& kinds, const GresDeal& deal);

// GPUs that the deal has: --cpus-per-gpu and --mem-per-gpu count by them.
std::uint64_t gpus_of(const GresRequest& request, const GresDeal& deal);

// Takes them out of `kinds` and tells which they are; nothing if they do not suffice (`kinds` is
// then in an undefined state). Devices with the same cores first, and of these those that are
// linked best; the lowest numbers among equals. REQUIRES: kinds are givable.
std::optional<GresShares> take_gres(const GresRequest& request, GresKinds& kinds,
                                    const GresDeal& deal, NodeId node);
// So many, dealt out to nodes with that much room: everybody gets one first, so that no node stays
// without; then node after node is filled. Empty if they do not suffice.
std::vector<std::uint64_t> deal_out(std::uint64_t count, const std::vector<std::uint64_t>& rooms);
// All that is free, for jobs that have their nodes for themselves. Parts of GPUs are not taken, the
// GPUs are.
GresShares take_all_gres(GresKinds& kinds, NodeId node);

// Does the node still have what the shares say? REQUIRES: kinds are givable.
bool has_gres(const GresKinds& kinds, const GresShares& shares, NodeId node);

// Of the job's kinds on a node, what it may give to a step: those of the job's shares which are not
// in `taken`.
GresKinds gres_of_job(const GresKinds& node, const GresShares& job, const GresShares& taken,
                      NodeId id);

}  // namespace ym
