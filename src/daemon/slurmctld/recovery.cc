// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/recovery.h"

#include "base/format.h"
#include "model/apply.h"
#include "wire/codec.h"

namespace ym {

Replay StateBuilder::replay() {
  return {.snapshot = [this](std::uint64_t) -> Status {
            in_snapshot_ = true;
            reader_ = {};
            return {};
          },
          .chunk = [this](std::string_view chunk) { return reader_.add(chunk); },
          .record = [this](std::uint64_t seq,
                           std::string_view bytes) { return add_record(seq, bytes); }};
}

Status StateBuilder::finish() {
  if (!in_snapshot_) return {};
  in_snapshot_ = false;
  auto state = reader_.finish();
  if (!state) return std::unexpected(state.error());
  state_ = std::move(*state);
  return {};
}

Status StateBuilder::add_record(std::uint64_t seq, std::string_view bytes) {
  if (Status ok = finish(); !ok) return ok;
  auto event = wire::decode<Event>(bytes);
  if (!event) return fail(fmt::format("event {} of the log: {}", seq, event.error().text));
  if (std::holds_alternative<UnknownEvent>(event->body))
    return fail(fmt::format("event {} of the log was written by a later release", seq));
  if (event->seq.value != state_.seq.value + 1)
    return fail(fmt::format("event {} of the log does not follow {}", seq, state_.seq.value));
  apply(state_, *event);
  return {};
}

Result<State> read_state(Disk& disk, const std::string& dir) {
  StateBuilder builder;
  auto log = Journal::open(disk, dir, {}, builder.replay());
  if (!log) return std::unexpected(log.error());
  if (Status ok = builder.finish(); !ok) return std::unexpected(ok.error());
  return builder.take();
}

Result<RecoveredState> recover(LogHome& home, Recovery how) {
  JournalOptions options{.accept_loss = how.accept_loss};
  options.known_seq = how.known.seq.value;
  StateBuilder builder(std::move(how.known));
  auto log = home.open(options, builder.replay());
  if (!log) return std::unexpected(log.error());
  if (Status ok = builder.finish(); !ok) return std::unexpected(ok.error());
  return RecoveredState{.state = builder.take(), .log = std::move(*log)};
}

}  // namespace ym
