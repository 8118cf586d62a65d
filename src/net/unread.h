// SPDX-License-Identifier: Apache-2.0
// Answers that wait for their readers, counted for each user and in all: memory stays bounded
// however many connections do not read. Any thread may call.
//
// Long answers shrink their portions as soon as much is waiting; single ones have their connection
// cut off when too much is.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ym {

struct UnreadLimits {
  std::size_t of_all_max = 512u << 20;
  std::size_t of_one_max = 128u << 20;
};

// One user's. His connections share it.
class Unread {
 public:
  using Count = std::atomic<std::size_t>;
  // A connection with less is never cut off for what others have.
  static constexpr std::size_t kSmall = 64u << 10;
  // Beyond this part of a limit portions are small.
  static constexpr std::size_t kSparingly = 8;

  Unread(const UnreadLimits& limits, std::shared_ptr<Count> of_all)
      : limits_(limits), of_all_(std::move(of_all)) {}

  void add(std::size_t bytes) {
    of_one_ += bytes;
    *of_all_ += bytes;
  }
  void remove(std::size_t bytes) {
    of_one_ -= bytes;
    *of_all_ -= bytes;
  }
  // Whether a connection may have so many bytes waiting. `limited`: the user's own limit holds,
  // too.
  bool may_have(std::size_t waiting, bool limited) const {
    return waiting <= kSmall || !beyond(1, limited);
  }
  // What may wait of a long answer.
  std::size_t portion(bool limited) const {
    return beyond(kSparingly, limited) ? kSmall : SIZE_MAX;
  }

  std::size_t of_one() const { return of_one_; }
  std::size_t of_all() const { return *of_all_; }

 private:
  bool beyond(std::size_t part, bool limited) const {
    return *of_all_ > limits_.of_all_max / part || (limited && of_one_ > limits_.of_one_max / part);
  }

  const UnreadLimits limits_;
  Count of_one_ = 0;
  const std::shared_ptr<Count> of_all_;
};

}  // namespace ym
