// SPDX-License-Identifier: Apache-2.0
// Passes orders on to the nodes behind this one, and collects what they say. model/tree_walk.h
// decides whom to ask; this dials. On the loop's thread, never waits (docs/decisions/0009).
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/step_messages.h"
#include "model/tree_walk.h"
#include "net/link.h"
#include "net/loop.h"

namespace ym {

inline constexpr std::size_t kTreeOrdersMax = 256;  // on their way at the same time
inline constexpr Duration kTreeBudgetMax = std::chrono::minutes(5);

// In a frame: if they are too much for one, without what the nodes said.
std::string encode_answers(TreeAnswers answers, std::size_t most = kFrameMax);

class TreeRelay {
 public:
  struct Ways {
    std::string cluster;
    // Where a node's slurmd is reached. Not by what the order says of it: the token goes there.
    std::function<Result<Address>(const std::string& node)> address;
    std::function<std::string(std::string_view binding)> token;
    std::function<Status(const Greeting& greeting, std::string_view proof)> check_proof = {};
    std::function<std::shared_ptr<const TlsContext>()> tls = {};
    std::function<std::string(const std::string& node)> tls_name = {};  // in its certificate
  };
  using Done = std::function<void(std::vector<TreeAnswer>)>;

  TreeRelay(Loop& loop, Ways ways) : loop_(loop), ways_(std::move(ways)) {}
  ~TreeRelay();
  TreeRelay(const TreeRelay&) = delete;
  TreeRelay& operator=(const TreeRelay&) = delete;

  // Sends the order to all of its `forward`. `done` is called once, never from within pass_on, with
  // a row for each of them. False if too many are on their way already.
  bool pass_on(TreeOrder order, Done done);

 private:
  struct Walk {
    TreeOrder order;  // without `forward`
    TreeWalk walk;
    std::map<std::uint64_t, std::unique_ptr<Link>> links;  // by call
    std::vector<TreeAnswer> rows;
    Done done;
    TimerId timer;
  };
  void advance(std::uint64_t number);
  void dial(std::uint64_t number, Walk& walk, const TreeSend& send);
  void take(std::uint64_t number, std::uint64_t call, const Frame& frame);
  void lose(std::uint64_t number, std::uint64_t call, const std::string& error);
  void hang_up(Walk& walk, std::uint64_t call);

  Loop& loop_;
  const Ways ways_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Walk> walks_;
  std::deque<std::pair<Duration, std::unique_ptr<Link>>> resting_;  // each until then
};

// The last orders that were carried out here, so that one that comes twice (its way was lost, but
// not the order) is done once.
class DoneOrders {
 public:
  // How it went the first time; null if there was none.
  const std::string* find(std::uint64_t id) const;
  // An empty error: well.
  void add(std::uint64_t id, std::string error);

 private:
  static constexpr std::size_t kMax = 4096;
  std::map<std::uint64_t, std::string> errors_;
  std::vector<std::uint64_t> ring_;
  std::size_t at_ = 0;
};

}  // namespace ym
