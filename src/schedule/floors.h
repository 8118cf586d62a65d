// SPDX-License-Identifier: Apache-2.0
// What a pass has learnt about "when?": whoever asks for no less than somebody who could not start
// before a time, cannot start before it either. So the search for the earliest start of one request
// goes on where that of a smaller one ended, and most of a queue never looks at the next hours.
//
// Holds as long as nothing is given back: a pass only takes.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "base/time.h"
#include "model/job.h"

namespace ym {

class Floors {
 public:
  // The request's earliest start is no earlier; unset if nothing is known. O(what was noted).
  // REQUIRES: `kind` is kind_of(spec) of shape.h, and not 0.
  Instant of(std::uint64_t kind, const JobSpec& spec) const;
  // It could not start before.
  void note(std::uint64_t kind, const JobSpec& spec, Instant start);
  // Something was given back.
  void clear() { noted_.clear(); }

 private:
  // What more of never makes a start earlier.
  struct Size {
    std::uint32_t nodes, tasks, length_s;
    std::uint64_t memory_per_node_mb, memory_per_cpu_mb;
    explicit Size(const JobSpec& spec);
    bool is_within(const Size& other) const;
  };
  struct Noted {
    Size size;
    Instant start;
  };
  std::map<std::uint64_t, std::vector<Noted>> noted_;  // by kind
};

}  // namespace ym
