// SPDX-License-Identifier: Apache-2.0
// What runs around jobs here: the orders of prologs, epilogs and extern steps.
#include "os/programs.h"

#include <sys/socket.h>
#include <unistd.h>

#include "daemon/launch/programs.h"
#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

agent::Around NodeDaemon::around() const {
  const ClusterConfig& config = loaded_.config;
  return {.prolog = !config.prolog.empty(),
          .epilog = !config.epilog.empty(),
          .contain = config.prolog_flags.contain,
          .serial = config.prolog_flags.serial,
          .run_in_job = config.prolog_flags.run_in_job};
}

bool NodeDaemon::ask_own_state() {
  if (!link_ || !link_->is_up()) return false;
  auto sent = link_->send({.type = wire::message_number<QueryNodes>, .correlation = 1},
                          wire::encode(QueryNodes{.nodes = node_.name}));
  return sent == SendResult::Sent;
}

bool NodeDaemon::wants_job_facts() const {
  return !loaded_.config.prolog.empty() || loaded_.config.prolog_flags.contain;
}

Result<ShepherdOrder> NodeDaemon::around_order(const agent::Persist& effect) const {
  const ClusterConfig& config = loaded_.config;
  JobFacts facts;
  if (effect.batch) facts = job_facts(*effect.batch);
  if (effect.kill) facts = job_facts(*effect.kill);
  if (effect.sake) facts = pending_.at({effect.sluid, *effect.sake}).facts.value_or(JobFacts{});
  facts.sluid = effect.sluid;
  ProgramPlace place{.node = node_.name,
                     .configuration = loaded_.path,
                     .boot_id = boot_id_,
                     .uid = ::geteuid(),
                     .gid = ::getegid()};
  if (effect.step == kExternStep) {
    ShepherdOrder order = extern_order(facts, place);
    order.cgroup = config.cgroup;
    set_gres(order, {.job = facts.gres, .mine = facts.gres}, gres_);
    return order;
  }
  bool prolog = effect.step == kPrologStep;
  auto programs = programs_for(prolog ? config.prolog : config.epilog, loaded_.path);
  if (!programs) return std::unexpected(programs.error());
  ShepherdOrder order = program_order(effect.step, facts, place, *programs);
  order.time_limit = prolog ? config.prolog_timeout : config.epilog_timeout;
  if (!facts.gres.empty()) set_gres(order, {.job = facts.gres, .mine = facts.gres}, gres_);
  order.in_extern = prolog && config.prolog_flags.run_in_job;
  if (order.in_extern) order.cgroup = config.cgroup;
  return order;
}

void NodeDaemon::obey(agent::Refuse& effect) {
  log_.error("step {} is not launched: {}", step_name(effect.step),
             effect.error.empty() ? "the job is being ended" : effect.error);
  if (auto wrote = spool_.write_result(effect.sluid, effect.step,
                                       {.exit = effect.exit, .error = effect.error});
      !wrote) {
    log_.error("{}", wrote.error().text);
  }
  auto pending = pending_.find({effect.sluid, effect.step});
  if (pending == pending_.end()) return;
  refuse_step(std::move(pending->second), effect.error);
  pending_.erase(pending);
}

}  // namespace ym
