// SPDX-License-Identifier: Apache-2.0
// What few jobs ask for: a certain node for their script, a label that keeps others off their
// nodes, ports for their steps, nodes that have just booted.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/features.h"

namespace ym {
namespace {

// Slurm's numbers and texts.
constexpr std::uint32_t kTooManyPorts = 2060, kInvalidMcsLabel = 2099, kInvalidBatchFeature = 2114;

std::unexpected<Error> invalid_label() {
  return fail(kInvalidMcsLabel, "Invalid mcs_label specified");
}

// With mcs/group: the first of the site's groups that the caller is in.
std::string label_by_group(const McsRules& rules, const Caller& caller) {
  for (const std::string& group : rules.groups)
    if (std::ranges::find(caller.groups, group) != caller.groups.end()) return group;
  return {};
}

std::string usual_label(const McsRules& rules, const JobSpec& spec, const Caller& caller) {
  switch (rules.kind) {
    case McsKind::User: return spec.user_name;
    case McsKind::Group: return label_by_group(rules, caller);
    case McsKind::Account: return spec.account;
    case McsKind::Label:
    case McsKind::None: break;
  }
  return {};
}

// May the job have that label? With mcs/label there is nobody to be asked.
bool may_have(const std::string& label, const McsRules& rules, const JobSpec& spec,
              const Caller& caller) {
  if (rules.kind == McsKind::Label) return true;
  if (rules.kind != McsKind::Group) return label == usual_label(rules, spec, caller);
  bool known = std::ranges::find(rules.groups, label) != rules.groups.end();
  return known && std::ranges::find(caller.groups, label) != caller.groups.end();
}

// The names that stand in --batch; nothing if it is more than names with & and |.
std::optional<FeatureCondition> plain_condition(const std::string& text) {
  auto parsed = FeatureExpression::parse(text);
  if (!parsed || parsed->choices.size() != 1) return std::nullopt;
  const FeatureChoice& choice = parsed->choices.front();
  if (!choice.counted.empty() || choice.every.empty()) return std::nullopt;
  FeatureCondition all{.parts = choice.every};
  if (all.parts.size() == 1) return all.parts.front();
  all.operators.assign(all.parts.size() - 1, '&');
  return all;
}

}  // namespace

// Of the job's features: the script may not wish for what the nodes need not have.
Status Controller::check_batch_features(const JobSpec& spec) {
  const std::string& wish = spec.extras->specials->batch_features;
  if (wish.empty()) return {};
  auto wanted = FeatureExpression::parse(wish);
  auto all = FeatureExpression::parse(spec.extras->features);
  bool within = wanted && all && plain_condition(wish) &&
                std::ranges::all_of(wanted->names, [&](const std::string& name) {
                  return std::ranges::find(all->names, name) != all->names.end();
                });
  if (within) return {};
  return fail(kInvalidBatchFeature,
              "Job --batch option is invalid or not a subset of --constraints");
}

// Without a runtime it would run outside of its container: better nothing than something wrong.
Status Controller::check_container(const std::string& container) const {
  if (container.empty() || config_.oci.configured) return {};
  return fail("Container runtime not configured or invalid");
}

// --batch: the first node that has what the script wishes for; none does: the first of all.
NodeId Controller::batch_node(const JobSpec& spec, const Allocation& allocation) const {
  const std::string& wish = spec.extras->specials->batch_features;
  if (wish.empty()) return {};
  auto condition = plain_condition(wish);
  if (!condition) return {};
  for (const NodeShare& share : allocation.nodes)
    if (condition->holds(state_.nodes.at(share.node.value).features_now())) return share.node;
  return {};
}

// Gives the job its label, and says what that means for the nodes.
Status Controller::label_job(JobSpec& spec, const Caller& caller) const {
  const McsRules& rules = config_.mcs;
  const JobSpecials& wish = *spec.extras->specials;
  if (rules.kind == McsKind::None) return {};  // as in Slurm: whatever is asked for stands there
  bool alone = wish.exclusive_kind == kExclusiveMcs;
  std::string label = wish.mcs_label;
  if (!label.empty() && !may_have(label, rules, spec, caller)) return invalid_label();
  if (label.empty() && (rules.enforced || alone)) {
    label = usual_label(rules, spec, caller);
    if (label.empty()) return invalid_label();
  }
  std::uint8_t kind = wish.exclusive_kind;
  if (alone && rules.select == McsSelect::Never) kind = kExclusiveNode;
  bool always = rules.select == McsSelect::Always && !label.empty();
  if (always && kind == kExclusiveNode && !spec.exclusive) kind = kExclusiveMcs;
  if (label == wish.mcs_label && kind == wish.exclusive_kind) return {};
  JobExtras extras = *spec.extras;
  JobSpecials specials = wish;
  specials.mcs_label = std::move(label);
  specials.exclusive_kind = kind;
  extras.specials = Ref(std::move(specials));
  spec.extras = Ref(std::move(extras));
  return {};
}

// --reboot: for administrators, and nobody else may be on nodes that boot. Without a RebootProgram
// it means nothing.
Status Controller::obey_reboot(JobSpec& spec, const Caller& caller) const {
  if (!spec.extras->specials->reboot) return {};
  if (!caller.administrator) return refuse(Errc::AccessDenied);
  if (!config_.reboot_program.empty()) spec.exclusive = true;
  return {};
}

Status Controller::check_specials(JobSpec& spec, const JobPatch& patch, const Caller& caller,
                                  const Caller& owner) const {
  if (Status ok = check_batch_features(spec); !ok) return ok;
  if (patch.reboot)
    if (Status ok = obey_reboot(spec, caller); !ok) return ok;
  return patch.mcs_label ? label_job(spec, owner) : Status{};
}

// Does the job wait for nodes that boot because it asked for that?
bool Controller::reboots_nodes(const JobSpec& spec) const {
  return spec.extras->specials->reboot && !config_.reboot_program.empty();
}

// --resv-ports: so many that follow each other and that no step on the same nodes has. O(steps of
// running jobs); few ask for it.
Status Controller::reserve_ports(Step& step, std::uint32_t wanted) const {
  if (wanted == 0) return {};
  std::uint32_t count = wanted == kPortForEachTask ? 0 : wanted;
  if (wanted == kPortForEachTask)
    for (const StepShare& share : step.shares) count = std::max(count, share.tasks);
  std::uint32_t first = config_.mpi_port_first, last = config_.mpi_port_last;
  if (first == 0) return {};  // MpiParams has none, so nobody expects any
  if (count > last - first + 1)
    return fail(kTooManyPorts, "Requires more ports than can be reserved");
  std::set<NodeId> nodes;
  for (const StepShare& share : step.shares) nodes.insert(share.node);
  std::set<std::uint32_t> taken;
  auto note = [&](const Step& other) {
    bool near = other.ports > 0 && std::ranges::any_of(other.shares, [&](const StepShare& share) {
                  return nodes.contains(share.node);
                });
    for (std::uint32_t i = 0; near && i < other.ports; ++i) taken.insert(other.first_port + i);
  };
  for (NodeId node : nodes)
    for (JobId job : indexes_.on_node(node))
      for (const Step& other : *state_.jobs.at(job.value).steps) note(other);
  std::uint32_t run = 0;
  for (std::uint32_t port = first; port <= last; ++port) {
    run = taken.contains(port) ? 0 : run + 1;
    if (run < count) continue;
    step.first_port = static_cast<std::uint16_t>(port - count + 1);
    step.ports = static_cast<std::uint16_t>(count);
    return {};
  }
  return refuse(Errc::PortsBusy);
}

}  // namespace ym
