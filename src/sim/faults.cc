// SPDX-License-Identifier: Apache-2.0
// What goes wrong, drawn from the seed.
#include "base/format.h"
#include "sim/world.h"

namespace ym::sim {

void World::work() {
  if (!faults_on_) return;
  clients_->do_something();
  time_.after(Duration(prng_.between(50, 15'000)), [this] { work(); });
}

void World::next_fault() {
  if (!faults_on_) return;
  switch (prng_.below(10)) {
    case 0:
    case 1: controller_fault(); break;
    case 2:
    case 3:
    case 4: node_fault(); break;
    case 5:
    case 6: network_fault(); break;
    case 7: disk_fault(); break;
    case 8: control_->take_snapshot(); break;
    default: reconfigure(); break;
  }
  time_.after(Duration(prng_.between(500, 40'000)), [this] { next_fault(); });
}

void World::controller_fault() {
  switch (prng_.below(6)) {
    case 0: control_->crash(CrashAt::Now); break;
    case 1: control_->crash(CrashAt::BeforeCommit); break;
    case 2: control_->crash(CrashAt::InTheWrite); break;
    case 3: control_->crash(CrashAt::AfterCommit); break;
    case 4: control_->be_slow(Duration(prng_.between(10, 8000))); break;
    default: {
      Duration jump = std::chrono::seconds(prng_.between(-240, 240));
      ledger_.say(time_.now(), fmt::format("the clock jumps by {} ms", jump.count()));
      control_->jump_clock(jump);
    }
  }
}

void World::node_fault() {
  auto at = machines_.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(prng_.below(machines_.size())));
  Machine& machine = *at->second;
  std::string node = at->first;
  if (!machine.powered()) return;
  std::uint64_t kind = prng_.below(4);
  if (kind < 2) {
    ledger_.say(time_.now(), node + ": slurmd dies");
    machine.kill_daemon();
  } else if (kind == 2) {
    machine.kill_daemon_after(prng_.below(4));
  } else {
    ++node_crashes_;
    ledger_.say(time_.now(), node + ": the power fails");
    machine.power_off();
    bool spool_is_lost = prng_.chance(1, 4);
    time_.after(Duration(prng_.between(5000, 200'000)), [this, node, spool_is_lost] {
      Machine& again = *machines_.at(node);
      if (!again.powered()) again.power_on(spool_is_lost);
    });
  }
}

void World::network_fault() {
  auto at = machines_.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(prng_.below(machines_.size())));
  std::string node = at->first;
  if (plugged_.contains(node)) break_cable(plugged_[node]);
  if (prng_.chance(1, 2)) return;
  ledger_.say(time_.now(), node + " is cut off");
  cut_.insert(node);
  time_.after(Duration(prng_.between(1000, 180'000)), [this, node] { cut_.erase(node); });
}

void World::disk_fault() {
  DiskMemory& disk = control_->disk();
  if (prng_.chance(1, 2)) {
    disk.faults.syncs_to_fail = static_cast<std::uint32_t>(prng_.between(1, 3));
    return;
  }
  ledger_.say(time_.now(), "the disk is full");
  disk.faults.capacity = disk.bytes_used() + prng_.below(40'000);
  time_.after(Duration(prng_.between(1000, 30'000)),
              [this] { control_->disk().faults.capacity.reset(); });
}

// A node more, or a node less, or other limits: first the file, then the command.
void World::reconfigure() {
  if (!control_->up()) return;
  ClusterConfig config = control_->config();
  if (prng_.chance(1, 3) && config.nodes.size() < 10) {
    NodeSpec node = config.nodes.front();
    node.name = fmt::format("n{}", 100 + machines_.size());
    node.hostname = node.address = node.name;
    config.nodes.push_back(node);
    config.partitions.front().nodes += "," + node.name;
    if (!machines_.contains(node.name)) add_machine(node);
  } else if (prng_.chance(1, 2) && config.nodes.size() > 2) {
    std::string gone = config.nodes.back().name;
    if (!gone.starts_with("n10")) return;
    config.nodes.pop_back();
    std::string& nodes = config.partitions.front().nodes;
    if (std::size_t at = nodes.find("," + gone); at != std::string::npos)
      nodes.erase(at, gone.size() + 1);
  } else {
    config.partitions.back().max_time_s = static_cast<std::uint32_t>(prng_.between(600, 3600));
    config.return_to_service = static_cast<std::uint32_t>(prng_.below(3));
  }
  control_->set_config(config);
  ask(NewConfiguration{config}, Caller{.administrator = true}, [this](const Answer* answer) {
    if (!answer) return;
    if (std::holds_alternative<Done>(*answer))
      control_->accept_config();
    else
      control_->revert_config();
  });
}

// From here on nothing goes wrong any more.
void World::heal() {
  faults_on_ = false;
  ledger_.say(time_.now(), "the faults stop");
  cut_.clear();
  control_->disk().faults = {};
  control_->be_slow(Duration(50));
  for (auto& [node, machine] : machines_) {
    machine->kill_daemon_after(1 << 30);
    if (!machine->powered()) machine->power_on(false);
    machine->start_daemon();
  }
}

}  // namespace ym::sim
