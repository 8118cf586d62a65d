// SPDX-License-Identifier: Apache-2.0
#include "sim/control.h"

#include "base/format.h"
#include "model/apply.h"
#include "store/errc.h"
#include "store/snapshot.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym::sim {
namespace {
const std::string kDir = "state";
constexpr std::uint64_t kClusterId = 7;
}  // namespace

Control::Control(Setting setting, const ClusterConfig& config)
    : in_(std::move(setting)), config_(config), known_good_(config), last_used_(config) {}

void Control::later(Duration delay, std::function<void()> act) {
  in_.time.after(delay, [this, alive = incarnation_, act = std::move(act)] {
    if (incarnation_ == alive) act();
  });
}

Result<State> Control::recover() {
  State state;
  wire::SnapshotReader reader;
  bool reading = false;
  std::vector<Event> tail;
  auto finish = [&]() -> Status {
    if (!std::exchange(reading, false)) return {};
    auto read = reader.finish();
    if (!read) return std::unexpected(read.error());
    state = std::move(*read);
    return {};
  };
  Replay replay{.snapshot =
                    [&](std::uint64_t) {
                      reading = true;
                      return Status();
                    },
                .chunk = [&](std::string_view chunk) { return reader.add(chunk); },
                .record = [&](std::uint64_t, std::string_view bytes) -> Status {
                  if (Status ok = finish(); !ok) return ok;
                  auto event = wire::decode<Event>(bytes);
                  if (!event) return std::unexpected(event.error());
                  tail.push_back(std::move(*event));
                  return {};
                }};
  auto opened =
      Journal::open(disk_, kDir, {.cluster_id = kClusterId, .segment_bytes = 32 * 1024}, replay);
  if (!opened) return std::unexpected(opened.error());
  if (Status ok = finish(); !ok) return std::unexpected(ok.error());
  if (in_.bug == Bug::LoseTail && !tail.empty()) tail.pop_back();
  for (const Event& event : tail) apply(state, event);
  journal_ = std::move(opened->journal);
  return state;
}

void Control::start() {
  if (core_) return;
  Result<State> state = recover();
  if (!state) {
    in_.ledger.say(in_.time.now(), "slurmctld cannot start: " + state.error().text);
    if (state.error().code == store_errc::kCorrupt || state.error().code == store_errc::kFuture)
      return in_.ledger.fail("recovery refuses what was written: " + state.error().text);
    disk_.kill_process();
    return later(std::chrono::seconds(5), [this] { start(); });
  }
  in_.ledger.recovered(*state);
  if (in_.ledger.failed()) return;
  in_.ledger.say(in_.time.now(), fmt::format("slurmctld starts at event {}", state->seq.value));
  planner_ = Planner(PlacementRules{});
  planner_.rebuild(*state);
  published_ = *state;
  if (!begin(*state)) return in_.ledger.fail("no configuration is accepted at the start");
  in_.ledger.use(core_->controller().config());
  planner_.set_rules(core_->controller().placement_rules());
  planner_.set_preemption(core_->controller().preempt_rules());
  gather();
  tick();
}

// The configuration on disk; if jobs hold what it drops, the administrator puts an older one back.
bool Control::begin(const State& state) {
  for (const ClusterConfig& config : {config_, known_good_, last_used_}) {
    core_.emplace(Controller(config, state));
    if (!core_->begin(config, wall())) continue;
    config_ = config;
    return true;
  }
  return false;
}

void Control::tick() {
  handle(TimePassed{});
  if (wall().unix_seconds() % 10 == 0) wish_plan();
  later(std::chrono::seconds(1), [this] { tick(); });
}

void Control::handle(const Input& input) {
  if (!core_) return;
  core_->handle(input, wall());
  const auto* request = std::get_if<Request>(&input);
  if (request && std::holds_alternative<NewConfiguration>(request->command)) {
    in_.ledger.use(core_->controller().config());
    planner_.set_rules(core_->controller().placement_rules());
  planner_.set_preemption(core_->controller().preempt_rules());
  }
  gather();
}

void Control::gather() {
  if (std::exchange(gathering_, true)) return;
  later(Duration(in_.prng.between(0, 20)), [this] {
    gathering_ = false;
    take();
  });
}

void Control::take() {
  if (!core_->has_batch()) return;
  waiting_.push_back({core_->take_batch(), connections_});
  const Batch& batch = waiting_.back().batch;
  std::vector<std::string_view> records(batch.records.begin(), batch.records.end());
  if (!records.empty()) {
    auto first = journal_->append(records);
    if (!first || *first != batch.events.front().seq.value)
      return in_.ledger.fail("the journal and the state count differently");
    in_.ledger.appended(batch.events);
  }
  if (in_.bug == Bug::AckBeforeSync) let_go(waiting_.back());
  if (std::exchange(committing_, true)) return;
  later(Duration(in_.prng.between(1, 30)), [this] { commit(); });
}

void Control::commit() {
  if (doom_ == CrashAt::BeforeCommit) return die();
  if (doom_ == CrashAt::InTheWrite) disk_.faults.power_after = in_.prng.below(6);
  Status done = journal_->commit();
  if (doom_ == CrashAt::InTheWrite) return die();
  if (!done) {
    in_.ledger.say(in_.time.now(), "the log cannot be written: " + done.error().text);
    core_->set_log_trouble(done.error().text);
    trouble_ = true;
    return later(std::chrono::seconds(1), [this] { commit(); });
  }
  core_->set_log_trouble({});
  trouble_ = false;
  committing_ = false;
  in_.ledger.durable(Seq{journal_->durable_seq()});
  if (doom_ == CrashAt::AfterCommit) return die();
  std::deque<Waiting> ready = std::exchange(waiting_, {});
  for (const Waiting& one : ready) {
    if (in_.bug != Bug::AckBeforeSync) let_go(one);
    publish(one.batch);
  }
}

void Control::let_go(const Waiting& waiting) {
  for (Reply reply : waiting.batch.replies) {
    // The credential names the attempt; signing it is the daemon's business.
    if (auto* created = std::get_if<StepCreated>(&reply.answer))
      for (const Event& event : waiting.batch.events)
        if (const auto* step = std::get_if<StepStarted>(&event.body))
          if (const Job* job = waiting.batch.state.find(step->job);
              job && step->step == created->step)
            created->credential = std::to_string(job->sluid.value);
    in_.reply(reply);
  }
  for (const Order& order : waiting.batch.orders) {
    const Node* node = waiting.batch.state.find(order.node);
    if (!node) continue;
    auto taken = waiting.connections.find(node->spec->name);
    std::uint64_t current = connection_of(node->spec->name);
    if (current && taken != waiting.connections.end() && taken->second == current)
      in_.order(node->spec->name, current, order.message);
  }
}

void Control::publish(const Batch& batch) {
  for (const Event& event : batch.events) planner_.observe(event, batch.state);
  published_ = batch.state;
  if (batch.something_to_plan) wish_plan();
}

// One plan at a time, on the newest snapshot when it begins; it may be stale when it is done.
void Control::wish_plan() {
  plan_again_ = true;
  if (std::exchange(planning_, true)) return;
  plan_again_ = false;
  later(Duration(in_.prng.between(0, planning_max_.count())), [this] {
    Plan plan = planner_.plan(published_, wall(), {.starts_max = 20, .reservations_max = 4});
    later(Duration(in_.prng.between(0, planning_max_.count())), [this, plan = std::move(plan)] {
      planning_ = false;
      handle(Planned{plan});
      if (plan_again_) wish_plan();
    });
  });
}

void Control::crash(CrashAt where) {
  if (!core_) return;
  doom_ = where;
  if (where == CrashAt::Now) die();
}

void Control::die() {
  in_.ledger.say(in_.time.now(), "slurmctld crashes");
  ++incarnation_;
  last_used_ = core_->controller().config();
  core_.reset();
  journal_.reset();
  waiting_.clear();
  connections_.clear();
  doom_.reset();
  trouble_ = gathering_ = committing_ = planning_ = plan_again_ = false;
  disk_.faults.power_after.reset();
  disk_.crash(in_.prng);
  in_.crashed();
}

// A complete report comes once on a connection: if the core cannot take it now, the node must say
// it again on another one.
bool Control::spoke(std::uint64_t connection, const NodeReport& report) {
  if (trouble_) return !report.complete;
  // A node that is not configured, that was removed and added again, or whose full report this
  // connection has not brought, has to say everything first: no order would reach it.
  const Node* node = state().find_node(report.node);
  bool introduced = node && node->registration && connection_of(report.node) == connection;
  if (!node || (!report.complete && !introduced)) return false;
  if (report.complete) {
    take();
    connections_[report.node] = connection;
  }
  handle(NodeSpoke{report});
  return true;
}

void Control::disconnected(const std::string& node, std::uint64_t connection) {
  if (connection_of(node) != connection) return;
  connections_.erase(node);
  handle(NodeDisconnected{node});
}

std::uint64_t Control::connection_of(const std::string& node) const {
  auto at = connections_.find(node);
  return at == connections_.end() ? 0 : at->second;
}

// Of what is durable; the journal then drops what nobody needs any more.
void Control::take_snapshot() {
  if (!core_ || journal_->durable_seq() < published_.seq.value || !published_.seq) return;
  auto writer = SnapshotWriter::begin(disk_, kDir, kClusterId, published_.seq.value);
  if (!writer) return;
  bool whole = wire::write_snapshot(
      published_, [&](std::string_view chunk) { return writer->add(chunk).has_value(); });
  if (!whole || !writer->finish()) return;
  static_cast<void>(journal_->prune(published_.seq.value));
}

}  // namespace ym::sim
