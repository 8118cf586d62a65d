// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/core_loop.h"

#include <algorithm>

#include "os/clock.h"
#include "os/short_turns.h"

namespace ym {
namespace {

// So often the core hears that time passes; less often while nothing happens.
constexpr Duration kTick = std::chrono::milliseconds(500), kIdleTick = std::chrono::seconds(1);
// Less than that is a clock's own drift, or our waiting for a processor between two readings.
constexpr Duration kClockMoved = std::chrono::seconds(5);
// Ticks come more often unless this process was stopped.
constexpr Duration kAway = std::chrono::seconds(2);
// What comes meanwhile waits until so many are decided.
constexpr std::size_t kInputsAtOnce = 256;
// With so many groups on their way to the disk, the next one is left to grow.
constexpr std::size_t kGroupsInFlight = 2;

void keep_blobs(SubmitJob& submit, std::vector<BlobToKeep>& blobs) {
  if (!submit.script.empty())
    blobs.push_back({BlobKind::Script, submit.spec.script_blob, std::move(submit.script)});
  if (!submit.environment.empty())
    blobs.push_back(
        {BlobKind::Environment, submit.spec.environment_blob, std::move(submit.environment)});
}

Duration clock_lead(Instant wall) { return wall - Instant{} - monotonic_clock(); }

}  // namespace

CoreLoop::CoreLoop(Core core, JournalLoop& journal, Published& published, Refuse refuse)
    : core_(std::move(core)),
      journal_(journal),
      published_(published),
      refuse_(std::move(refuse)),
      queue_(kInputsMax, kInputsOfOneUserMax),
      ahead_(clock_lead(wall_clock())) {}

CoreLoop::~CoreLoop() { stop(); }

// What administrators say shares its order with what nodes say: a node's report follows the new
// configuration that asked for it.
FairQueue<Input>::Lane CoreLoop::lane_of(const Caller& caller) {
  if (caller.administrator) return std::nullopt;
  return caller.uid.value;
}

bool CoreLoop::offer(Input input) {
  const auto* request = std::get_if<Request>(&input);
  FairQueue<Input>::Lane lane = request ? lane_of(request->caller) : std::nullopt;
  return queue_.try_push(lane, std::move(input));
}

void CoreLoop::start() {
  planner_ =
      std::make_unique<PlannerLoop>(core_.state(), core_.controller().placement_rules(), published_,
                                    [this](Plan plan) { push(Planned{std::move(plan)}); });
  published_.set_config(std::make_shared<ClusterConfig>(core_.controller().config()), wall_clock());
  preempt_ = Ref(core_.controller().preempt_rules());
  thread_ = std::jthread([this] { run(); });
}

void CoreLoop::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
  if (planner_) planner_->stop();
}

void CoreLoop::set_log_trouble(const std::string& text) {
  {
    std::lock_guard lock(trouble_mutex_);
    trouble_ = text;
  }
  trouble_changed_ = true;
  queue_.wake();
}

void CoreLoop::run() {
  take_short_turns();
  Duration last_tick = monotonic_clock();
  attended_ = last_tick;
  std::vector<BlobToKeep> blobs;
  bool plan_handled = false, busy = false;
  hand_over({}, false);  // what the start itself decided
  while (!queue_.closed()) {
    bool held_back = core_.has_batch();
    Duration tick = busy ? kTick : kIdleTick;
    std::vector<Input> inputs = queue_.take(kInputsAtOnce, held_back ? Duration(1) : tick);
    busy = busy || !inputs.empty();
    if (trouble_changed_.exchange(false)) {
      std::lock_guard lock(trouble_mutex_);
      core_.set_log_trouble(trouble_);
      deaf_ = !trouble_.empty();
    }
    attend();
    for (Input& input : inputs) {
      const auto* spoke = std::get_if<NodeSpoke>(&input);
      if (spoke && spoke->report.complete && core_.has_batch()) {
        hand_over(std::exchange(blobs, {}), std::exchange(plan_handled, false));
      }
      follow_connections(input);
      take(input, blobs, plan_handled);
    }
    for (Reply& reply : core_.take_refusals()) refuse_(reply);
    if (monotonic_clock() - last_tick >= tick) {
      last_tick = monotonic_clock();
      busy = !inputs.empty();
      core_.handle(TimePassed{}, now());
    }
    if (journal_.waiting() >= kGroupsInFlight) continue;
    if (core_.has_batch() || plan_handled) {
      hand_over(std::move(blobs), plan_handled);
      blobs.clear();
      plan_handled = false;
    }
  }
}

void CoreLoop::attend() {
  if (deaf_) return;
  Duration at = monotonic_clock();
  if (at - attended_ >= kAway) core_.handle(ClockMoved{at - attended_}, now());
  attended_ = at;
}

Instant CoreLoop::now() {
  Instant wall = wall_clock();
  Duration moved = clock_lead(wall) - ahead_;
  if (std::chrono::abs(moved) >= kClockMoved) {
    ahead_ += moved;
    core_.handle(ClockMoved{moved}, wall);
  }
  return wall;
}

void CoreLoop::follow_connections(const Input& input) {
  if (const auto* spoke = std::get_if<NodeSpoke>(&input); spoke && spoke->report.complete)
    connections_[spoke->report.node] = ConnectionId{spoke->connection};
  const auto* gone = std::get_if<NodeDisconnected>(&input);
  if (!gone) return;
  auto at = connections_.find(gone->node);
  if (at != connections_.end() && at->second.value == gone->connection) connections_.erase(at);
}

// Scripts and environments go their own way: the core only needs their names.
void CoreLoop::take(Input& input, std::vector<BlobToKeep>& blobs, bool& plan_handled) {
  ++counters_.inputs;
  bool configures = false;
  if (auto* request = std::get_if<Request>(&input)) {
    configures = std::holds_alternative<NewConfiguration>(request->command);
    if (auto* submit = std::get_if<SubmitJob>(&request->command); submit && !submit->test_only)
      keep_blobs(*submit, blobs);
    if (auto* crontab = std::get_if<UpdateCrontab>(&request->command))
      for (SubmitJob& job : crontab->jobs) keep_blobs(job, blobs);
  }
  if (const auto* planned = std::get_if<Planned>(&input)) {
    plan_handled = true;
    if (on_plan_) on_plan_(planned->plan);
    ++counters_.plans;
    counters_.started += planned->plan.starts.size();
  }
  core_.handle(input, now());
  if (!configures) return;
  published_.set_config(std::make_shared<ClusterConfig>(core_.controller().config()), wall_clock());
  preempt_ = Ref(core_.controller().preempt_rules());
}

void CoreLoop::hand_over(std::vector<BlobToKeep> blobs, bool plan_handled) {
  Batch batch = core_.take_batch();
  ++counters_.batches;
  counters_.events += batch.events.size();
  counters_.committed +=
      static_cast<std::uint64_t>(std::ranges::count_if(batch.events, [](const Event& event) {
        return std::holds_alternative<JobStarted>(event.body);
      }));
  planner_->tell({.events = batch.events,
                  .state = batch.state,
                  .something_to_plan = batch.something_to_plan,
                  .plan_was_handled = plan_handled,
                  .directions = {.rules = core_.controller().placement_rules(),
                                 .priority = core_.controller().config().priority,
                                 .preempt = preempt_,
                                 .parameters = core_.controller().config().scheduler_parameters}});
  std::vector<ConnectionId> routes;
  for (const Order& order : batch.orders) {
    const Node* node = batch.state.find(order.node);
    auto at = node ? connections_.find(node->spec->name) : connections_.end();
    routes.push_back(at == connections_.end() ? ConnectionId{} : at->second);
  }
  journal_.submit({.batch = std::move(batch),
                   .routes = std::move(routes),
                   .blobs = std::move(blobs),
                   .errand = {}});
}

}  // namespace ym
