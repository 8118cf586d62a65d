// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/programs.h"

#include "base/format.h"
#include "daemon/launch/programs.h"
#include "os/child.h"
#include "os/programs.h"

namespace ym {

Programs::Programs(std::string config_path, Log& log, OnEnd on_end)
    : config_path_(std::move(config_path)), log_(log), on_end_(std::move(on_end)) {}

Programs::~Programs() { stop(); }

void Programs::run(ControllerProgram program, const ClusterConfig& config) {
  bool epilog = program.epilog;
  queue_.push({.program = std::move(program),
               .pattern = epilog ? config.controller_epilog : config.controller_prolog,
               .limit = epilog ? config.epilog_timeout : config.prolog_timeout});
  std::lock_guard lock(mutex_);
  if (threads_.size() < kAtOnce) threads_.emplace_back([this] { work(); });
}

void Programs::stop() {
  queue_.close();
  std::lock_guard lock(mutex_);
  threads_.clear();
}

void Programs::work() {
  while (!queue_.closed()) {
    for (const Work& one : queue_.take(1, std::chrono::hours(1))) {
      bool abandoned = false;
      std::string error = run_all(one, abandoned);
      if (abandoned) return;
      if (!error.empty())
        log_.error("{} of job {} failed: {}",
                   one.program.epilog ? "EpilogSlurmctld" : "PrologSlurmctld",
                   one.program.job.value, error);
      on_end_(one.program, error);
    }
  }
}

// One after the other until one fails. What went wrong, or nothing.
std::string Programs::run_all(const Work& work, bool& abandoned) const {
  JobFacts facts = job_facts(work.program.facts);
  facts.exit = work.program.exit;
  auto programs = programs_for(work.pattern, config_path_);
  if (!programs) return programs.error().text;
  for (const std::string& program : *programs) {
    auto pid = start_child(
        {program},
        program_environment(facts, work.program.epilog ? "epilog_slurmctld" : "prolog_slurmctld",
                            config_path_, {}));
    if (!pid) return pid.error().text;
    ChildEnd end = wait_for_child(*pid, work.limit, [this] { return queue_.closed(); });
    abandoned = end.abandoned;
    if (abandoned) return {};
    if (!end.error.empty()) return fmt::format("{}: {}", program, end.error);
  }
  return {};
}

}  // namespace ym
