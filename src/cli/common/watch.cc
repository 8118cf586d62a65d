// SPDX-License-Identifier: Apache-2.0
#include "cli/common/watch.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/common/command.h"
#include "config/standby.h"
#include "model/rate_limit.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

constexpr Duration kFirstPause{50};
constexpr Duration kLongestPause{2000};
constexpr Duration kSilence{5000};  // then we look whether another controller leads

// "srun", "salloc"
std::string_view program_name() { return program_invocation_short_name; }

}  // namespace

void JobWatcher::watch_for(WatchJob watch) {
  watch_ = watch;
  asked_ = false;
  fd_ = -1;
  next_try_ = Duration(0);
  pause_ = kFirstPause;
}

Result<std::optional<JobRow>> JobWatcher::wait(Duration timeout) {
  if (!asked_) {
    Duration now = monotonic_clock();
    if (now < next_try_) {
      ::poll(nullptr, 0, static_cast<int>(std::min(timeout, next_try_ - now).count()));
      return std::optional<JobRow>();
    }
    next_try_ = now + pause_;
    pause_ = std::min(pause_ * 2, kLongestPause);
    Client* client = controller_.connected();
    if (!client) return std::optional<JobRow>();
    auto sent =
        client->send({.type = wire::message_number<WatchJob>, .correlation = ++correlation_},
                     wire::encode(watch_), controller_.config().message_timeout);
    // The welcome is read here: later, something readable is an answer, and receive() does not
    // block.
    if (sent) sent = client->finish_handshake(controller_.config().message_timeout);
    if (!sent) {
      controller_.try_next();
      return std::optional<JobRow>();
    }
    asked_ = true;
    fd_ = client->fd();
    heard_ = monotonic_clock();
  }
  auto ready = controller_.connected()->readable(timeout);
  if (ready && !*ready) {
    look_elsewhere();
    return std::optional<JobRow>();
  }
  heard_ = monotonic_clock();
  return receive();
}

// A controller that has stopped says nothing, and its successor does not know that we wait.
void JobWatcher::look_elsewhere() {
  if (!has_standbys(controller_.config()) || monotonic_clock() - heard_ < kSilence) return;
  heard_ = monotonic_clock();
  if (controller_.leads_elsewhere()) lost();
}

void JobWatcher::lost() {
  controller_.disconnect();
  asked_ = false;
  fd_ = -1;
}

Result<std::optional<JobRow>> JobWatcher::receive() {
  auto frame = controller_.connected()->receive(controller_.config().message_timeout);
  if (!frame) {
    lost();
    return std::optional<JobRow>();
  }
  pause_ = kFirstPause;
  bool asked_before = frame->header.correlation && frame->header.correlation != correlation_;
  if (asked_before) return std::optional<JobRow>();
  if (frame->header.type == wire::message_number<Failure>) {
    auto failure = wire::decode<Failure>(frame->payload);
    if (!failure) return std::unexpected(failure.error());
    if (failure->code == static_cast<std::uint32_t>(Errc::InStandby)) {
      controller_.try_next();
      lost();
      return std::optional<JobRow>();
    }
    if (failure->code == kRateLimited) {  // nobody watches for us; ask again a little later
      asked_ = false;
      fd_ = -1;
      next_try_ = monotonic_clock() + kLongestPause;
      return std::optional<JobRow>();
    }
    return fail(failure->code, failure->text);
  }
  if (frame->header.type == wire::message_number<OwnerNotice>) {
    auto notice = wire::decode<OwnerNotice>(frame->payload);
    if (notice) remark(program_name(), printable(notice->text, notice->text.size()));
    return std::optional<JobRow>();
  }
  if (frame->header.type != wire::message_number<JobRows>) return std::optional<JobRow>();
  auto rows = wire::decode<JobRows>(frame->payload);
  if (!rows) return std::unexpected(rows.error());
  if (rows->rows.empty()) return refuse(Errc::InvalidJobId);
  return std::optional<JobRow>(std::move(rows->rows[0]));
}

}  // namespace ym::cli
