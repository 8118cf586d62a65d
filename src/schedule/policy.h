// SPDX-License-Identifier: Apache-2.0
// Policies: in which order the queue is served, and what those who have to wait are promised.
//
// A policy is a constant value made of pure functions, one file each in policies/. The planner asks
// it for scores of the heads of lines only (queue.h): within a line, jobs ask for the same thing
// with the same priority, and the earlier goes first. So a score may depend on anything that is
// equal within a line, on the time of submission as long as earlier is never worse, and on the
// figures of the moment.
//
// Order of the queue: the partition's tier, then the site's priority (queue.h), then the policy's
// score, then the time of submission, then the number.
#pragma once
#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace ym {

// The larger goes first: by `rank`, then by the fraction over / under, exactly.
struct Score {
  std::int64_t rank = 0;
  std::int64_t over = 0, under = 1;  // under > 0

  bool operator==(const Score& other) const { return (*this <=> other) == 0; }
  std::strong_ordering operator<=>(const Score& other) const;
};

// What a policy may know of a job that waits.
struct Waiting {
  JobId job;
  Instant submit, eligible;
  std::int64_t limit_s = 0;  // its time limit; a year if it has none
  std::int64_t cpus = 1;     // all of its tasks'
  std::int64_t nodes = 1;    // at least
};

// The cluster's figures when a pass begins.
struct Figures {
  Instant now;
  std::int64_t cpus = 1;     // of all usable nodes
  std::int64_t waiting = 0;  // jobs that could start if there were room
};

// A look at the whole: the first jobs that wait, and what comes back when. Processors are counted;
// which nodes they are on does not show.
struct Scene {
  std::int64_t cpus = 1, free = 0;  // of all usable nodes, and now
  // How long all nodes are expected to work on what waits, and the longest that this has been.
  double queue_s = 0, longest_queue_s = 0;
  double accuracy = 1;  // the part of their limits that jobs really take
  // The largest slowdown first; some of the oldest are among them.
  struct Candidate {
    std::int64_t waited_s = 0, limit_s = 1, cpus = 1;
    JobId job;
    double expected_s = 1;       // how long it is expected to run, up to limit_s
    std::int64_t last_rank = 0;  // in the arrangement before this one, the higher first; 0: new
  };
  std::vector<Candidate> candidates;
  struct Release {
    std::int64_t in_s = 0, cpus = 0;
  };
  std::vector<Release> releases;  // ascending
  int forecasts_max = 128;        // that may be made, beside those of a few well-known orders
};
inline constexpr std::size_t kSceneMax = 128;  // candidates
// Places of candidates in the order in which they should be served.
using Arrange = std::vector<std::size_t> (*)(const Scene&);

using ScoreOf = Score (*)(const Waiting&, const Figures&);
using IsPromised = bool (*)(const Waiting&, const Figures&);

inline constexpr std::size_t kEveryJob = static_cast<std::size_t>(-1);

struct Policy {
  std::string_view name;
  std::string_view summary;  // for people, one line
  // Order of the queue; null: as priority and submission say.
  ScoreOf order = nullptr;
  // A better order of the first of them, made anew in each pass; null: none.
  Arrange arrange = nullptr;
  // Order of those that may pass promised ones, once all promises are given; null: the queue's.
  ScoreOf passing_order = nullptr;
  // So many blocked jobs of each partition are promised a start that nobody behind them may delay.
  std::size_t promises = 1;
  // And these beyond that number; null: none.
  IsPromised promised = nullptr;
  // Nobody passes a blocked job of the same partition.
  bool nobody_passes = false;
  // A promise once given only moves forward, as long as what was promised is there (pass_keep.cc).
  // Without it, promises are made anew in each pass.
  bool keeps_promises = false;
};

// All there are, in the order of their names. The default is the one that `default_policy` names.
std::span<const Policy* const> policies();
// Null if there is none of that name.
const Policy* find_policy(std::string_view name);
const Policy& default_policy();

// One file each in policies/.
extern const Policy kFcfs, kEasy, kEasySjbf, kConservative, kLargestSlowdownFirst, kBackfill,
    kBestForecast;

}  // namespace ym
