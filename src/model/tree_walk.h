// SPDX-License-Identifier: Apache-2.0
// Who is asked next when an order goes down a tree: the same for a command, the controller and
// every slurmd on the way. Pure: the owner carries out the sends and says what became of them.
//
// A head that is lost costs only itself: the nodes behind it are dealt out anew. One that is slow
// is not lost: the nodes behind it are asked without it, and it has its chance until the end.
//
// Invariants: (1) every node gets exactly one row; (2) a node is a head at most once;
// (3) finished() holds at the latest when the budget is used up and tick() was called.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/tree_messages.h"

namespace ym {

// A chain would have no time to lose anybody.
inline constexpr std::uint32_t kTreeWidthMin = 2;
inline constexpr std::string_view kTreeNoAnswer = "no answer in time";

// An order for `head`, to be passed on to `forward`.
struct TreeSend {
  std::uint64_t call = 0;  // names it in answered() and lost()
  NodeAddress head;
  std::vector<NodeAddress> forward;
  Duration budget{0};    // for the head: its answer leaves within it
  Duration patience{0};  // how long to try to reach the head; tick() gives it up
};

class TreeWalk {
 public:
  // Times are those of a clock that never goes back. The first sends are there at once.
  TreeWalk(std::vector<NodeAddress> nodes, std::uint32_t width, Duration now, Duration budget);

  std::vector<TreeSend> take_sends();
  bool has_sends() const { return !sends_.empty(); }
  // The rows that are known since this was last asked.
  std::vector<TreeAnswer> take_rows();
  bool finished() const { return calls_.empty() && sends_.empty(); }
  // When tick() has something to do.
  std::optional<Duration> next_deadline() const;

  // Calls that are over already are passed over.
  void answered(std::uint64_t call, std::vector<TreeAnswer> rows);
  // The head is there: it only has to do its work.
  void greeted(std::uint64_t call);
  void lost(std::uint64_t call, const std::string& error, Duration now);
  // Gives up who has not answered in time, and says who: the owner lets go of these calls.
  std::vector<std::uint64_t> tick(Duration now);

 private:
  struct Call {
    TreeSend send;
    Duration greet_until{0}, answer_until{0};  // then the nodes behind it are asked without it
    bool greeted = false;
  };
  Duration deadline_of(const Call& call) const;
  void deal(const std::vector<NodeAddress>& nodes, Duration now);
  void add_row(const std::string& node, std::string error);

  const std::uint32_t width_;
  const Duration end_;
  std::uint64_t last_ = 0;
  std::vector<TreeSend> sends_;
  std::map<std::uint64_t, Call> calls_;  // sent or in sends_
  std::vector<TreeAnswer> rows_;
};

}  // namespace ym
