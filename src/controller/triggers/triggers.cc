// SPDX-License-Identifier: Apache-2.0
// Triggers: set, taken back, and pulled when what they wait for has happened.
#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

// Of all users together.
constexpr std::size_t kTriggersMax = 10'000;
constexpr std::size_t kProgramMax = 4096;

bool of_job(TriggerEvent event) {
  return event == TriggerEvent::JobTime || event == TriggerEvent::JobFini;
}

bool same(const Trigger& a, const Trigger& b) {
  return a.uid == b.uid && a.event == b.event && a.job == b.job && a.nodes == b.nodes &&
         a.offset_s == b.offset_s && a.program == b.program;
}

}  // namespace

// Whoever may alter a job may wait for it; the rest is the administrators' business.
void Controller::set_trigger(RequestId request, const SetTrigger& set, const Caller& caller,
                             Instant now, Outbox& out) {
  auto deny = [&](Errc code, std::string_view detail = {}) {
    refuse_request(request, refuse(code, detail).error(), out);
  };
  Trigger trigger = set.trigger;
  trigger.uid = caller.uid;
  trigger.gid = caller.gid;
  trigger.user_name = caller.user_name;
  trigger.set = now;
  if (of_job(trigger.event)) {
    const Job* job = state_.find(trigger.job);
    if (!job) return deny(Errc::InvalidJobId);
    if (!may_alter(*job, caller)) return deny(Errc::AccessDenied);
    if (is_terminal(job->state)) return deny(Errc::AlreadyDone);
  } else if (!caller.administrator) {
    return deny(Errc::AccessDenied);
  }
  if (trigger.program.empty() || trigger.program.size() > kProgramMax)
    return deny(Errc::BadMessage, "a trigger's program");
  if (auto hosts = Hostlist::parse(trigger.nodes); !hosts) return deny(Errc::InvalidNodeName);
  bool known = false;
  state_.triggers.for_each(
      [&](std::uint64_t, const Trigger& other) { known = known || same(other, trigger); });
  if (known) return deny(Errc::TriggerDup);
  if (state_.triggers.size() >= kTriggersMax) return deny(Errc::QueueFull);
  trigger.id = TriggerId{state_.next_trigger_id};
  emit(TriggerSet{trigger}, now, out);
  answer(request, TriggerAdded{trigger.id}, out);
}

void Controller::clear_triggers(RequestId request, const ClearTriggers& clear, const Caller& caller,
                                Instant now, Outbox& out) {
  std::vector<TriggerId> chosen;
  bool denied = false;
  state_.triggers.for_each([&](std::uint64_t, const Trigger& one) {
    if (clear.trigger && clear.trigger != one.id) return;
    if (clear.job && clear.job != one.job) return;
    if (!clear.user.empty() && clear.user != one.user_name &&
        parse_unsigned<std::uint32_t>(clear.user) != one.uid.value)
      return;
    bool own = caller.administrator || caller.uid == one.uid;
    denied = denied || !own;
    if (own) chosen.push_back(one.id);
  });
  if (chosen.empty())
    return refuse_request(request,
                          refuse(denied ? Errc::AccessDenied : Errc::InvalidTrigger).error(), out);
  for (TriggerId id : chosen) emit(TriggerCleared{.trigger = id}, now, out);
  answer(request, Done{}, out);
}

}  // namespace ym
