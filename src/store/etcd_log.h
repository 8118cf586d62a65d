// SPDX-License-Identifier: Apache-2.0
// The log in etcd: its leader's side and a follower's. etcd_home.h has the keys.
//
// A group that was sent and not answered may be there or not. It is sent again as it was, until it
// is answered; what was appended meanwhile is the next group. So a key never changes its value.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "store/etcd_home.h"
#include "store/log_home.h"

namespace ym {

class EtcdLog final : public ReplicatedLog {
 public:
  static Result<std::unique_ptr<EtcdLog>> open(EtcdHome& home, const JournalOptions& options,
                                               const Replay& replay, Recovered& found);

  std::uint64_t durable_seq() const override { return durable_; }
  std::uint64_t next_seq() const override { return next_; }
  std::uint64_t oldest_seq() const override { return oldest_; }
  const std::optional<Error>& failure() const override { return failure_; }
  Result<std::uint64_t> append(std::span<const std::string_view> payloads) override;
  Status commit() override;
  Status confirm() override { return home_.confirm(etcd_); }
  void prepare() override {}
  Result<std::uint64_t> read_from(std::uint64_t seq, std::uint64_t bytes_max,
                                  const FeedFn& fn) override;
  Result<std::size_t> prune(std::uint64_t keep_from) override;
  Status write_snapshot(std::uint64_t seq, const Produce& produce) override;

 private:
  EtcdLog(EtcdHome& home, const JournalOptions& options)
      : home_(home), etcd_(home.connect()), options_(options) {}
  struct Group {
    std::uint64_t first = 0, next = 0;
    std::string bytes;
  };
  Status send(const Group& group);

  EtcdHome& home_;
  Etcd etcd_;
  const JournalOptions options_;
  std::uint64_t durable_ = 0, next_ = 1, oldest_ = 1;
  Group sending_;  // asked for, not answered; empty: nothing is
  Group waiting_;
  std::optional<Error> failure_;
  bool fenced_ = false;
};

class EtcdFollower final : public LogFollower {
 public:
  explicit EtcdFollower(const EtcdHome& home) : home_(home), etcd_(home.connect()) {}
  // Goes on behind record `seq`, without a snapshot.
  void begin_after(std::uint64_t seq) {
    begun_ = true;
    next_ = seq + 1;
  }

  Result<bool> poll(const Replay& replay) override;
  std::uint64_t next_seq() const { return next_; }
  std::uint64_t snapshot_seq() const { return snapshot_; }
  // The first key behind what was given whose group is not complete, if there is one.
  const std::string& unfinished() const { return unfinished_; }

 private:
  Status begin(const Replay& replay);
  Status give(std::string_view bytes, const Replay& replay);

  const EtcdHome& home_;
  Etcd etcd_;
  bool begun_ = false;
  std::uint64_t next_ = 1, snapshot_ = 0;
  std::string unfinished_;
};

// "/log/00000000000000000042/", and with a part.
std::string etcd_log_key(std::uint64_t seq);

}  // namespace ym
