// SPDX-License-Identifier: Apache-2.0
// Triggers and crontabs, and their events. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/event.h"
#include "wire/traits.h"

namespace ym::wire {

template <>
inline constexpr std::uint32_t variant_number<TriggerSet> = 73;
template <>
inline constexpr std::uint32_t variant_number<TriggerCleared> = 74;
template <>
inline constexpr std::uint32_t variant_number<CrontabSet> = 75;

template <class F>
void fields(F&& f, const Trigger*) {
  f(1, "id", &Trigger::id);
  f(2, "uid", &Trigger::uid);
  f(3, "gid", &Trigger::gid);
  f(4, "user_name", &Trigger::user_name);
  f(5, "event", &Trigger::event);
  f(6, "job", &Trigger::job);
  f(7, "nodes", &Trigger::nodes);
  f(8, "offset_s", &Trigger::offset_s);
  f(9, "permanent", &Trigger::permanent);
  f(10, "program", &Trigger::program);
  f(11, "set", &Trigger::set);
}
template <class F>
void fields(F&& f, const TriggerSet*) {
  f(1, "trigger", &TriggerSet::trigger);
}
template <class F>
void fields(F&& f, const TriggerCleared*) {
  f(1, "trigger", &TriggerCleared::trigger);
  f(2, "pulled", &TriggerCleared::pulled);
}
template <class F>
void fields(F&& f, const Crontab*) {
  f(1, "uid", &Crontab::uid);
  f(2, "user_name", &Crontab::user_name);
  f(3, "text", &Crontab::text);
  f(4, "jobs", &Crontab::jobs);
}
template <class F>
void fields(F&& f, const CrontabSet*) {
  f(1, "crontab", &CrontabSet::crontab);
}

}  // namespace ym::wire
