// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/queries/explain.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/node_gres.h"
#include "sim/gres.h"
#include "sim/scenario_words.h"

namespace ym::sim {
namespace {

std::string seconds(Instant at) {
  if (at >= kNever) return "never";
  return std::to_string((at - kZero).count() / 1000);
}

// 7, 7_3, 7_[1-4] or 7.0
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
      {"reservation", &Scenario::reservation},
      {"scheduler", &Scenario::scheduler},
      {"yaml", &Scenario::yaml},
      {"shares", &Scenario::shares},
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
      {"features", &Scenario::active_features},
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
  line.text = text.substr(std::min(text.size(), line.verb.size() + 1));
  auto verb = verbs().find(line.verb);
  if (verb == verbs().end()) return "unknown command: " + line.verb + "\n";
  std::string said = (this->*verb->second)(line);
  return said + settle();
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
  Plan plan = planner_.plan(controller_.state(), now_, budget_);
  verdicts_ = plan.verdicts;
  verdicts_.at = now_;
  controller_.commit(plan, now_, out_);
  return settle() + jobs({});
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
  for (const auto& [option, value] : line.options) {
    Known key(option);
    if (key == "by") continue;
    if (key == "limit") alter.patch.time_limit_s = number(value);
    if (key == "priority") alter.patch.priority = number(value);
    if (key == "site") alter.patch.site_factor = static_cast<std::int32_t>(std::stol(value));
    if (key == "nice") alter.patch.nice = static_cast<std::int32_t>(std::stol(value));
    if (key == "nodes") alter.patch.min_nodes = number(value);
    if (key == "nodelist") alter.patch.required_nodes = value;
    if (key == "partition") alter.patch.partitions = value;
    if (key == "array_limit") alter.patch.array_max_running = number(value);
    if (key == "depend") alter.patch.dependency = value;
    if (std::string unknown = key.complaint(); !unknown.empty()) return unknown;
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
  controller_.create_step({++requests_}, create, caller_of(line), now_, out_);
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

// Those that the nodes have switched on, of all that they could have: features n1 a,b
std::string Scenario::active_features(const Line& line) {
  UpdateNodes update{.nodes = line.words.at(0)};
  update.active_features = line.words.at(1);
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
                             .tmp_mb = node.tmp_mb,
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
  auto told = ym::explain(controller_.state(), target,
                          {.rules = controller_.placement_rules(),
                           .policy = &planner_.policy(),
                           .verdicts = Ref(verdicts_),
                           .budget = budget_,
                           .preempt = controller_.preempt_rules(),
                           .scale = scale()},
                          now_);
  if (!told) return told.error().text + "\n";
  std::string text = fmt::format("job {} {}\n", told->display, to_lower(told->state));
  for (const Obstacle& one : told->obstacles)
    text += fmt::format("  {}: {}; {}\n", name_of(one.reason), one.text, one.remedy);
  if (told->expected_start)
    text += told->nodes.empty()
                ? fmt::format("  start={}\n", seconds(told->expected_start))
                : fmt::format("  start={} nodes={} in {}\n", seconds(told->expected_start),
                              told->nodes, told->partition);
  for (const Alternative& one : told->alternatives)
    text += fmt::format("  with {}: start={} nodes={} in {}\n", one.change, seconds(one.start),
                        one.nodes, one.partition);
  return text;
}

std::string Scenario::show_nodes(const Line&) {
  std::string text;
  controller_.state().nodes.for_each([&](std::uint64_t, const Node& node) {
    text += fmt::format("{} {} {}/{}", node.spec->name, state_word(node), node.cpus_taken(),
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
