// SPDX-License-Identifier: Apache-2.0
#include "sim/run.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "schedule/placement.h"
#include "sim/world.h"
#include "wire/snapshot.h"

namespace ym::sim {
namespace {

constexpr std::pair<std::string_view, Bug> kNames[] = {{"none", Bug::None},
                                                       {"ack-before-sync", Bug::AckBeforeSync},
                                                       {"forget-release", Bug::ForgetRelease},
                                                       {"launch-twice", Bug::LaunchTwice},
                                                       {"lose-tail", Bug::LoseTail},
                                                       {"skip-dependency", Bug::SkipDependency},
                                                       {"clean-too-early", Bug::CleanTooEarly}};
constexpr Instant kStart{1'700'000'000'000};
// A process that nobody wants must be gone after this long on a node within reach.
constexpr Duration kZombieMax = std::chrono::seconds(120);
// Everything that can end has ended this long after the last fault.
constexpr Duration kEndMax = std::chrono::hours(8);

}  // namespace

namespace {

// Would the job run on the cluster as it is, if all of it were up and empty? Updates and changed
// configurations leave jobs behind that would not.
bool could_run(const State& state, const JobSpec& spec, const ClusterConfig& config) {
  for (std::string_view name : split_words(spec.partitions, ',')) {
    const Partition* partition = state.find_partition(name);
    if (!partition || refusal_of(*partition->spec, spec) != Reason::None) continue;
    PlacementRules rules{.memory_counts = config.memory_is_consumable,
                         .unit = config.cpu_unit,
                         .whole_nodes = config.whole_nodes || partition->spec->exclusive};
    std::vector<Free> candidates;
    for (const Node* node : admitted_nodes(state, *partition, spec))
      candidates.push_back(free_when_empty(*node));
    if (place(spec, std::move(candidates), rules)) return true;
  }
  return false;
}

}  // namespace

std::optional<Bug> bug_named(std::string_view name) {
  for (const auto& [text, bug] : kNames)
    if (text == name) return bug;
  return std::nullopt;
}

std::string_view name_of(Bug bug) {
  for (const auto& [text, one] : kNames)
    if (one == bug) return text;
  return "none";
}

RunResult run(const RunOptions& options) { return World(options).run(); }

World::World(const RunOptions& options)
    : options_(options), prng_(options.seed), time_(kStart), ledger_(options.trace) {
  config_ = random_config();
  control_ = std::make_unique<Control>(control_setting(), config_);
  for (const NodeSpec& spec : config_.nodes) add_machine(spec);
  clients_ = std::make_unique<Clients>(client_setting());
}

ClusterConfig World::random_config() {
  ClusterConfig config;
  config.cluster_name = "sim";
  config.min_job_age = std::chrono::seconds(prng_.between(30, 400));
  config.kill_wait = std::chrono::seconds(prng_.between(1, 30));
  config.slurmd_timeout = std::chrono::seconds(prng_.between(30, 150));
  config.return_to_service = static_cast<std::uint32_t>(prng_.below(3));
  config.memory_is_consumable = prng_.chance(1, 2);
  config.whole_nodes = prng_.chance(1, 8);
  config.kill_on_invalid_dependency = prng_.chance(1, 3);
  config.gres_types = "gpu,shard,tool";
  Prng gres(options_.seed);
  std::int64_t count = prng_.between(2, 6);
  for (std::int64_t i = 1; i <= count; ++i) {
    NodeSpec node{.name = fmt::format("n{}", i)};
    node.hostname = node.address = node.name;
    node.cpus = node.cores_per_socket = static_cast<std::uint32_t>(prng_.between(2, 8));
    node.memory_mb = 1000;
    if (gres.chance(2, 3))
      node.gres = fmt::format("gpu:a:{},gpu:b:{},shard:8,tool:{}", gres.between(0, 2),
                              gres.between(1, 2), gres.between(2, 4));
    config.nodes.push_back(node);
  }
  PartitionSpec main{.name = "main", .nodes = fmt::format("n[1-{}]", count), .is_default = true};
  PartitionSpec quick{.name = "short", .nodes = fmt::format("n[1-{}]", prng_.between(1, count))};
  quick.max_time_s = static_cast<std::uint32_t>(prng_.between(600, 3600));
  quick.priority_tier = static_cast<std::uint32_t>(prng_.between(1, 3));
  quick.exclusive = prng_.chance(1, 6);
  Prng sharing(options_.seed + 1);
  if (sharing.chance(1, 4)) main.oversubscribe = fmt::format("FORCE:{}", sharing.between(2, 4));
  if (sharing.chance(1, 4) && !quick.exclusive) quick.oversubscribe = "FORCE:2";
  config.partitions = {main, quick};
  return config;
}

void World::add_machine(const NodeSpec& spec) {
  machines_[spec.name] = std::make_unique<Machine>(machine_setting(), spec);
  machines_[spec.name]->power_on(false);
  live(spec.name);
}

Machine::Setting World::machine_setting() {
  return {.time = time_,
          .prng = prng_,
          .ledger = ledger_,
          .seed = options_.seed,
          .bug = options_.bug,
          .send = [this](const std::string& node, NodeReport report) {
            send_report(node, std::move(report));
          }};
}

Control::Setting World::control_setting() {
  return {.time = time_,
          .prng = prng_,
          .ledger = ledger_,
          .bug = options_.bug,
          .reply = [this](const Reply& reply) { answer(reply); },
          .order = [this](const std::string& node, std::uint64_t cable,
                          const NodeMessage& message) { send_order(node, cable, message); },
          .crashed = [this] { controller_crashed(); }};
}

Clients::Setting World::client_setting() {
  Clients::Setting setting{
      .time = time_,
      .prng = prng_,
      .ledger = ledger_,
      .bug = options_.bug,
      .ask = [this](const Command& command, const Caller& caller,
                    Clients::Callback callback) { ask(command, caller, std::move(callback)); },
      .tell = [this](const Input& input) { control_->handle(input); },
      .launch_step = [this](const StepCreated& created, JobId job) { launch_step(created, job); }};
  for (const NodeSpec& node : config_.nodes) {
    setting.nodes.push_back(node.name);
    setting.cpus_max = std::max(setting.cpus_max, node.cpus);
  }
  return setting;
}

RunResult World::run() {
  control_->start();
  work();
  next_fault();
  Instant end = time_.now() + std::chrono::seconds(prng_.between(120, 1500));
  Instant looked = time_.now();
  auto step = [&] {
    time_.step();
    if (time_.now() - looked < std::chrono::seconds(10)) return;
    looked = time_.now();
    check_zombies();
    if (control_->up()) ledger_.check_components(control_->state());
    if (!faults_on_ && control_->up()) clients_->tidy_up();
  };
  while (!ledger_.failed() && time_.now() < end &&
         (!options_.steps_max || time_.steps() < options_.steps_max))
    step();
  if (!ledger_.failed()) heal();
  end = time_.now() + kEndMax;
  while (!ledger_.failed() && !over() && time_.now() < end) step();
  if (!ledger_.failed() && !over()) ledger_.fail("it does not end: " + unfinished());
  if (!ledger_.failed()) ledger_.check_same(control_->state());
  RunResult result{.failure = ledger_.failure(),
                   .events = ledger_.events(),
                   .steps = time_.steps(),
                   .hash = wire::hash_of(ledger_.state()),
                   .jobs = ledger_.jobs(),
                   .controller_crashes = controller_crashes_,
                   .node_crashes = node_crashes_,
                   .processes = ledger_.processes_started()};
  result.trail.assign(ledger_.trail().begin(), ledger_.trail().end());
  return result;
}

// On a node that the controller reaches nothing may run for long that it does not want there.
void World::check_zombies() {
  std::map<Ledger::Process, Instant> seen;
  for (const auto& [process, job] : ledger_.processes()) {
    auto plugged = plugged_.find(process.node);
    bool reached = control_->up() && plugged != plugged_.end() &&
                   control_->connection_of(process.node) == plugged->second &&
                   whole(plugged->second) && ledger_.state().find_node(process.node);
    if (!reached || ledger_.wanted(process, job)) continue;
    auto since = zombies_.find(process);
    seen[process] = since == zombies_.end() ? time_.now() : since->second;
    if (time_.now() - seen[process] > kZombieMax)
      ledger_.fail(
          fmt::format("a process of job {} lives on {}, which is within reach, and nobody "
                      "wants it there",
                      job.value, process.node));
  }
  zombies_ = std::move(seen);
}

bool World::over() const { return control_->quiet() && unfinished().empty(); }

// What keeps the cluster from being at rest; empty if it is.
std::string World::unfinished() const {
  if (!control_->up()) return "the controller is down";
  const State& state = ledger_.state();
  std::string what;
  state.jobs.visit_from(0, [&](std::uint64_t, const Job& job) {
    if (is_terminal(job.state) && !job.completing()) return true;
    bool waits = job.state == JobState::Pending && !job.dependency->empty();
    // Waiting for what can never be, or for one that does so itself.
    if (waits) return true;
    bool hopeless = job.state == JobState::Pending && !job.held() &&
                    !could_run(state, *job.spec, control_->config());
    if (hopeless) return true;
    what = fmt::format("job {} is {}{}", job.id.value, ym::name_of(job.state),
                       job.completing() ? ", completing" : "");
    return false;
  });
  if (!what.empty()) return what;
  for (const auto& [process, job] : ledger_.processes())
    return fmt::format("a process of job {} lives on {}", job.value, process.node);
  state.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (node.jobs || node.cpus_used || !node.usable())
      what = fmt::format("node {} is {}", node.spec->name, state_long(node));
  });
  return what;
}

}  // namespace ym::sim
