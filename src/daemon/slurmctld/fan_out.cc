// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/fan_out.h"

#include <optional>
#include <set>

#include "controller/queries/steps.h"
#include "model/tree.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// Of orders that may go this way.
template <class Message>
std::optional<Message> encoded(const Order& order) {
  if (const auto* kill = std::get_if<KillJob>(&order.message))
    return Message{wire::message_number<KillJob>, wire::encode(*kill)};
  if (const auto* signal = std::get_if<SignalJob>(&order.message))
    return Message{wire::message_number<SignalJob>, wire::encode(*signal)};
  return std::nullopt;
}

}  // namespace

std::vector<bool> FanOut::send(const Batch& batch, const std::vector<ConnectionId>& routes,
                               std::uint32_t width, Duration message_timeout) {
  if (batch.orders.size() <= width) return {};
  std::map<Message, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < batch.orders.size(); ++i) {
    if (!routes[i]) continue;
    if (auto message = encoded<Message>(batch.orders[i])) groups[std::move(*message)].push_back(i);
  }
  std::vector<bool> taken;
  for (const auto& [message, indexes] : groups) {
    if (indexes.size() <= width) continue;
    taken.resize(batch.orders.size());
    std::vector<NodeAddress> nodes;
    std::map<std::string, ConnectionId, std::less<>> route_of;
    for (std::size_t i : indexes) {
      const Node* node = batch.state.find(batch.orders[i].node);
      if (!node) continue;
      nodes.push_back(address_of(*node));
      route_of[nodes.back().name] = routes[i];
      taken[i] = true;
    }
    for (std::vector<NodeAddress>& share : tree_parts(nodes, width)) {
      Part part{.header = {.type = message.first}, .payload = message.second, .members = {}};
      for (NodeAddress& node : share) {
        ConnectionId route = route_of[node.name];
        part.members.push_back({.node = std::move(node), .route = route});
      }
      send_part(std::move(part), width, message_timeout);
    }
  }
  return taken;
}

void FanOut::send_part(Part part, std::uint32_t width, Duration message_timeout) {
  TreeOrder order{.type = part.header.type,
                  .payload = part.payload,
                  .forward = {},
                  .tree_width = width,
                  .uid = {},
                  .gid = {},
                  .budget_ms = static_cast<std::uint32_t>(message_timeout.count() * 3 / 4),
                  .asker = {}};
  for (std::size_t i = 1; i < part.members.size(); ++i)
    order.forward.push_back(part.members[i].node);
  ConnectionId head = part.members.front().route;
  std::uint64_t number = 0;
  {
    // Known before it leaves: the answer may come on another thread.
    std::lock_guard lock(mutex_);
    number = order.id = ++last_;
    parts_.emplace(number, std::move(part));
  }
  SendResult sent = server_.send(
      head, {.type = wire::message_number<TreeOrder>, .correlation = number}, wire::encode(order));
  if (sent != SendResult::Sent) return expire(number);
  server_.loop().post([this, number, message_timeout] {
    server_.loop().after(message_timeout, [this, number] { expire(number); });
  });
}

void FanOut::tell_directly(const Part& part) {
  for (std::size_t i = 1; i < part.members.size(); ++i)
    server_.send(part.members[i].route, part.header, part.payload);
}

void FanOut::expire(std::uint64_t number) {
  Part part;
  {
    std::lock_guard lock(mutex_);
    auto at = parts_.find(number);
    if (at == parts_.end()) return;
    part = std::move(at->second);
    parts_.erase(at);
  }
  tell_directly(part);
}

void FanOut::lost(ConnectionId connection) {
  std::vector<std::uint64_t> numbers;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [number, part] : parts_)
      if (part.members.front().route == connection) numbers.push_back(number);
  }
  for (std::uint64_t number : numbers) expire(number);
}

void FanOut::answered(ConnectionId from, const Frame& frame) {
  auto answers = wire::decode<TreeAnswers>(frame.payload);
  std::set<std::string> reached;
  if (answers)
    for (TreeAnswer& row : answers->rows)
      if (row.error.empty()) reached.insert(std::move(row.node));
  Part part;
  {
    std::lock_guard lock(mutex_);
    auto at = parts_.find(frame.header.correlation);
    if (at == parts_.end() || at->second.members.front().route != from) return;
    part = std::move(at->second);
    parts_.erase(at);
  }
  std::vector<Member> missing{part.members.front()};
  for (std::size_t i = 1; i < part.members.size(); ++i)
    if (!reached.contains(part.members[i].node.name)) missing.push_back(part.members[i]);
  part.members = std::move(missing);
  tell_directly(part);
}

}  // namespace ym
