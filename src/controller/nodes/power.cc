// SPDX-License-Identifier: Apache-2.0
// Power saving: nodes without work are switched off, those that work waits for are switched on.
//
// The programs that do it are only told; what counts is whether the node registers in time.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "controller/nodes/state_of.h"
#include "controller/queries/rows.h"
#include "model/errc.h"
#include "model/sharing_variables.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

constexpr Duration kRateWindow = std::chrono::minutes(1);

// How many more the rate allows now. `recent` loses what is older than the rate's minute.
std::size_t room_of(std::uint32_t rate, std::vector<Instant>& recent, Instant now) {
  std::erase_if(recent, [&](Instant at) { return at > now || now - at >= kRateWindow; });
  if (rate == 0) return SIZE_MAX;
  return rate > recent.size() ? rate - recent.size() : 0;
}

// SuspendExcStates: one of the words is true of the node.
bool in_state(const Node& node, std::string_view words) {
  for (std::string_view word : split_words(words, ',')) {
    auto is = [&](std::string_view name) { return same_ignoring_case(trim(word), name); };
    bool holds = (is("DOWN") && node.condition == NodeCondition::Down) ||
                 (is("DRAIN") && node.drain) || (is("FAIL") && node.fail) ||
                 (is("CLOUD") && node.cloud()) || (is("NOT_RESPONDING") && !node.responding) ||
                 (is("DYNAMIC_NORM") && node.spec->dynamic) ||
                 ((is("MAINTENANCE") || is("MAINT")) && node.maintenance) ||
                 (is("RESERVED") && node.reserved);
    if (holds) return true;
  }
  return false;
}

// A group of SuspendExcNodes: all of the nodes, or so many that are of use.
struct Exception {
  Hostlist nodes;
  std::uint64_t count = 0;  // 0: all
};

// "n[1-9]:3,m[1-4]": a count is for all that stand before it, back to the count before. What cannot
// be read keeps nothing on.
std::vector<Exception> exceptions_of(std::string_view text) {
  std::vector<Exception> out;
  auto add = [&](std::string_view nodes, std::uint64_t count) {
    if (auto hosts = Hostlist::parse(nodes)) out.push_back({std::move(*hosts), count});
  };
  for (std::size_t colon; (colon = text.find(':')) != std::string_view::npos;) {
    std::size_t comma = std::min(text.find(',', colon), text.size());
    auto count = parse_unsigned<std::uint64_t>(text.substr(colon + 1, comma - colon - 1));
    if (count && *count > 0) add(text.substr(0, colon), *count);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (!text.empty()) add(text, 0);
  return out;
}

bool of_use(const Node& node) {
  return node.condition == NodeCondition::Up && !node.drain && !node.fail && node.jobs == 0 &&
         node.power.phase == PowerPhase::On;
}

// A text in JSON; nothing is null.
std::string in_json(std::string_view text) {
  if (text.empty()) return "null";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

bool Controller::is_power_verb(std::string_view state) {
  return to_upper(state).starts_with("POWER_");
}

Status Controller::check_power(const Node& node, std::string_view state) const {
  bool up = same_ignoring_case(state, "POWER_UP") || same_ignoring_case(state, "POWER_UP_FORCE");
  bool down = same_ignoring_case(state, "POWER_DOWN") ||
              same_ignoring_case(state, "POWER_DOWN_ASAP") ||
              same_ignoring_case(state, "POWER_DOWN_FORCE");
  if (!up && !down) return fail(2028, "Invalid node state specified");
  if (node.condition == NodeCondition::Future) return fail(2028, "Invalid node state specified");
  if (up && config_.power.resume_program.empty())
    return refuse(Errc::Disabled, "ResumeProgram is not defined in slurm.conf");
  if (down && config_.power.suspend_program.empty())
    return refuse(Errc::Disabled, "SuspendProgram is not defined in slurm.conf");
  return {};
}

void Controller::set_power(NodeId id, PowerPhase phase, Instant now, Outbox& out) {
  NodePower power = state_.nodes.at(id.value).power;
  power.phase = phase;
  power.since = now;
  if (phase == PowerPhase::On || phase == PowerPhase::UpWanted) power.up_wanted = false;
  if (phase == PowerPhase::On || phase == PowerPhase::Off) power.drained = false;
  emit(NodePowerChanged{.node = id, .power = power}, now, out);
}

// POWER_DOWN_ASAP has drained it, and that is over.
void Controller::undo_asap(NodeId id, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  if (!node.power.drained) return;
  NodeStateChanged change = state_of(node);
  change.drain = false;
  if (change.condition != NodeCondition::Down && !change.fail) change.reason.clear();
  change_node(node, change, now, out);
}

// Whatever was ordered before: ResumeProgram is run for it, unless it is there and works.
void Controller::force_power_up(NodeId id, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  bool there = node.responding &&
               (node.power.phase == PowerPhase::On || node.power.phase == PowerPhase::DownWanted);
  undo_asap(id, now, out);
  set_power(id, there ? PowerPhase::On : PowerPhase::UpWanted, now, out);
}

// REQUIRES: check_power().
void Controller::request_power(NodeId id, std::string_view state, const Caller& caller, Instant now,
                               Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  PowerPhase phase = node.power.phase;
  if (same_ignoring_case(state, "POWER_UP_FORCE")) {
    force_power_up(id, now, out);
    return;
  }
  if (same_ignoring_case(state, "POWER_UP")) {
    if (phase == PowerPhase::DownWanted) {
      undo_asap(id, now, out);
      set_power(id, PowerPhase::On, now, out);
    }
    if (phase == PowerPhase::PoweringDown && !node.power.up_wanted) {
      NodePower power = node.power;
      power.up_wanted = true;
      emit(NodePowerChanged{.node = id, .power = power}, now, out);
    }
    bool dark = phase == PowerPhase::On && !node.responding && node.jobs == 0;
    if (phase == PowerPhase::Off || dark) set_power(id, PowerPhase::UpWanted, now, out);
    return;
  }
  if (same_ignoring_case(state, "POWER_DOWN_FORCE")) {
    lose_node(id, "Power down forced", now, out);
    NodeStateChanged idle{.node = id, .condition = NodeCondition::Up};
    change_node(state_.nodes.at(id.value), idle, now, out);
  }
  if (phase == PowerPhase::PoweringDown || phase == PowerPhase::Off) return;
  NodePower power{.phase = PowerPhase::DownWanted, .since = now};
  if (same_ignoring_case(state, "POWER_DOWN_ASAP") && !node.drain) {
    power.drained = true;
    NodeStateChanged change = state_of(node);
    change.drain = true;
    if (change.reason.empty()) change.reason = "Power down ASAP";
    change.by = caller.uid;
    change_node(node, change, now, out);
  }
  emit(NodePowerChanged{.node = id, .power = power}, now, out);
}

// RESUME: what was to go off stays on, what is going off is off.
void Controller::stop_powering_down(NodeId id, Instant now, Outbox& out) {
  PowerPhase phase = state_.nodes.at(id.value).power.phase;
  if (phase == PowerPhase::DownWanted) set_power(id, PowerPhase::On, now, out);
  if (phase == PowerPhase::PoweringDown) set_power(id, PowerPhase::Off, now, out);
}

// The highest that any partition of the node says; what the cluster says, if none does.
Duration Controller::of_partitions(const Node& node, std::uint32_t PartitionSpec::* member,
                                   Duration otherwise) const {
  Duration highest = otherwise;
  bool said = false;
  state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    std::uint32_t value = (*partition.spec).*member;
    if (value == PartitionSpec::kOfCluster ||
        !std::ranges::binary_search(*partition.nodes, node.id))
      return;
    bool never = value == JobSpec::kUnlimited;
    Duration one = never ? Duration(-1) : Duration(std::chrono::seconds(value));
    bool higher = !said || never || (highest >= Duration(0) && one > highest);
    if (higher) highest = one;
    said = true;
  });
  return highest;
}

// Idle for so long, and nothing speaks against it.
bool Controller::may_sleep(const Node& node, Instant now) const {
  bool settled = node.condition == NodeCondition::Up || node.condition == NodeCondition::Down;
  if (node.power.phase != PowerPhase::On || node.jobs > 0 || !settled) return false;
  if (node.reboot.phase != RebootPhase::None) return false;
  bool at_once = false, spared = false;
  state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    bool named = std::ranges::any_of(
        split_words(config_.power.except_partitions, ','),
        [&](std::string_view name) { return trim(name) == partition.spec->name; });
    if (!named && !partition.spec->power_down_on_idle) return;
    if (!std::ranges::binary_search(*partition.nodes, node.id)) return;
    spared = spared || named;
    at_once = at_once || partition.spec->power_down_on_idle;
  });
  if (spared) return false;
  if (at_once && node.last_busy > node.power.since) return true;
  Duration time = of_partitions(node, &PartitionSpec::suspend_time_s, config_.power.suspend_time);
  if (std::uint32_t own = node.spec->suspend_time_s; own != NodeSpec::kUsual)
    time = own == JobSpec::kUnlimited ? Duration(-1) : Duration(std::chrono::seconds(own));
  if (time < Duration(0)) return false;
  Instant idle_since =
      std::max({node.last_busy, node.power.since, node.registration->slurmd_start});
  return now - idle_since >= time;
}

bool Controller::is_awake(const Allocation& allocation) const {
  return std::ranges::none_of(allocation.nodes, [&](const NodeShare& share) {
    return state_.nodes.at(share.node.value).must_wake();
  });
}

Duration Controller::time_to_wake(const Allocation& allocation) const {
  Duration longest{0};
  for (const NodeShare& share : allocation.nodes) {
    const Node& node = state_.nodes.at(share.node.value);
    if (node.must_wake())
      longest = std::max(
          longest, of_partitions(node, &PartitionSpec::resume_timeout_s, config_.resume_timeout));
  }
  return longest;
}

void Controller::woke_up(NodeId id, Instant now, Outbox& out) {
  set_power(id, PowerPhase::On, now, out);
  stop_waiting_for(id, now, out);
}

// It is up: jobs that wait for nothing else go on.
void Controller::stop_waiting_for(NodeId id, Instant now, Outbox& out) {
  std::vector<JobId> waiting;
  for (const auto& [job, nodes] : waking_)
    if (nodes.contains(id)) waiting.push_back(job);
  for (JobId job : waiting) stop_waking(job, id, now, out);
}

void Controller::watch_power(Instant now, Outbox& out) {
  if (!saves_power() && waking_.empty()) return;
  auto over = [](Duration since, Duration limit) { return limit >= Duration(0) && since >= limit; };
  std::vector<NodeId> off, late;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    Duration since = now - node.power.since;
    if (node.power.phase == PowerPhase::PoweringDown &&
        over(since,
             of_partitions(node, &PartitionSpec::suspend_timeout_s, config_.power.suspend_timeout)))
      off.push_back(node.id);
    if (node.power.phase == PowerPhase::PoweringUp &&
        over(since, of_partitions(node, &PartitionSpec::resume_timeout_s, config_.resume_timeout)))
      late.push_back(node.id);
    // A node of a cloud that nobody can switch on.
    if (node.power.phase == PowerPhase::UpWanted && config_.power.resume_program.empty())
      late.push_back(node.id);
  });
  for (NodeId id : off) {
    bool wanted = state_.nodes.at(id.value).power.up_wanted;
    undo_asap(id, now, out);
    set_power(id, wanted ? PowerPhase::UpWanted : PowerPhase::Off, now, out);
  }
  if (!late.empty()) fail_to_wake(late, now, out);
  fall_asleep(now, out);
  switch_off(now, out);
  switch_on(now, out);
}

// Nodes that have been idle for long enough are to be switched off.
void Controller::fall_asleep(Instant now, Outbox& out) {
  if (config_.power.suspend_program.empty()) return;
  std::vector<const Node*> due;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (!may_sleep(node, now)) return;
    Node marked = node;
    state_.reservations.for_each([&](std::uint64_t, const Reservation& one) {
      bool has = one.active(now) && one.find(node.id);
      marked.reserved = marked.reserved || has;
      marked.maintenance = marked.maintenance || (has && one.has(ReservationFlag::Maint));
    });
    if (!in_state(marked, config_.power.except_states)) due.push_back(&node);
  });
  if (due.empty()) return;
  for (const Exception& one : exceptions_of(config_.power.except_nodes)) {
    std::uint64_t keep = one.count ? one.count : SIZE_MAX;
    // Those that are on and not idle for long enough count, too.
    one.nodes.for_each([&](std::string_view name) {
      const Node* node = state_.find_node(name);
      bool is_due = node && std::ranges::find(due, node) != due.end();
      if (node && of_use(*node) && !is_due && one.count && keep > 0) --keep;
    });
    std::erase_if(due, [&](const Node* node) {
      if (!one.nodes.contains(node->spec->name)) return false;
      if (one.count && !of_use(*node)) return false;
      if (keep == 0) return false;
      --keep;
      return true;
    });
  }
  // No more than the rate allows now: the others may be given work until their turn comes.
  std::size_t room = room_of(config_.power.suspend_rate, switched_off_, now);
  std::vector<NodeId> ids;
  for (const Node* node : due)
    if (ids.size() < room) ids.push_back(node->id);
  for (NodeId id : ids) set_power(id, PowerPhase::DownWanted, now, out);
}

void Controller::switch_off(Instant now, Outbox& out) {
  std::size_t room = room_of(config_.power.suspend_rate, switched_off_, now);
  std::vector<NodeId> nodes;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    bool due = node.power.phase == PowerPhase::DownWanted && node.jobs == 0;
    if (due && nodes.size() < room) nodes.push_back(node.id);
  });
  if (nodes.empty()) return;
  for (NodeId id : nodes) {
    const Node& node = state_.nodes.at(id.value);
    if (node.condition == NodeCondition::Unknown) {
      NodeStateChanged change = state_of(node);
      change.condition = NodeCondition::Up;
      change_node(node, change, now, out);
    }
    set_power(id, PowerPhase::PoweringDown, now, out);
    switched_off_.push_back(now);
  }
  run_for_nodes(config_.power.suspend_program, nodes, false, out);
}

void Controller::switch_on(Instant now, Outbox& out) {
  if (config_.power.resume_program.empty()) return;
  std::size_t room = room_of(config_.power.resume_rate, switched_on_, now);
  std::vector<NodeId> nodes;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    bool due = node.power.phase == PowerPhase::UpWanted;
    if (due && nodes.size() < room) nodes.push_back(node.id);
  });
  if (nodes.empty()) return;
  for (NodeId id : nodes) {
    set_power(id, PowerPhase::PoweringUp, now, out);
    switched_on_.push_back(now);
  }
  run_for_nodes(config_.power.resume_program, nodes, true, out);
}

// They have had their time. Their jobs go back to the queue.
void Controller::fail_to_wake(const std::vector<NodeId>& nodes, Instant now, Outbox& out) {
  std::string reason = config_.power.resume_program.empty() ? "ResumeProgram is not defined"
                                                            : "ResumeTimeout reached";
  for (NodeId id : nodes) {
    // Off since it was told to come: should it still come, it is heard.
    NodePower power = state_.nodes.at(id.value).power;
    power.phase = PowerPhase::Off;
    power.up_wanted = false;
    emit(NodePowerChanged{.node = id, .power = power}, now, out);
    lose_node(id, reason, now, out);
  }
  if (!config_.power.resume_fail_program.empty())
    run_for_nodes(config_.power.resume_fail_program, nodes, false, out);
}

void Controller::run_for_nodes(const std::string& program, const std::vector<NodeId>& nodes,
                               bool with_jobs, Outbox& out) const {
  std::vector<std::string> names;
  for (NodeId id : nodes) names.push_back(state_.nodes.at(id.value).spec->name);
  SideProgram run{.program = program, .arguments = {Hostlist::of(names).str()}};
  if (with_jobs) {
    run.file_variable = "SLURM_RESUME_FILE";
    run.file_text = resume_file(nodes);
  }
  out.side_programs.push_back(std::move(run));
}

// Which job needs which of the nodes, as ResumeProgram may read it.
std::string Controller::resume_file(const std::vector<NodeId>& nodes) const {
  std::vector<std::string> all;
  std::set<JobId> jobs;
  for (NodeId id : nodes) {
    all.push_back(state_.nodes.at(id.value).spec->name);
    for (JobId job : indexes_.on_node(id)) jobs.insert(job);
  }
  std::string rows;
  for (JobId id : jobs) {
    const Job& job = state_.jobs.at(id.value);
    std::vector<std::string> resumed;
    for (const NodeShare& share : job.allocation->nodes)
      if (std::ranges::find(nodes, share.node) != nodes.end())
        resumed.push_back(state_.nodes.at(share.node.value).spec->name);
    const Partition* partition = state_.find(job.partition);
    const JobExtras& extras = *job.spec->extras;
    rows += fmt::format(
        R"({}{{"extra":{},"job_id":{},"features":{},"nodes_alloc":{},"nodes_resume":{},)"
        R"("oversubscribe":"{}","partition":{},"reservation":{}}})",
        rows.empty() ? "" : ",", in_json(extras.extra), id.value, in_json(extras.features),
        in_json(nodes_text(state_, *job.allocation)), in_json(Hostlist::of(resumed).str()),
        oversubscribe_word(*job.spec, partition ? sharing_of(*partition->spec) : Sharing::No),
        in_json(partition ? partition->spec->name : ""), in_json(extras.reservation));
  }
  return fmt::format(R"({{"all_nodes_resume":{},"jobs":[{}]}})", in_json(Hostlist::of(all).str()),
                     rows) +
         "\n";
}

}  // namespace ym
