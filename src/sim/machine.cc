// SPDX-License-Identifier: Apache-2.0
#include "sim/machine.h"

#include "base/format.h"
#include "sim/gres.h"

namespace ym::sim {

namespace {

// How a process behaves follows from its name alone, so that it does not depend on who else runs.
struct Behaviour {
  Duration lasts{0};
  std::uint8_t code = 0;
  bool stubborn = false, cannot_start = false;
};
Behaviour behaviour_of(std::uint64_t seed, Sluid sluid, StepId step) {
  Prng prng(seed ^ (sluid.value * 31 + step.value));
  Behaviour one;
  one.lasts = std::chrono::milliseconds(prng.between(200, prng.chance(1, 5) ? 900'000 : 60'000));
  one.code = prng.chance(1, 5) ? static_cast<std::uint8_t>(prng.between(1, 3)) : 0;
  one.stubborn = prng.chance(1, 6);
  one.cannot_start = prng.chance(1, 40);
  return one;
}

}  // namespace

Machine::Machine(Setting setting, NodeSpec spec)
    : in_(std::move(setting)), spec_(std::move(spec)) {}

void Machine::power_off() {
  kill_daemon();
  powered_ = false;
  for (const auto& [key, pid] : alive_) in_.ledger.process_ended(name(), key.first, key.second);
  alive_.clear();
}

void Machine::power_on(bool spool_is_lost) {
  powered_ = true;
  boot_time_ = in_.time.now();
  if (spool_is_lost) spool_.clear();
  start_daemon();
}

void Machine::kill_daemon() {
  agent_.reset();
  effects_left_.reset();
  ++incarnation_;
}

void Machine::start_daemon() {
  if (agent_ || !powered_) return;
  agent_.emplace();
  daemon_start_ = in_.time.now();
  std::vector<agent::Recovered> found;
  for (const auto& [key, record] : spool_) {
    agent::Recovered one{.job = record.job, .sluid = key.first, .step = key.second};
    one.found = alive_.contains(key) ? agent::Found::Alive
                : record.ended       ? agent::Found::Finished
                : record.started     ? agent::Found::Lost
                                     : agent::Found::NeverStarted;
    if (record.ended) one.ended = *record.ended;
    found.push_back(one);
  }
  agent::Outbox effects;
  agent_->recover(found, effects);
  carry_out(effects);
}

void Machine::connected() {
  agent::Outbox effects;
  agent_->connected(effects);
  carry_out(effects);
}

void Machine::heartbeat() {
  if (!agent_) return;
  agent::Outbox effects;
  agent_->heartbeat(effects);
  carry_out(effects);
}

void Machine::tick() {
  if (!agent_) return;
  agent::Outbox effects;
  agent_->tick(in_.time.now(), effects);
  carry_out(effects);
}

void Machine::receive(const NodeMessage& message) {
  if (!agent_) return;
  agent::Outbox effects;
  if (const auto* launch = std::get_if<LaunchJob>(&message)) {
    bool repeated = agent_->alive(launch->sluid, kBatchStep);
    agent_->handle(*launch, effects);
    if (repeated && in_.bug == Bug::LaunchTwice)
      effects.push_back(
          agent::Launch{.job = launch->job, .sluid = launch->sluid, .step = kBatchStep});
  } else if (const auto* kill = std::get_if<KillJob>(&message)) {
    agent_->handle(*kill, in_.time.now(), effects);
    if (in_.bug == Bug::CleanTooEarly && agent_->alive(kill->sluid, kBatchStep))
      effects.push_back(agent::Report{NodeReport{
          .attempts = {{.job = kill->job, .sluid = kill->sluid, .phase = AttemptPhase::Clean}}}});
  } else if (const auto* signalled = std::get_if<SignalJob>(&message)) {
    agent_->handle(*signalled, effects);
  } else if (const auto* suspend = std::get_if<SuspendJob>(&message)) {
    agent_->handle(*suspend, effects);
  } else if (const auto* limit = std::get_if<LimitMemory>(&message)) {
    agent_->handle(*limit, effects);
  } else if (const auto* forget = std::get_if<ForgetAttempts>(&message)) {
    agent_->handle(*forget, effects);
  }
  carry_out(effects);
}

void Machine::launch_step(JobId job, Sluid sluid, StepId step) {
  if (!agent_) return;
  agent::Outbox effects;
  if (agent_->launch_step(job, sluid, step, effects)) carry_out(effects);
}

void Machine::carry_out(const agent::Outbox& effects) {
  for (const agent::Effect& effect : effects) {
    if (!agent_) return;
    if (effects_left_ && (*effects_left_)-- == 0) {
      in_.ledger.say(in_.time.now(), name() + ": slurmd dies between two effects");
      return kill_daemon();
    }
    carry_out(effect);
  }
}

void Machine::carry_out(const agent::Effect& effect) {
  if (const auto* persist = std::get_if<agent::Persist>(&effect)) {
    Record& record = spool_[{persist->sluid, persist->step}];
    if (persist->batch) record.job = persist->batch->job;
  } else if (const auto* launch = std::get_if<agent::Launch>(&effect)) {
    spawn(launch->job, {launch->sluid, launch->step});
  } else if (const auto* number = std::get_if<agent::Signal>(&effect)) {
    signal({number->sluid, number->step}, number->signal);
  } else if (const auto* limit = std::get_if<agent::Limit>(&effect)) {
    lower_memory(*limit);
  } else if (const auto* say = std::get_if<agent::Report>(&effect)) {
    report(say->report);
  } else if (const auto* forget = std::get_if<agent::Forget>(&effect)) {
    std::erase_if(spool_, [&](const auto& entry) {
      return entry.first.first == forget->sluid &&
             (!forget->step || entry.first.second == *forget->step);
    });
  }
}

// Every shepherd does as it is told.
void Machine::lower_memory(const agent::Limit& order) {
  std::vector<agent::MemoryTold> told;
  for (StepId step : order.steps)
    told.push_back({.step = step, .limit_mb = order.memory_mb, .attempt_mb = 100});
  agent::Outbox effects;
  agent_->memory_told(order.sluid, order.memory_mb, told, effects);
  carry_out(effects);
}

void Machine::report(NodeReport report) {
  report.node = name();
  if (report.complete)
    report.registration = {.cpus = spec_.cpus,
                           .boards = 1,
                           .sockets = 1,
                           .cores_per_socket = spec_.cpus,
                           .threads_per_core = 1,
                           .memory_mb = spec_.memory_mb,
                           .version = "sim",
                           .boot_time = boot_time_,
                           .slurmd_start = daemon_start_,
                           .address = name(),
                           .gres = pretended_gres(spec_)};
  in_.send(name(), std::move(report));
}

void Machine::spawn(JobId job, Key key) {
  Behaviour how = behaviour_of(in_.seed, key.first, key.second);
  Record& record = spool_[key];
  record.job = job;
  record.started = true;
  if (how.cannot_start) {
    record.ended = agent::Ended{.exit = {.code = 1}, .error = "no such directory"};
    std::uint64_t alive = incarnation_;
    in_.time.after(Duration(5), [this, key, alive, ended = *record.ended] {
      if (incarnation_ != alive || !agent_) return;
      agent::Outbox effects;
      agent_->shepherd_ended(key.first, key.second, ended, effects);
      carry_out(effects);
    });
    return;
  }
  in_.ledger.say(in_.time.now(), fmt::format("{}: job {} step {:x} of {:x} starts", name(),
                                             job.value, key.second.value, key.first.value));
  in_.ledger.process_started(name(), job, key.first, key.second);
  std::uint64_t pid = ++pids_;
  alive_[key] = pid;
  in_.time.after(how.lasts, [this, key, pid, how] { end(key, pid, {.exit = {.code = how.code}}); });
}

// The shepherd writes its result down; slurmd, if it lives, hears of it a little later.
void Machine::end(Key key, std::uint64_t pid, const agent::Ended& ended) {
  auto process = alive_.find(key);
  if (process == alive_.end() || process->second != pid) return;
  alive_.erase(process);
  in_.ledger.process_ended(name(), key.first, key.second);
  in_.ledger.say(in_.time.now(), fmt::format("{}: step {:x} of {:x} ends", name(), key.second.value,
                                             key.first.value));
  if (auto record = spool_.find(key); record != spool_.end()) record->second.ended = ended;
  std::uint64_t alive = incarnation_;
  in_.time.after(Duration(in_.prng.between(0, 200)), [this, key, alive, ended] {
    if (incarnation_ != alive || !agent_) return;
    agent::Outbox effects;
    agent_->shepherd_ended(key.first, key.second, ended, effects);
    carry_out(effects);
  });
}

void Machine::signal(Key key, std::uint16_t number) {
  auto process = alive_.find(key);
  if (process == alive_.end() || (number != 9 && number != 15)) return;
  if (number == 15 && behaviour_of(in_.seed, key.first, key.second).stubborn) return;
  std::uint64_t pid = process->second;
  in_.time.after(Duration(in_.prng.between(1, number == 9 ? 400 : 3000)), [=, this] {
    end(key, pid, {.exit = {.code = 0, .signal = static_cast<std::uint8_t>(number)}});
  });
}

}  // namespace ym::sim
