// SPDX-License-Identifier: Apache-2.0
// One run of the whole cluster under virtual time, network and disk, all chance from one seed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ym::sim {

// Mistakes that the simulator's own composition makes on purpose, so that tests can see whether
// the checkers notice. The shipped rooms know nothing of them.
enum class Bug : std::uint8_t {
  None,
  AckBeforeSync,   // replies and orders leave before the group commit
  ForgetRelease,   // a node's word that it is clean is lost for good
  LaunchTwice,     // a repeated launch order starts a second process
  LoseTail,        // recovery drops the last durable record
  SkipDependency,  // what a job waits for is lost on the way in
  CleanTooEarly,   // a node calls itself clean while the job's processes are alive
};
std::optional<Bug> bug_named(std::string_view name);
std::string_view name_of(Bug bug);
inline constexpr Bug kBugs[] = {Bug::AckBeforeSync, Bug::ForgetRelease,  Bug::LaunchTwice,
                                Bug::LoseTail,      Bug::SkipDependency, Bug::CleanTooEarly};

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t steps_max = 0;  // of the time with faults; 0: as the seed says
  Bug bug = Bug::None;
  bool trace = false;  // every line of the trail to stderr
};

struct RunResult {
  std::string failure;  // empty: every checker is content
  std::uint64_t events = 0, steps = 0, hash = 0;
  std::uint64_t jobs = 0, controller_crashes = 0, node_crashes = 0, processes = 0;
  std::vector<std::string> trail;  // the last things that happened
};

RunResult run(const RunOptions& options);

}  // namespace ym::sim
