// SPDX-License-Identifier: Apache-2.0
#include "daemon/driver/core.h"

#include <algorithm>

#include "model/errc.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// Could the event let a pending job start that could not before?
bool may_start_something(const Event& event) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body))
    return !submitted->holds.user && !submitted->holds.admin;
  return std::holds_alternative<JobNodeReleased>(event.body) ||
         std::holds_alternative<JobUpdated>(event.body) ||
         std::holds_alternative<JobRequeued>(event.body) ||
         std::holds_alternative<JobSuspended>(event.body) ||
         // Whoever takes turns with it knows now when it is over.
         std::holds_alternative<JobResumed>(event.body) ||
         std::holds_alternative<JobFinished>(event.body) ||
         std::holds_alternative<NodeRegistered>(event.body) ||
         std::holds_alternative<NodeResponded>(event.body) ||
         std::holds_alternative<NodeStateChanged>(event.body) ||
         std::holds_alternative<NodeRebootChanged>(event.body) ||
         std::holds_alternative<NodePowerChanged>(event.body) ||
         std::holds_alternative<NodesDefined>(event.body) ||
         std::holds_alternative<NodeNoted>(event.body) ||
         std::holds_alternative<PartitionDefined>(event.body) ||
         std::holds_alternative<ReservationDefined>(event.body) ||
         std::holds_alternative<ReservationRemoved>(event.body) ||
         std::holds_alternative<LicensesDefined>(event.body) ||
         std::holds_alternative<JobMemoryLowered>(event.body) ||
         std::holds_alternative<AllocationChanged>(event.body);
}

}  // namespace

Status Core::begin(const ClusterConfig& config, Instant now, std::size_t place) {
  if (Status ok = controller_.configure(config, now, out_); !ok) return ok;
  controller_.begin_watch(now, out_, place);
  replan_ = true;
  return {};
}

void Core::handle(const Input& input, Instant now) {
  if (const auto* request = std::get_if<Request>(&input)) return handle(*request, now);
  if (const auto* gone = std::get_if<NodeDisconnected>(&input)) {
    if (const Node* node = state().find_node(gone->node)) controller_.disconnected(node->id, now);
    return;
  }
  if (const auto* present = std::get_if<OwnerPresent>(&input))
    return controller_.owner_present(present->job);
  if (const auto* gone = std::get_if<OwnerGone>(&input))
    return controller_.owner_gone(gone->job, now);
  if (const auto* moved = std::get_if<ClockMoved>(&input))
    return controller_.clock_moved(moved->by);
  if (!log_trouble_.empty()) return;
  if (const auto* node = std::get_if<NodeSpoke>(&input)) {
    // An unknown node was refused when it connected; one that was just removed is not missed.
    static_cast<void>(controller_.report(node->report, now, out_));
  } else if (const auto* planned = std::get_if<Planned>(&input)) {
    controller_.commit(planned->plan, now, out_);
    replan_ = replan_ || planned->plan.cut_short;
  } else if (const auto* ended = std::get_if<ProgramEnded>(&input)) {
    if (ended->epilog)
      controller_.epilog_ended(ended->job, ended->sluid, now, out_);
    else
      controller_.program_ended(ended->job, ended->sluid, ended->error, now, out_);
  } else {
    controller_.tick(now, out_);
  }
}

void Core::handle(const Request& request, Instant now) {
  if (!log_trouble_.empty()) {
    Error error = refuse(Errc::StoreFailed, log_trouble_).error();
    refusals_.push_back({request.id, Failure{.code = error.code, .text = error.text}});
    return;
  }
  if (request.key != 0 && answer_again(request)) return;
  std::size_t before = out_.replies.size();
  decide(request, now);
  if (request.key != 0) remember(request, before, now);
}

// What was done before is not done again.
bool Core::answer_again(const Request& request) {
  const RequestAnswered* known = controller_.answered(request.caller.uid, request.key);
  if (!known) return false;
  auto read = [&]<class T>(std::type_identity<T>) {
    if (known->type != wire::message_number<T>) return false;
    auto answer = wire::decode<T>(known->answer);
    if (!answer) return false;
    out_.replies.push_back({request.id, std::move(*answer)});
    return true;
  };
  return read(std::type_identity<Done>()) || read(std::type_identity<AlterAnswer>()) ||
         read(std::type_identity<TriggerAdded>()) || read(std::type_identity<CrontabUpdated>());
}

// A refusal has changed nothing: who asks again is judged again.
void Core::remember(const Request& request, std::size_t replies_before, Instant now) {
  if (out_.replies.size() != replies_before + 1) return;
  std::visit(
      [&]<class T>(const T& answer) {
        if constexpr (std::is_same_v<T, Done> || std::is_same_v<T, AlterAnswer> ||
                      std::is_same_v<T, TriggerAdded> || std::is_same_v<T, CrontabUpdated>)
          controller_.remember({.by = request.caller.uid,
                                .key = request.key,
                                .type = wire::message_number<T>,
                                .answer = wire::encode(answer)},
                               now, out_);
      },
      out_.replies.back().answer);
}

void Core::decide(const Request& request, Instant now) {
  std::visit(
      [&]<class C>(const C& command) {
        if constexpr (std::is_same_v<C, SubmitJob>)
          controller_.submit(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, AlterJobs>)
          controller_.alter(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, CreateStep>)
          controller_.create_step(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, CreateHetStep>)
          controller_.create_het_step(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, UpdateNodes>)
          controller_.update_nodes(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, RebootNodes>)
          controller_.reboot_nodes(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, UpdateReservation>)
          controller_.update_reservation(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, SetTrigger>)
          controller_.set_trigger(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, ClearTriggers>)
          controller_.clear_triggers(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, UpdateCrontab>)
          controller_.update_crontab(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, UpdateStep>)
          controller_.update_step(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, CreateNodes>)
          controller_.create_nodes(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, DeleteNodes>)
          controller_.delete_nodes(request.id, command, request.caller, now, out_);
        else if constexpr (std::is_same_v<C, UpdatePartition>)
          controller_.update_partition(request.id, command, request.caller, now, out_);
        else {
          Status done = controller_.configure(command.config, now, out_);
          Answer answer = Done{};
          if (!done) answer = Failure{.code = done.error().code, .text = done.error().text};
          out_.replies.push_back({request.id, std::move(answer)});
          replan_ = true;
        }
      },
      request.command);
}

Batch Core::take_batch() {
  Batch batch;
  batch.events = std::move(out_.events);
  batch.replies = std::move(out_.replies);
  batch.orders = std::move(out_.orders);
  batch.programs = std::move(out_.programs);
  batch.side_programs = std::move(out_.side_programs);
  batch.records.reserve(batch.events.size());
  for (const Event& event : batch.events) batch.records.push_back(wire::encode(event));
  batch.state = state();
  batch.something_to_plan = replan_ || std::ranges::any_of(batch.events, may_start_something);
  out_ = {};
  replan_ = false;
  return batch;
}

}  // namespace ym
