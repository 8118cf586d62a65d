// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/recovery.h"

#include "base/format.h"
#include "model/apply.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {

Result<RecoveredState> recover(Disk& disk, const std::string& dir, bool accept_loss) {
  RecoveredState recovered;
  wire::SnapshotReader reader;
  bool in_snapshot = false;
  auto finish_snapshot = [&]() -> Status {
    if (!in_snapshot) return {};
    in_snapshot = false;
    auto state = reader.finish();
    if (!state) return std::unexpected(state.error());
    recovered.state = std::move(*state);
    return {};
  };
  Replay replay{
      .snapshot = [&](std::uint64_t) -> Status {
        in_snapshot = true;
        reader = {};
        return {};
      },
      .chunk = [&](std::string_view chunk) { return reader.add(chunk); },
      .record = [&](std::uint64_t seq, std::string_view bytes) -> Status {
        if (Status ok = finish_snapshot(); !ok) return ok;
        auto event = wire::decode<Event>(bytes);
        if (!event) return fail(fmt::format("event {} of the log: {}", seq, event.error().text));
        if (std::holds_alternative<UnknownEvent>(event->body))
          return fail(fmt::format("event {} of the log was written by a later release", seq));
        if (event->seq.value != recovered.state.seq.value + 1)
          return fail(fmt::format("event {} of the log does not follow {}", seq,
                                  recovered.state.seq.value));
        apply(recovered.state, *event);
        return {};
      }};
  JournalOptions options{.accept_loss = accept_loss};
  auto log = Journal::open(disk, dir, options, replay);
  if (!log) return std::unexpected(log.error());
  if (Status ok = finish_snapshot(); !ok) return std::unexpected(ok.error());
  recovered.log = std::move(*log);
  return recovered;
}

}  // namespace ym
