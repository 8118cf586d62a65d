// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/lease_keeper.h"

#include <algorithm>

#include "os/clock.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr Duration kLongestPause{200};
constexpr int kBeatsPerLease = 8;

}  // namespace

LeaseKeeper::LeaseKeeper(LogHome& home, Duration lease_time,
                         std::function<void(const std::string&)> lost, Log& log)
    : home_(home),
      lease_time_(lease_time),
      lost_(std::move(lost)),
      log_(log),
      renewed_(monotonic_clock().count()),
      thread_([this] { run(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

bool LeaseKeeper::sure() const {
  return monotonic_clock() - Duration(renewed_.load()) < lease_time_;
}

void LeaseKeeper::run() {
  Duration pause = std::min(lease_time_ / kBeatsPerLease, kLongestPause);
  bool told = false;
  for (;;) {
    Duration begun = monotonic_clock();
    Status renewed = home_.renew();
    if (renewed) {
      renewed_ = begun.count();
      told = false;
    } else if (renewed.error().code == store_errc::kFenced) {
      return lost_(renewed.error().text);
    } else if (!told) {
      told = true;
      log_.error("the lead cannot be renewed: {}", renewed.error().text);
    }
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, pause, [this] { return stopping_; })) return;
  }
}

}  // namespace ym
