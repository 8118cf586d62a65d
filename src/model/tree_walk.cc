// SPDX-License-Identifier: Apache-2.0
#include "model/tree_walk.h"

#include <algorithm>
#include <set>

#include "model/tree.h"

namespace ym {
namespace {

// Less than this is no time for anybody.
constexpr Duration kShareMin{20};

// How many hops it takes to reach so many nodes.
std::int64_t depth_of(std::size_t nodes, std::uint32_t width) {
  std::int64_t depth = 0;
  for (; nodes > 0; ++depth) nodes = (nodes - 1 + width - 1) / width;
  return depth;
}

}  // namespace

TreeWalk::TreeWalk(std::vector<NodeAddress> nodes, std::uint32_t width, Duration now,
                   Duration budget)
    : width_(std::max(width ? width : kTreeWidthDefault, kTreeWidthMin)),
      end_(now + std::max(budget, Duration(0))) {
  deal(nodes, now);
}

// Every hop keeps a part of the time for asking once more, without the head that was lost: of D
// hops the first has 1/(D+1). A head's own walk ends a little before we go on without it.
void TreeWalk::deal(const std::vector<NodeAddress>& nodes, Duration now) {
  for (std::vector<NodeAddress>& part : tree_parts(nodes, width_)) {
    Duration left = end_ - now;
    std::int64_t depth = depth_of(part.size(), width_);
    bool leaf = depth == 1;
    if (left < kShareMin) {
      for (const NodeAddress& node : part) add_row(node.name, std::string(kTreeNoAnswer));
      continue;
    }
    Call call{.send = {.call = ++last_,
                       .head = std::move(part.front()),
                       .forward = {},
                       .budget = leaf ? left * 7 / 8 : left * depth / (depth + 1),
                       .patience = left},
              .greet_until = now + left / 4,
              .answer_until = now + left * (4 * depth + 1) / (4 * depth + 4)};
    call.send.forward.assign(std::move_iterator(part.begin() + 1), std::move_iterator(part.end()));
    sends_.push_back(call.send);
    calls_.emplace(last_, std::move(call));
  }
}

std::vector<TreeSend> TreeWalk::take_sends() { return std::exchange(sends_, {}); }

std::vector<TreeAnswer> TreeWalk::take_rows() { return std::exchange(rows_, {}); }

std::optional<Duration> TreeWalk::next_deadline() const {
  std::optional<Duration> next;
  for (const auto& [number, call] : calls_)
    if (!next || deadline_of(call) < *next) next = deadline_of(call);
  return next;
}

Duration TreeWalk::deadline_of(const Call& call) const {
  if (call.send.forward.empty()) return end_;
  return call.greeted ? call.answer_until : call.greet_until;
}

void TreeWalk::greeted(std::uint64_t number) {
  if (auto at = calls_.find(number); at != calls_.end()) at->second.greeted = true;
}

void TreeWalk::add_row(const std::string& node, std::string error) {
  rows_.push_back({.node = node, .error = std::move(error), .type = 0, .payload = {}});
}

void TreeWalk::answered(std::uint64_t number, std::vector<TreeAnswer> rows) {
  auto at = calls_.find(number);
  if (at == calls_.end()) return;
  std::set<std::string, std::less<>> missing{at->second.send.head.name};
  for (const NodeAddress& node : at->second.send.forward) missing.insert(node.name);
  for (TreeAnswer& row : rows)
    if (missing.erase(row.node) > 0) rows_.push_back(std::move(row));
  for (const std::string& node : missing) add_row(node, "its head left it out");
  calls_.erase(at);
}

void TreeWalk::lost(std::uint64_t number, const std::string& error, Duration now) {
  auto at = calls_.find(number);
  if (at == calls_.end()) return;
  Call call = std::move(at->second);
  calls_.erase(at);
  std::erase_if(sends_, [number](const TreeSend& send) { return send.call == number; });
  add_row(call.send.head.name, error.empty() ? std::string(kTreeNoAnswer) : error);
  deal(call.send.forward, now);
}

std::vector<std::uint64_t> TreeWalk::tick(Duration now) {
  std::vector<std::uint64_t> late, slow;
  for (const auto& [number, call] : calls_)
    if (deadline_of(call) <= now) (call.send.forward.empty() ? late : slow).push_back(number);
  for (std::uint64_t number : slow) deal(std::exchange(calls_.at(number).send.forward, {}), now);
  for (std::uint64_t number : late) lost(number, {}, now);
  return late;
}

}  // namespace ym
