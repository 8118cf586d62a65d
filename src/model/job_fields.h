// SPDX-License-Identifier: Apache-2.0
// A job with only the fields that a question is about (JobField).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/ref.h"
#include "model/job_messages.h"

namespace ym {

constexpr bool has(std::uint64_t fields, JobField field) { return (fields & bit(field)) != 0; }

// The same spec, or record, with everything else left at its default. A record keeps no spec and no
// allocation: they travel apart.
JobSpec only(std::uint64_t fields, const JobSpec& spec);
Job only(std::uint64_t fields, const Job& job);

// Bytes that are equal if and only if only(fields, spec) is.
void append_key(std::string& out, std::uint64_t fields, const JobSpec& spec);

// Gives specs their places: each is sent once, as long as it is remembered. O(1) for each job.
class SpecPlaces {
 public:
  // So many rows stand in a frame at most: what its first row names must be there when its last
  // spec has been added.
  static constexpr std::uint32_t kRowsInFrame = 1024;

  SpecPlaces();
  struct Place {
    std::uint32_t number = 0;
    bool fresh = false;  // the reader does not have it
  };
  Place find(std::uint64_t fields, const JobSpec& spec);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  // 0: empty
  };
  void put(std::uint64_t hash, std::uint32_t number);
  void clean();

  std::string key_;                // of the last spec; kept for its memory
  std::vector<std::string> keys_;  // by number, the last kSpecPlaces
  std::vector<Slot> slots_;        // open addressing; a number that is too old is as good as empty
  std::size_t filled_ = 0;
  std::uint32_t last_ = 0;
};

// The reader's side: puts the specs of an answer's frames where its rows name them.
class SpecShelf {
 public:
  // False if a row names a spec that never came.
  bool resolve(JobRows& rows);
  void clear() { *this = {}; }

 private:
  std::vector<Ref<JobSpec>> specs_;
  std::uint32_t count_ = 0;
};

}  // namespace ym
