// SPDX-License-Identifier: Apache-2.0
// Reads a journal while somebody else writes it, and changes nothing: a standby's.
//
// The last group in a file may not be durable yet, and may never count if its writer has lost the
// lead meanwhile. So a group is held back until a later one proves that it counted: a leader writes
// nothing more before it knows that the group before was its to commit (log_home.h, 2). What has
// been given is never taken back.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "store/disk.h"
#include "store/log_home.h"
#include "store/segment.h"

namespace ym {

class JournalFollower final : public LogFollower {
 public:
  JournalFollower(Disk& disk, std::string dir, std::uint64_t cluster_id)
      : disk_(disk), dir_(std::move(dir)), cluster_id_(cluster_id) {}

  Result<bool> poll(const Replay& replay) override;
  // The next record that has not been given.
  std::uint64_t next_seq() const { return next_; }

 private:
  struct Known {
    std::uint64_t first_seq = 0;
  };

  Status begin(const Replay& replay);
  Status list_segments();
  // The segment in which record `seq` counts: the last that begins at or before it.
  std::uint64_t segment_of(std::uint64_t seq) const;
  std::uint64_t end_of(std::uint64_t index) const;
  Result<bool> read_on(const Replay& replay);
  Status give_held(std::uint64_t before, const Replay& replay);

  Disk& disk_;
  const std::string dir_;
  const std::uint64_t cluster_id_;
  bool begun_ = false;
  std::map<std::uint64_t, Known> segments_;  // by index; those whose header could be read
  std::uint64_t next_ = 1;                   // to be given

  // Where we read: records next_ … read_seq_-1 are held, from this segment.
  std::uint64_t index_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t read_seq_ = 1;
  std::map<std::uint64_t, std::string> held_;
};

}  // namespace ym
