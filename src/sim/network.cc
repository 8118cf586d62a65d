// SPDX-License-Identifier: Apache-2.0
// The virtual network: connections of nodes, and the short ones of commands.
#include <algorithm>

#include "base/text.h"
#include "sim/world.h"
#include "wire/codec.h"

namespace ym::sim {
namespace {
constexpr Duration kPatience = std::chrono::seconds(20);  // of a client without an answer

// What travels is bytes: the same message must come out at the other end.
template <class Message>
Message over_the_wire(const Message& message) {
  return wire::decode<Message>(wire::encode(message)).value();
}

// Some attempts never get to say that they are clean.
void lose_releases(NodeReport& report) {
  auto chosen = [](const AttemptReport& one) { return one.sluid.value % 7 == 3; };
  if (!report.complete) std::erase_if(report.attempts, chosen);
  for (AttemptReport& attempt : report.attempts)
    if (chosen(attempt)) attempt.phase = AttemptPhase::Running;
}

}  // namespace

Duration World::delay() {
  return Duration(prng_.chance(1, 30) && troubled() ? prng_.between(0, 4000)
                                                    : prng_.between(1, 30));
}

// A node's own rhythm: reconnect, say that it lives, look at the clock.
void World::live(const std::string& node) {
  Machine& machine = *machines_.at(node);
  if (!machine.daemon_up() && plugged_.contains(node)) {  // its connection dies with it
    break_cable(plugged_[node]);
    plugged_.erase(node);
  }
  if (!machine.daemon_up() && machine.powered() && restarting_.insert(node).second)
    time_.after(Duration(prng_.between(500, 60'000)), [this, node] {
      restarting_.erase(node);
      machines_.at(node)->start_daemon();
    });
  if (machine.daemon_up()) {
    machine.tick();
    if (!plugged_.contains(node)) {
      if (control_->up() && !cut_.contains(node)) connect(node);
    } else if (prng_.chance(1, 5)) {
      machine.heartbeat();
    }
  }
  time_.after(Duration(prng_.between(800, 1500)), [this, node] { live(node); });
}

void World::connect(const std::string& node) {
  std::uint64_t cable = ++last_cable_;
  cables_[cable] = {.node = node};
  plugged_[node] = cable;
  machines_.at(node)->connected();
}

bool World::whole(std::uint64_t id) const {
  auto cable = cables_.find(id);
  return cable != cables_.end() && cable->second.whole;
}

void World::break_cable(std::uint64_t id) {
  auto cable = cables_.find(id);
  if (cable == cables_.end() || !cable->second.whole) return;
  cable->second.whole = false;
  std::string node = cable->second.node;
  time_.after(Duration(prng_.between(0, 8000)), [this, node, id] {
    if (plugged_.contains(node) && plugged_[node] == id) plugged_.erase(node);
  });
  time_.after(Duration(prng_.between(0, 12000)), [this, node, id] {
    control_->disconnected(node, id);
    cables_.erase(id);
  });
}

void World::send_report(const std::string& node, NodeReport report) {
  auto plugged = plugged_.find(node);
  if (plugged == plugged_.end()) return;
  std::uint64_t id = plugged->second;
  if (!whole(id)) return;
  Cable& cable = cables_.at(id);
  if (options_.bug == Bug::ForgetRelease) lose_releases(report);
  cable.last_up = std::max(cable.last_up, time_.now() + delay());
  time_.after(cable.last_up - time_.now(), [this, id, sent = over_the_wire(report)] {
    if (whole(id) && control_->up() && !control_->spoke(id, sent)) break_cable(id);
  });
}

void World::send_order(const std::string& node, std::uint64_t id, const NodeMessage& message) {
  if (!whole(id)) return;
  NodeMessage sent =
      std::visit([](const auto& one) { return NodeMessage(over_the_wire(one)); }, message);
  Cable& cable = cables_.at(id);
  cable.last_down = std::max(cable.last_down, time_.now() + delay());
  time_.after(cable.last_down - time_.now(), [this, node, id, sent = std::move(sent)] {
    if (whole(id)) machines_.at(node)->receive(sent);
  });
}

void World::ask(const Command& command, const Caller& caller, Clients::Callback callback) {
  std::uint64_t id = ++last_request_;
  asked_[id] = std::move(callback);
  bool lost = troubled() && prng_.chance(1, 25);
  time_.after(delay(), [this, id, lost, command, caller] {
    if (!lost) control_->handle(Request{.id = {id}, .caller = caller, .command = command});
  });
  time_.after(kPatience, [this, id] { settle(id, nullptr); });
}

void World::answer(const Reply& reply) {
  if (troubled() && prng_.chance(1, 25)) return;
  time_.after(delay(), [this, reply] { settle(reply.to.value, &reply.answer); });
}

void World::settle(std::uint64_t request, const Answer* answer) {
  auto waiting = asked_.extract(request);
  if (!waiting.empty()) waiting.mapped()(answer);
}

// srun with its credential in hand goes to each node of the step itself.
void World::launch_step(const StepCreated& created, JobId job) {
  Sluid sluid{parse_u64(created.credential).value_or(0)};
  if (!sluid) return;
  for (const NodeAddress& node : created.nodes)
    time_.after(delay(), [=, this] {
      auto machine = machines_.find(node.name);
      if (machine != machines_.end() && !cut_.contains(node.name))
        machine->second->launch_step(job, sluid, created.step.id);
    });
}

void World::controller_crashed() {
  ++controller_crashes_;
  std::vector<std::uint64_t> all;
  for (const auto& [id, cable] : cables_) all.push_back(id);
  for (std::uint64_t id : all) break_cable(id);
  time_.after(Duration(prng_.between(200, 60'000)), [this] { control_->start(); });
}

}  // namespace ym::sim
