// SPDX-License-Identifier: Apache-2.0
// History, triggers and crontabs. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/crontab.h"
#include "model/history.h"
#include "model/trigger.h"
#include "wire/schema/job_messages.h"
#include "wire/schema/step_messages.h"
#include "wire/schema/step_queries.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const QueryHistory*) {
  f(1, "filter", &QueryHistory::filter);
  f(2, "since", &QueryHistory::since);
  f(3, "until", &QueryHistory::until);
  f(4, "steps", &QueryHistory::steps);
}
template <class F>
void fields(F&& f, const HistoryRow*) {
  f(1, "job", &HistoryRow::job);
  f(2, "steps", &HistoryRow::steps);
}
template <class F>
void fields(F&& f, const HistoryRows*) {
  f(1, "rows", &HistoryRows::rows);
}
template <class F>
void fields(F&& f, const SetTrigger*) {
  f(1, "trigger", &SetTrigger::trigger);
}
template <class F>
void fields(F&& f, const TriggerAdded*) {
  f(1, "trigger", &TriggerAdded::trigger);
}
template <class F>
void fields(F&& f, const ClearTriggers*) {
  f(1, "trigger", &ClearTriggers::trigger);
  f(2, "job", &ClearTriggers::job);
  f(3, "user", &ClearTriggers::user);
}
template <class F>
void fields(F&& f, const QueryTriggers*) {
  f(1, "trigger", &QueryTriggers::trigger);
  f(2, "job", &QueryTriggers::job);
  f(3, "user", &QueryTriggers::user);
}
template <class F>
void fields(F&& f, const TriggerRows*) {
  f(1, "rows", &TriggerRows::rows);
}
template <class F>
void fields(F&& f, const UpdateCrontab*) {
  f(1, "user", &UpdateCrontab::user);
  f(2, "text", &UpdateCrontab::text);
  f(3, "jobs", &UpdateCrontab::jobs);
  f(4, "lines", &UpdateCrontab::lines);
}
template <class F>
void fields(F&& f, const CrontabUpdated*) {
  f(1, "jobs", &CrontabUpdated::jobs);
  f(2, "failed_line", &CrontabUpdated::failed_line);
  f(3, "warning", &CrontabUpdated::warning);
}
template <class F>
void fields(F&& f, const GetCrontab*) {
  f(1, "user", &GetCrontab::user);
}

}  // namespace ym::wire
