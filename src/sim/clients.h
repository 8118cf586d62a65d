// SPDX-License-Identifier: Apache-2.0
// People and their scripts: they submit, cancel, hold, change and watch, and remember what they
// were told. An answer that never came leaves them in doubt, and then nothing is expected.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "daemon/driver/core.h"
#include "sim/ledger.h"
#include "sim/run.h"
#include "sim/timeline.h"

namespace ym::sim {

class Clients {
 public:
  using Callback = std::function<void(const Answer*)>;  // null: no answer came
  struct Setting {
    Timeline& time;
    Prng& prng;
    Ledger& ledger;
    Bug bug = Bug::None;
    std::function<void(const Command&, const Caller&, Callback)> ask;
    std::function<void(const Input&)> tell;  // what needs no answer
    std::function<void(const StepCreated&, JobId)> launch_step;
    std::vector<std::string> nodes;
    std::uint32_t cpus_max = 1;
  };
  explicit Clients(Setting setting) : in_(std::move(setting)) {}

  void do_something();
  // The end of the troubles: nodes come back, partitions open, held jobs are let go.
  void tidy_up();

 private:
  struct Known {
    JobId job;
    bool array = false, batch = true, het = false;
    bool asking = false;  // an answer about a hold is awaited
    bool alone = false;   // interactive: its client went away
  };
  SubmitJob random_submission();
  void add_components(SubmitJob& submit);
  void submit();
  void cancel();
  void hold_or_release();
  void requeue();
  void update();
  void create_step();
  void administrate();
  void attend(std::size_t index, Duration left);
  Known* any_job();
  void alter(const AlterJobs& alter, const Caller& caller, Callback done = {});

  Setting in_;
  std::vector<Known> jobs_;
};

}  // namespace ym::sim
