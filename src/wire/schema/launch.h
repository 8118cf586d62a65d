// SPDX-License-Identifier: Apache-2.0
// How processes are started, and what they have used.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/launch.h"
#include "model/usage.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const ResourceLimit*) {
  f(1, "kind", &ResourceLimit::kind);
  f(2, "soft", &ResourceLimit::soft);
  f(3, "hard", &ResourceLimit::hard);
  f(4, "required", &ResourceLimit::required);
}

template <class F>
void fields(F&& f, const BindingWish*) {
  f(1, "cpu_bind", &BindingWish::cpu_bind);
  f(2, "mem_bind", &BindingWish::mem_bind);
  f(3, "distribution", &BindingWish::distribution);
  f(4, "hint", &BindingWish::hint);
  f(5, "threads_per_core", &BindingWish::threads_per_core);
  f(6, "tasks_per_socket", &BindingWish::tasks_per_socket);
  f(7, "tasks_per_core", &BindingWish::tasks_per_core);
}

template <class F>
void fields(F&& f, const Usage*) {
  f(1, "user_ms", &Usage::user_ms);
  f(2, "system_ms", &Usage::system_ms);
  f(3, "rss_kb", &Usage::rss_kb);
  f(4, "max_rss_kb", &Usage::max_rss_kb);
  f(5, "vm_kb", &Usage::vm_kb);
  f(6, "max_vm_kb", &Usage::max_vm_kb);
  f(7, "major_faults", &Usage::major_faults);
  f(8, "read_bytes", &Usage::read_bytes);
  f(9, "write_bytes", &Usage::write_bytes);
}
template <class F>
void fields(F&& f, const TaskUsage*) {
  f(1, "rank", &TaskUsage::rank);
  f(2, "pid", &TaskUsage::pid);
  f(3, "usage", &TaskUsage::usage);
}
template <class F>
void fields(F&& f, const Extreme*) {
  f(1, "value", &Extreme::value);
  f(2, "task", &Extreme::task);
  f(3, "node", &Extreme::node);
}
template <class F>
void fields(F&& f, const StepUsage*) {
  f(1, "tasks", &StepUsage::tasks);
  f(2, "total", &StepUsage::total);
  f(3, "max_rss_kb", &StepUsage::max_rss_kb);
  f(4, "max_vm_kb", &StepUsage::max_vm_kb);
  f(5, "max_faults", &StepUsage::max_faults);
  f(6, "max_read", &StepUsage::max_read);
  f(7, "max_write", &StepUsage::max_write);
  f(8, "min_cpu_ms", &StepUsage::min_cpu_ms);
}

}  // namespace ym::wire
