// SPDX-License-Identifier: Apache-2.0
// The fields of steps: see model.h about the numbers.
#pragma once
#include "model/step.h"
#include "wire/schema/gres.h"
#include "wire/schema/launch.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const ExitStatus*) {
  f(1, "code", &ExitStatus::code);
  f(2, "signal", &ExitStatus::signal);
}

template <class F>
void fields(F&& f, const StepShare*) {
  f(1, "node", &StepShare::node);
  f(2, "first_task", &StepShare::first_task);
  f(3, "tasks", &StepShare::tasks);
  f(4, "cpus", &StepShare::cpus);
  f(5, "memory_mb", &StepShare::memory_mb);
  f(6, "ranks", &StepShare::ranks);
}

template <class F>
void fields(F&& f, const StepTexts*) {
  f(1, "submit_line", &StepTexts::submit_line);
  f(2, "std_in", &StepTexts::std_in);
  f(3, "std_out", &StepTexts::std_out);
  f(4, "std_err", &StepTexts::std_err);
  f(5, "cpu_freq", &StepTexts::cpu_freq);
  f(6, "container_id", &StepTexts::container_id);
  f(7, "network", &StepTexts::network);
  f(8, "distribution", &StepTexts::distribution);
  f(9, "host", &StepTexts::host);
  f(10, "pid", &StepTexts::pid);
  f(11, "gres", &StepTexts::gres);
}
template <class F>
void fields(F&& f, const Step*) {
  f(1, "id", &Step::id);
  f(2, "name", &Step::name);
  f(3, "tasks", &Step::tasks);
  f(4, "cpus_per_task", &Step::cpus_per_task);
  f(5, "overlap", &Step::overlap);
  f(6, "made_by_job", &Step::made_by_job);
  f(7, "shares", &Step::shares);
  f(8, "nodes_left", &Step::nodes_left);
  f(9, "start", &Step::start);
  f(10, "worst", &Step::worst);
  f(11, "limit_end", &Step::limit_end);
  f(12, "key", &Step::key);
  f(13, "usage", &Step::usage);
  f(14, "out_of_memory", &Step::out_of_memory);
  f(15, "no_kill", &Step::no_kill);
  f(20, "gres", &Step::gres);
  f(21, "first_port", &Step::first_port);
  f(22, "ports", &Step::ports);
  f(23, "container", &Step::container);
  f(24, "texts", &Step::texts);
}

}  // namespace ym::wire
