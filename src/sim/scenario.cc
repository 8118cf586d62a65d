// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "config/topology_conf.h"
#include "controller/queries/explain.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/node_gres.h"
#include "notation/hostlist.h"
#include "sim/gres.h"

namespace ym::sim {
namespace {

constexpr Instant kZero{1'700'000'000'000};

Caller root() { return {.user_name = "root", .administrator = true}; }
Caller bob() { return {.uid = {1001}, .gid = {1001}, .user_name = "bob"}; }
Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }

std::uint32_t number(std::string_view text) {
  return parse_unsigned<std::uint32_t>(text).value_or(0);
}
std::string seconds(Instant at) {
  if (at >= kNever) return "never";
  return std::to_string((at - kZero).count() / 1000);
}
std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  if (auto hosts = Hostlist::parse(list))
    hosts->for_each([&](std::string_view host) { names.emplace_back(host); });
  return names;
}

// 7, 7_3, 7_[1-4] or 7.0
// "2*1,1*4": further components, each of so many nodes and CPUs for each task.
std::vector<JobSpec> components_in(std::string_view text) {
  std::vector<JobSpec> out;
  for (std::string_view one : split_words(text, ',')) {
    std::size_t star = one.find('*');
    JobSpec spec;
    spec.min_nodes = number(one.substr(0, star));
    spec.cpus_per_task = star == std::string_view::npos ? 1 : number(one.substr(star + 1));
    out.push_back(std::move(spec));
  }
  return out;
}

void set_preemption(PreemptRules& rules, std::string_view key, const std::string& value) {
  if (key == "preempt_type")
    rules.by = value == "qos" ? PreemptBy::Qos : PreemptBy::PartitionTier;
  if (key == "preempt_mode") rules.mode_text = preempt_mode_text(value);
  if (key == "preempt_mode") rules.cluster = parse_preempt_mode(value);
  if (key == "exempt_time") rules.exempt_s = number(value);
  if (key == "youngest_first") rules.youngest_first = value == "yes";
  if (key == "strict_order") rules.strict_order = value == "yes";
  if (key == "min_exempt_priority") rules.min_exempt_priority = number(value);
  if (key == "reclaim_licenses") rules.reclaim_licenses = value == "yes";
}

JobTarget target_of(std::string_view text) {
  JobTarget target;
  if (std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    target.step = StepId{number(text.substr(dot + 1))};
    text = text.substr(0, dot);
  }
  if (std::size_t bar = text.find('_'); bar != std::string_view::npos) {
    std::string tasks(text.substr(bar + 1));
    std::erase_if(tasks, [](char c) { return c == '[' || c == ']'; });
    if (auto set = IndexSet::parse(tasks)) target.tasks = *set;
    text = text.substr(0, bar);
  }
  if (std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    target.component = number(text.substr(plus + 1));
    text = text.substr(0, plus);
  }
  target.job = JobId{number(text)};
  return target;
}

}  // namespace

Scenario::Scenario() : controller_({}, {}), planner_({}), now_(kZero) {
  config_.cluster_name = "test";
}

const std::map<std::string, Scenario::Verb, std::less<>>& Scenario::verbs() {
  static const std::map<std::string, Verb, std::less<>> table{
      {"node", &Scenario::nodes_defined},
      {"qos", &Scenario::qos_defined},
      {"partition", &Scenario::partition_defined},
      {"set", &Scenario::set},
      {"configure", &Scenario::configure},
      {"topology", &Scenario::topology},
      {"at", &Scenario::at},
      {"schedule", &Scenario::schedule},
      {"submit", &Scenario::submit},
      {"cancel", &Scenario::alter},
      {"hold", &Scenario::alter},
      {"release", &Scenario::alter},
      {"requeue", &Scenario::alter},
      {"requeuehold", &Scenario::alter},
      {"update", &Scenario::alter},
      {"complete", &Scenario::alter},
      {"suspend", &Scenario::alter},
      {"unsuspend", &Scenario::alter},
      {"signal", &Scenario::alter},
      {"explain", &Scenario::explain},
      {"end", &Scenario::end},
      {"step", &Scenario::step},
      {"step_end", &Scenario::step_end},
      {"down", &Scenario::node_state},
      {"drain", &Scenario::node_state},
      {"resume", &Scenario::node_state},
      {"power_up", &Scenario::node_state},
      {"power_down", &Scenario::node_state},
      {"power_down_asap", &Scenario::node_state},
      {"power_down_force", &Scenario::node_state},
      {"part", &Scenario::partition_state},
      {"connect", &Scenario::connect},
      {"reboot", &Scenario::connect},
      {"silence", &Scenario::silence},
      {"stick", &Scenario::stick},
      {"jobs", &Scenario::jobs},
      {"nodes", &Scenario::show_nodes},
      {"priorities", &Scenario::priorities},
      {"weights", &Scenario::weights}};
  return table;
}

std::string Scenario::run(std::string_view text) {
  Line line;
  for (std::string_view word : split_words(text, ' ')) {
    std::size_t equals = word.find('=');
    if (line.verb.empty())
      line.verb = word;
    else if (equals != std::string_view::npos)
      line.options[std::string(word.substr(0, equals))] = word.substr(equals + 1);
    else
      line.words.emplace_back(word);
  }
  auto verb = verbs().find(line.verb);
  if (verb == verbs().end()) return "unknown command: " + line.verb + "\n";
  std::string said = (this->*verb->second)(line);
  return said + settle();
}

std::string Scenario::nodes_defined(const Line& line) {
  for (const std::string& name : names_of(line.words.at(0))) {
    std::erase_if(config_.nodes, [&](const NodeSpec& node) { return node.name == name; });
    if (line.options.contains("gone")) continue;
    NodeSpec node{.name = name, .hostname = name, .address = name};
    for (const auto& [key, value] : line.options) {
      if (key == "cpus") node.cpus = number(value);
      if (key == "mem") node.memory_mb = number(value);
      if (key == "weight") node.weight = number(value);
      if (key == "features") node.features = value;
      if (key == "gres") node.gres = value;
      if (key == "state") node.state = to_upper(value);
    }
    config_.nodes.push_back(node);
  }
  return {};
}

// A line of topology.conf: topology SwitchName=s1 Nodes=n[1-4]
std::string Scenario::topology(const Line& line) {
  std::string first, rest;
  for (const auto& [key, value] : line.options) {
    bool opens = key == "SwitchName" || key == "BlockName" || key == "BlockSizes";
    (opens ? first : rest) += fmt::format("{}={} ", key, value);
  }
  topology_ += first + rest + "\n";
  auto parsed = parse_topology_conf(
      "topology.conf", [&](const std::string&) -> Result<std::string> { return topology_; });
  if (parsed) config_.topologies = Ref(std::vector{std::move(*parsed)});
  return {};
}

std::string Scenario::partition_defined(const Line& line) {
  const std::string& name = line.words.at(0);
  std::erase_if(config_.partitions, [&](const PartitionSpec& p) { return p.name == name; });
  PartitionSpec spec{.name = name};
  spec.is_default = config_.partitions.empty();
  spec.preempt_mode = config_.preempt.mode_text;
  for (const auto& [key, value] : line.options) {
    if (key == "nodes") spec.nodes = value;
    if (key == "max_time") spec.max_time_s = number(value);
    if (key == "max_nodes") spec.max_nodes = number(value);
    if (key == "tier") spec.priority_tier = number(value);
    if (key == "topology") spec.topology = value;
    if (key == "factor") spec.priority_job_factor = number(value);
    if (key == "exclusive") spec.exclusive = value == "yes";
    if (key == "preempt") spec.preempt_mode = value;
    if (key == "grace") spec.grace_time_s = number(value);
  }
  config_.partitions.push_back(spec);
  return {};
}

// What accounting data will tell one day.
std::string Scenario::qos_defined(const Line& line) {
  QosPreemption& qos = config_.preempt.qos[line.words.at(0)];
  for (const auto& [key, value] : line.options) {
    if (key == "priority") qos.priority = number(value);
    if (key == "preempt")
      for (std::string_view one : split_words(value, ',')) qos.preempts.emplace_back(one);
    if (key == "mode") qos.mode = parse_preempt_mode(value).mode;
    if (key == "grace") qos.grace_s = number(value);
    if (key == "exempt_time") qos.exempt_s = number(value);
    if (key == "within") qos.within = value == "yes";
  }
  return {};
}

std::string Scenario::set(const Line& line) {
  if (auto at = line.options.find("licenses"); at != line.options.end())
    config_.licenses = at->second;
  for (const auto& [key, value] : line.options) {
    if (key == "return_to_service") config_.return_to_service = number(value);
    if (key == "min_job_age") config_.min_job_age = std::chrono::seconds(number(value));
    if (key == "slurmd_timeout") config_.slurmd_timeout = std::chrono::seconds(number(value));
    if (key == "memory") config_.memory_is_consumable = value == "yes";
    if (key == "enforce") config_.enforce_partition_limits = value != "no";
    if (key == "enforce") config_.any_partition_suffices = value == "any";
    if (key == "max_array_size") config_.max_array_size = number(value);
    set_preemption(config_.preempt, key, value);
    if (key == "gres_types") config_.gres_types = value;
    if (key == "suspend_program") config_.power.suspend_program = value;
    if (key == "resume_program") config_.power.resume_program = value;
    if (key == "resume_fail_program") config_.power.resume_fail_program = value;
    if (key == "suspend_time") config_.power.suspend_time = std::chrono::seconds(number(value));
    if (key == "suspend_timeout")
      config_.power.suspend_timeout = std::chrono::seconds(number(value));
    if (key == "resume_timeout") config_.resume_timeout = std::chrono::seconds(number(value));
    if (key == "suspend_rate") config_.power.suspend_rate = number(value);
    if (key == "resume_rate") config_.power.resume_rate = number(value);
    if (key == "except_nodes") config_.power.except_nodes = value;
    if (key == "kill_invalid") config_.kill_on_invalid_dependency = value == "yes";
  }
  return {};
}

std::string Scenario::configure(const Line&) {
  Status done = controller_.configure(config_, now_, out_);
  if (!done) return "refused: " + done.error().text + "\n";
  planner_.set_rules(controller_.placement_rules());
  planner_.set_preemption(controller_.preempt_rules());
  count_priorities();
  if (!configured_) {
    controller_.begin_watch(now_, out_);
    for (const NodeSpec& node : config_.nodes)
      if (node.state != "CLOUD") connect({.words = {node.name}});
  }
  configured_ = true;
  return {};
}

std::string Scenario::at(const Line& line) {
  Instant until = kZero + std::chrono::seconds(number(line.words.at(0)));
  std::string said;
  while (now_ < until) {
    now_ = now_ + std::chrono::seconds(1);
    heartbeats();
    controller_.tick(now_, out_);
    said += settle();
  }
  return said;
}

std::string Scenario::schedule(const Line&) {
  Plan plan = planner_.plan(controller_.state(), now_, {});
  verdicts_ = plan.verdicts;
  controller_.commit(plan, now_, out_);
  return settle() + jobs({});
}

std::string Scenario::submit(const Line& line) {
  SubmitJob submit;
  JobSpec& spec = submit.spec;
  spec.batch = true;
  spec.script_blob = "script";
  spec.name = "job";
  JobExtras extras;
  JobSpecials specials;
  for (const auto& [key, value] : line.options) {
    if (key == "nodes") spec.min_nodes = number(value);
    if (key == "tasks") spec.tasks = number(value);
    if (key == "cpus") spec.cpus_per_task = number(value);
    if (key == "limit") spec.time_limit_s = number(value);
    if (key == "mem") spec.memory_per_node_mb = number(value);
    if (key == "name") spec.name = value;
    if (key == "partition") spec.partitions = value;
    if (key == "qos") spec.qos = value;
    if (key == "licenses") extras.licenses = value;
    if (key == "max_nodes") spec.max_nodes = number(value);
    if (key == "time_min") spec.time_min_s = number(value);
    if (key == "nodelist") extras.required_nodes = value;
    if (key == "constraint") extras.features = value;
    if (key == "exclusive") specials.exclusive_kind = value == "user" ? kExclusiveUser : 0;
    if (key == "deadline") spec.deadline = kZero + std::chrono::seconds(number(value));
    if (key == "nice") spec.nice = static_cast<std::int32_t>(std::stol(value));
    if (key == "begin") spec.begin = kZero + std::chrono::seconds(number(value));
    if (key == "array") submit.array = value;
    if (key == "het") submit.het = components_in(value);
    if (key == "depend") submit.dependency = value;
    if (key == "gres") extras.gres = value;
    if (key == "switches") specials.switches = number(value);
    if (key == "switch_wait") specials.switch_wait_s = number(value);
    if (key == "segment") specials.segment = number(value);
    if (key == "gpus") specials.tres_per_job = "gpu:" + value;
    if (key == "gpus_per_task") specials.tres_per_task = "gpu:" + value;
    if (key == "cpus_per_gpu") specials.cpus_per_tres = "gpu:" + value;
  }
  for (const std::string& word : line.words) {
    if (word == "exclusive") spec.exclusive = true;
    if (word == "norequeue") spec.requeue = false;
    if (word == "interactive") spec.batch = false;
    if (word == "hold") submit.hold = true;
    if (word == "contiguous") spec.contiguous = true;
    if (word == "spread") specials.spread = true;
    if (word == "test") submit.test_only = true;
  }
  if (!(specials == JobSpecials{})) extras.specials = Ref(specials);
  if (!(extras == JobExtras{})) spec.extras = Ref(extras);
  spec.tasks = std::max(spec.tasks, spec.min_nodes);
  for (JobSpec& other : submit.het) {
    std::uint32_t nodes = other.min_nodes, cpus = other.cpus_per_task;
    other = spec;
    other.min_nodes = other.tasks = nodes;
    other.cpus_per_task = cpus;
  }
  controller_.submit({++requests_}, submit, caller_of(line), now_, out_);
  return {};
}

// by=NAME; ada unless it is said.
Caller Scenario::caller_of(const Line& line) {
  auto by = line.options.find("by");
  if (by == line.options.end()) return ada();
  return by->second == "root" ? root() : bob();
}

std::string Scenario::alter(const Line& line) {
  static const std::map<std::string, JobVerb, std::less<>> kVerbs{
      {"cancel", JobVerb::Cancel},     {"hold", JobVerb::HoldUser},
      {"release", JobVerb::Release},   {"requeue", JobVerb::Requeue},
      {"update", JobVerb::Update},     {"requeuehold", JobVerb::RequeueHold},
      {"complete", JobVerb::Complete}, {"suspend", JobVerb::Suspend},
      {"unsuspend", JobVerb::Resume},  {"signal", JobVerb::Signal}};
  AlterJobs alter{.verb = kVerbs.at(line.verb)};
  for (const std::string& word : line.words) alter.filter.targets.push_back(target_of(word));
  for (const auto& [key, value] : line.options) {
    if (key == "limit") alter.patch.time_limit_s = number(value);
    if (key == "priority") alter.patch.priority = number(value);
    if (key == "site") alter.patch.site_factor = static_cast<std::int32_t>(std::stol(value));
    if (key == "nice") alter.patch.nice = static_cast<std::int32_t>(std::stol(value));
    if (key == "nodes") alter.patch.min_nodes = number(value);
    if (key == "nodelist") alter.patch.required_nodes = value;
    if (key == "partition") alter.patch.partitions = value;
    if (key == "array_limit") alter.patch.array_max_running = number(value);
    if (key == "depend") alter.patch.dependency = value;
  }
  if (line.verb == "hold" && line.options.contains("by")) alter.verb = JobVerb::Hold;
  controller_.alter({++requests_}, alter, caller_of(line), now_, out_);
  return {};
}

// The batch script is over; its node says so.
std::string Scenario::end(const Line& line) {
  for (auto& [node, attempts] : running_)
    for (auto& [sluid, attempt] : attempts) {
      if (attempt.job.value != number(line.words.at(0)) || !attempt.batch) continue;
      attempt.batch_ended = true;
      attempt.phase = AttemptPhase::Clean;
      if (auto code = line.options.find("code"); code != line.options.end())
        attempt.exit.code = static_cast<std::uint8_t>(number(code->second));
      NodeReport said{.attempts = {attempt}};
      report(std::string(node), said);
      return {};
    }
  return "no such job runs\n";
}

std::string Scenario::step(const Line& line) {
  CreateStep create{.job = {number(line.words.at(0))}};
  for (const auto& [key, value] : line.options) {
    if (key == "tasks") create.tasks = number(value);
    if (key == "cpus") create.cpus_per_task = number(value);
    if (key == "nodes") create.nodes = number(value);
    if (key == "overlap") create.overlap = value == "yes";
    if (key == "gres") create.gres = Ref(GresOptions{.per_node = value});
  }
  controller_.create_step({++requests_}, create, ada(), now_, out_);
  return {};
}

std::string Scenario::step_end(const Line& line) {
  JobTarget target = target_of(line.words.at(0));
  const Job* job = controller_.state().find(target.job);
  if (!job || !target.step) return "no such step\n";
  ExitStatus exit;
  if (auto code = line.options.find("code"); code != line.options.end())
    exit.code = static_cast<std::uint8_t>(number(code->second));
  report(
      line.words.at(1),
      {.ended_steps = {{.job = job->id, .sluid = job->sluid, .step = *target.step, .exit = exit}}});
  return {};
}

std::string Scenario::node_state(const Line& line) {
  UpdateNodes update{.nodes = line.words.at(0), .state = to_upper(line.verb)};
  if (line.words.size() > 1) update.reason = line.words[1];
  controller_.update_nodes({++requests_}, update, root(), now_, out_);
  return {};
}

std::string Scenario::partition_state(const Line& line) {
  UpdatePartition update;
  update.spec.name = line.words.at(0);
  for (PartitionState state :
       {PartitionState::Up, PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    if (same_ignoring_case(name_of(state), line.words.at(1))) update.spec.state = state;
  update.changed = {"state"};
  controller_.update_partition({++requests_}, update, root(), now_, out_);
  return {};
}

std::string Scenario::connect(const Line& line) {
  for (const std::string& name : names_of(line.words.at(0))) {
    if (line.verb == "reboot" || !boots_.contains(name)) {
      boots_[name] = now_;
      running_[name].clear();
    }
    alive_.insert(name);
    NodeReport said{.complete = true};
    for (const NodeSpec& node : config_.nodes)
      if (node.name == name)
        said.registration = {.cpus = node.cpus,
                             .memory_mb = node.memory_mb,
                             .boot_time = boots_[name],
                             .slurmd_start = boots_[name]};
    for (const NodeSpec& node : config_.nodes)
      if (node.name == name && !line.options.contains("nogres"))
        said.registration.gres = pretended_gres(node);
    for (const auto& [sluid, attempt] : running_[name]) said.attempts.push_back(attempt);
    report(name, said);
  }
  return {};
}

std::string Scenario::silence(const Line& line) {
  for (const std::string& name : names_of(line.words.at(0))) alive_.erase(name);
  return {};
}

std::string Scenario::stick(const Line& line) {
  for (const std::string& name : names_of(line.words.at(0))) stuck_.insert(name);
  return {};
}

void Scenario::report(const std::string& node, NodeReport report) {
  report.node = node;
  if (alive_.contains(node)) static_cast<void>(controller_.report(report, now_, out_));
}

void Scenario::heartbeats() {
  for (const std::string& node : std::set<std::string>(alive_)) report(node, {});
}

// What a healthy node does at once. One that sticks never becomes clean.
void Scenario::obey(const Order& order) {
  const Node* node = controller_.state().find(order.node);
  if (!node || !alive_.contains(node->spec->name)) return;
  std::string name = node->spec->name;
  auto& attempts = running_[name];
  if (const auto* launch = std::get_if<LaunchJob>(&order.message)) {
    AttemptReport attempt{.job = launch->job, .sluid = launch->sluid, .batch = true};
    attempts[launch->sluid] = attempt;
    report(name, {.attempts = {attempt}});
  } else if (const auto* kill = std::get_if<KillJob>(&order.message)) {
    if (stuck_.contains(name)) return;
    AttemptReport attempt{.job = kill->job, .sluid = kill->sluid, .phase = AttemptPhase::Clean};
    attempts.erase(kill->sluid);
    report(name, {.attempts = {attempt}});
  } else if (const auto* forget = std::get_if<ForgetAttempts>(&order.message)) {
    for (Sluid sluid : forget->attempts) attempts.erase(sluid);
  }
}

std::string Scenario::settle() {
  std::string said;
  while (!out_.empty()) {
    Outbox out = std::exchange(out_, {});
    for (const Event& event : out.events) planner_.observe(event, controller_.state());
    for (const Reply& reply : out.replies) {
      if (const auto* failure = std::get_if<Failure>(&reply.answer))
        said += "refused: " + failure->text + "\n";
      if (const auto* made = std::get_if<SubmitAnswer>(&reply.answer))
        said += made->nodes.empty() ? fmt::format("job {}\n", made->job.value)
                                    : fmt::format("job {} would start={} nodes={} cpus={} in {}\n",
                                                  made->job.value, seconds(made->expected_start),
                                                  made->nodes, made->cpus, made->partition);
      if (const auto* altered = std::get_if<AlterAnswer>(&reply.answer))
        for (const JobOutcome& outcome : altered->outcomes)
          if (outcome.code || !outcome.text.empty())
            said += outcome.display + ": " + outcome.text + "\n";
      if (const auto* created = std::get_if<StepCreated>(&reply.answer)) {
        said += fmt::format("step {}:", created->step.id.value);
        for (std::size_t i = 0; i < created->nodes.size(); ++i)
          said += fmt::format(" {}*{}", created->nodes[i].name, created->step.shares[i].tasks);
        said += "\n";
      }
    }
    for (const SideProgram& program : out.side_programs)
      if (!program.arguments.empty())
        said += fmt::format("{} {}\n", program.program, program.arguments[0]);
    for (const Order& order : out.orders) obey(order);
  }
  return said;
}

std::string Scenario::show(const Job& job) const {
  const State& state = controller_.state();
  JobRow row = job_row(state, job, verdicts_, now_);
  std::string text = fmt::format("job {} {}", display_id(job), to_lower(name_of(job.state)));
  if (job.state == JobState::Pending) {
    if (row.reason != Reason::None) text += fmt::format(" reason={}", name_of(row.reason));
    if (!row.reason_text.empty()) text += " " + row.reason_text;
    bool waits = !job.dependency->empty();
    if (waits) text += " depend=" + job.dependency->shown();
    if (row.expected_start) text += " start=" + seconds(row.expected_start);
    if (job.restarts) text += fmt::format(" restarts={}", job.restarts);
  } else if (job.state == JobState::Running) {
    text += " nodes=" + row.nodes + " end=" + seconds(job.limit_end);
    if (job.configuring) text += " configuring";
    if (job.allocation->cpus() > job.allocation->nodes.size())
      text += fmt::format(" cpus={}", job.allocation->cpus());
    for (const NodeShare& share : job.allocation->nodes)
      if (job.allocation->gres)
        text += " gres=" + gres_detail_text(*job.allocation->gres, share.node);
  } else if (job.state == JobState::Suspended) {
    text += " nodes=" + row.nodes;
  } else {
    text += fmt::format(" exit={}:{}", job.exit.code, job.exit.signal);
    if (row.reason != Reason::None) text += fmt::format(" reason={}", name_of(row.reason));
    if (job.completing()) text += " completing";
  }
  return text + "\n";
}

std::string Scenario::jobs(const Line& line) {
  std::string text;
  if (!line.words.empty()) {  // by their ids, as squeue -j
    JobFilter filter{.all_states = true};
    for (const std::string& word : line.words) filter.targets.push_back(target_of(word));
    for_each_selected(controller_.state(), filter, [&](const Job& job) {
      text += show(job);
      return true;
    });
    return text.empty() ? "none\n" : text;
  }
  controller_.state().jobs.for_each([&](std::uint64_t, const Job& job) { text += show(job); });
  return text;
}

std::string Scenario::explain(const Line& line) {
  JobTarget target = target_of(line.words.at(0));
  auto told = ym::explain(controller_.state(), target, controller_.placement_rules(), now_);
  if (!told) return told.error().text + "\n";
  std::string text = fmt::format("job {} {}\n", told->display, to_lower(told->state));
  for (const Obstacle& one : told->obstacles)
    text += fmt::format("  {}: {}; {}\n", name_of(one.reason), one.text, one.remedy);
  if (told->expected_start)
    text += fmt::format("  start={} nodes={} in {}\n", seconds(told->expected_start), told->nodes,
                        told->partition);
  for (const Alternative& one : told->alternatives)
    text += fmt::format("  with {}: start={} nodes={} in {}\n", one.change, seconds(one.start),
                        one.nodes, one.partition);
  return text;
}

std::string Scenario::show_nodes(const Line&) {
  std::string text;
  controller_.state().nodes.for_each([&](std::uint64_t, const Node& node) {
    text += fmt::format("{} {} {}/{}", node.spec->name, state_word(node), node.cpus_used,
                        node.spec->cpus);
    if (!node.reason.empty()) text += " reason=" + node.reason;
    text += "\n";
  });
  return text;
}

// Blocks of commands, then ---- and what they say, up to an empty line.
std::string rewritten(std::string_view text) {
  Scenario scenario;
  std::string out, said;
  bool expecting = false;
  for (std::string_view line : split(text, '\n')) {
    if (expecting) {
      if (!line.empty()) continue;
      expecting = false;
      out += said;
      said.clear();
    }
    if (line == "----") expecting = true;
    if (!line.empty() && line[0] != '#' && !expecting) said += scenario.run(line);
    out += std::string(line) + "\n";
  }
  if (expecting) out += said;
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace ym::sim
