// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/tree.h"

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// A link that is of no use any more waits so long for a resolver that may still be at work for it:
// to end a link earlier would be to wait for it.
constexpr Duration kResolverPatience = std::chrono::seconds(60);
constexpr Duration kNeverAgain = std::chrono::hours(24);

}  // namespace

std::string encode_answers(TreeAnswers answers, std::size_t most) {
  std::string bytes = wire::encode(answers);
  if (bytes.size() <= most) return bytes;
  for (TreeAnswer& row : answers.rows) {
    if (row.payload.empty()) continue;
    row = {.node = std::move(row.node),
           .error = "the answers of all nodes are too much for one message",
           .type = 0,
           .payload = {}};
  }
  return wire::encode(answers);
}

TreeRelay::~TreeRelay() {
  for (auto& [number, walk] : walks_) loop_.cancel(walk.timer);
}

bool TreeRelay::pass_on(TreeOrder order, Done done) {
  if (walks_.size() >= kTreeOrdersMax) return false;
  std::vector<NodeAddress> nodes = std::exchange(order.forward, {});
  std::uint32_t width = order.tree_width;
  Duration budget = std::min<Duration>(Duration(order.budget_ms), kTreeBudgetMax);
  TreeWalk walk(std::move(nodes), width, monotonic_clock(), budget);
  std::uint64_t number = ++last_;
  walks_.emplace(number, Walk{.order = std::move(order),
                              .walk = std::move(walk),
                              .links = {},
                              .rows = {},
                              .done = std::move(done),
                              .timer = {}});
  // `done` is not for the caller's stack.
  if (walks_.at(number).walk.finished())
    loop_.post([this, number] { advance(number); });
  else
    advance(number);
  return true;
}

void TreeRelay::advance(std::uint64_t number) {
  auto at = walks_.find(number);
  if (at == walks_.end()) return;
  Walk& walk = at->second;
  for (const TreeSend& send : walk.walk.take_sends()) dial(number, walk, send);
  for (TreeAnswer& row : walk.walk.take_rows()) walk.rows.push_back(std::move(row));
  loop_.cancel(std::exchange(walk.timer, {}));
  if (walk.walk.finished()) {
    Done done = std::move(walk.done);
    std::vector<TreeAnswer> rows = std::move(walk.rows);
    walks_.erase(at);
    return done(std::move(rows));
  }
  Duration wait = *walk.walk.next_deadline() - monotonic_clock();
  walk.timer = loop_.after(std::max(wait, Duration(1)), [this, number] {
    auto late = walks_.find(number);
    if (late == walks_.end()) return;
    for (std::uint64_t call : late->second.walk.tick(monotonic_clock()))
      hang_up(late->second, call);
    advance(number);
  });
}

void TreeRelay::dial(std::uint64_t number, Walk& walk, const TreeSend& send) {
  walk.order.forward = send.forward;
  walk.order.budget_ms = static_cast<std::uint32_t>(send.budget.count());
  auto address = ways_.address(send.head.name);
  if (!address) {
    loop_.post([this, number, call = send.call, text = address.error().text] {
      lose(number, call, text);
    });
    return;
  }
  LinkOptions options{.addresses = {*address},
                      .cluster = ways_.cluster,
                      .token = address->is_unix() ? nullptr : ways_.token,
                      .check_proof = ways_.check_proof,
                      .tls = ways_.tls,
                      .tls_name = ways_.tls_name ? ways_.tls_name(send.head.name) : std::string(),
                      .opening = {},
                      .connect_deadline = send.patience,
                      .retry_min = kNeverAgain,
                      .retry_max = kNeverAgain,
                      .silence = Duration(0)};
  append_frame(options.opening, {.type = wire::message_number<TreeOrder>, .correlation = 1},
               wire::encode(walk.order));
  walk.order.forward.clear();
  LinkHandlers handlers;
  handlers.on_up = [this, number, call = send.call] {
    if (auto at = walks_.find(number); at != walks_.end()) at->second.walk.greeted(call);
  };
  // Not at once: a handler may not end its own link, and this may still be within dial().
  handlers.on_frames = [this, number, call = send.call](std::vector<Frame> frames) {
    loop_.post(
        [this, number, call, frame = std::move(frames.front())] { take(number, call, frame); });
  };
  handlers.on_down = [this, number, call = send.call](const Error& reason, bool, Duration) {
    loop_.post([this, number, call, text = reason.text] { lose(number, call, text); });
  };
  auto link = std::make_unique<Link>(loop_, std::move(options), std::move(handlers));
  link->start();
  walk.links.emplace(send.call, std::move(link));
}

void TreeRelay::take(std::uint64_t number, std::uint64_t call, const Frame& frame) {
  auto at = walks_.find(number);
  if (at == walks_.end() || !at->second.links.contains(call)) return;
  auto answers = frame.header.type == wire::message_number<TreeAnswers>
                     ? wire::decode<TreeAnswers>(frame.payload)
                 : frame.header.type == static_cast<std::uint16_t>(NetType::Error)
                     ? Result<TreeAnswers>(std::unexpected(decode_error(frame.payload)))
                     : Result<TreeAnswers>(fail("its answer is of an unexpected kind"));
  if (!answers) return lose(number, call, answers.error().text);
  at->second.walk.answered(call, std::move(answers->rows));
  hang_up(at->second, call);
  advance(number);
}

void TreeRelay::lose(std::uint64_t number, std::uint64_t call, const std::string& error) {
  auto at = walks_.find(number);
  if (at == walks_.end()) return;
  at->second.walk.lost(call, error, monotonic_clock());
  hang_up(at->second, call);
  advance(number);
}

void TreeRelay::hang_up(Walk& walk, std::uint64_t call) {
  auto at = walk.links.find(call);
  if (at == walk.links.end()) return;
  Duration now = monotonic_clock();
  while (!resting_.empty() && resting_.front().first < now) resting_.pop_front();
  if (!at->second->is_up()) resting_.emplace_back(now + kResolverPatience, std::move(at->second));
  walk.links.erase(at);
}

const std::string* DoneOrders::find(std::uint64_t id) const {
  auto at = errors_.find(id);
  return id == 0 || at == errors_.end() ? nullptr : &at->second;
}

void DoneOrders::add(std::uint64_t id, std::string error) {
  if (id == 0 || !errors_.emplace(id, std::move(error)).second) return;
  if (ring_.size() < kMax) return ring_.push_back(id);
  errors_.erase(std::exchange(ring_[at_], id));
  at_ = (at_ + 1) % kMax;
}

}  // namespace ym
