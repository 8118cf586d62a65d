// SPDX-License-Identifier: Apache-2.0
#include "cli/common/tree_call.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "net/key.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::uint64_t random_number() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  system_entropy()(bytes);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

}  // namespace

TreeCall::TreeCall(Controller& controller, std::uint16_t type, std::string payload,
                   std::vector<NodeAddress> nodes, Duration budget)
    : controller_(controller),
      order_{.type = type,
             .payload = std::move(payload),
             .forward = {},
             .tree_width = controller.config().tree_width,
             .uid = {},
             .gid = {},
             .id = random_number(),
             .asker = {}},
      walk_(std::move(nodes), controller.config().tree_width, monotonic_clock(), budget) {}

void TreeCall::dial(const TreeSend& send) {
  auto client = controller_.start_node(send.head);
  order_.forward = send.forward;
  order_.budget_ms = static_cast<std::uint32_t>(send.budget.count());
  Status queued = client
                      ? client->queue({.type = wire::message_number<TreeOrder>, .correlation = 1},
                                      wire::encode(order_))
                      : std::unexpected(client.error());
  if (!queued) return walk_.lost(send.call, queued.error().text, monotonic_clock());
  calls_.emplace(send.call, std::move(*client));
}

bool TreeCall::look(std::uint64_t number, Client& client) {
  auto frame = client.poll_frame();
  if (client.welcomed()) walk_.greeted(number);
  if (frame && !*frame) return true;
  Result<TreeAnswers> answers = fail("its answer is of an unexpected kind");
  if (!frame)
    answers = std::unexpected(frame.error());
  else if ((*frame)->header.type == wire::message_number<TreeAnswers>)
    answers = wire::decode<TreeAnswers>((*frame)->payload);
  else if ((*frame)->header.type == static_cast<std::uint16_t>(NetType::Error))
    answers = std::unexpected(decode_error((*frame)->payload));
  if (answers)
    walk_.answered(number, std::move(answers->rows));
  else
    walk_.lost(number, answers.error().text, monotonic_clock());
  return false;
}

std::vector<TreeAnswer> TreeCall::advance() {
  do {
    for (const TreeSend& send : walk_.take_sends()) dial(send);
    for (auto at = calls_.begin(); at != calls_.end();)
      at = look(at->first, at->second) ? std::next(at) : calls_.erase(at);
    for (std::uint64_t late : walk_.tick(monotonic_clock())) calls_.erase(late);
  } while (walk_.has_sends());
  return walk_.take_rows();
}

void TreeCall::add_polls(std::vector<pollfd>& fds) const {
  for (const auto& [number, client] : calls_)
    fds.push_back({.fd = client.fd(), .events = client.wanted(), .revents = 0});
}

Duration TreeCall::next_deadline() const {
  return walk_.next_deadline().value_or(monotonic_clock());
}

std::vector<TreeAnswer> call_tree(Controller& controller, std::uint16_t type, std::string payload,
                                  const std::vector<NodeAddress>& nodes, Duration budget) {
  TreeCall call(controller, type, std::move(payload), nodes, budget);
  std::map<std::string, TreeAnswer> rows;
  for (;;) {
    for (TreeAnswer& row : call.advance()) rows.insert_or_assign(row.node, std::move(row));
    if (call.finished()) break;
    std::vector<pollfd> fds;
    call.add_polls(fds);
    Duration wait = std::max(call.next_deadline() - monotonic_clock(), Duration(0));
    ::poll(fds.data(), fds.size(), static_cast<int>(wait.count()) + 1);
  }
  std::vector<TreeAnswer> out;
  for (const NodeAddress& node : nodes)
    if (auto at = rows.find(node.name); at != rows.end()) out.push_back(at->second);
  return out;
}

}  // namespace ym::cli
