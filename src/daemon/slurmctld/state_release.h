// SPDX-License-Identifier: Apache-2.0
// Which release wrote the state: an older one that would not understand all of it refuses before it
// touches anything.
//
// A reader skips fields that it does not know (wire/codec.h). That is right on the wire, where both
// sides go on; in the log it would lose what the field said, for good. Hence a number of its own.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/log_home.h"

namespace ym {

// Raised with the first release that writes an event, or a field of one, that its predecessor does
// not know. Not raised: that predecessor may start again from our log.
inline constexpr std::uint32_t kStateFormat = 1;

// What such a file says: the format, and the release that wrote it first. Nothing: it was not a
// slurmctld.
struct StateRelease {
  std::uint32_t format = 0;
  std::string release;  // printable
};
std::optional<StateRelease> parse_state_release(std::string_view text);

// Says which later release wrote something of `format`, if that is beyond what this one reads.
Status check_format(std::uint32_t format, std::string_view release, const std::string& what);

// The text "format" of a home that has texts, else StateSaveLocation's file of that name. None: of
// a release before there was one, or of nobody. `home` null: the file.
//
// REQUIRES, where `home` has texts: leads. What is written there is fenced as the log is.
struct StatePlace {
  LogHome* home = nullptr;
  std::string dir;
};
Status check_state_release(const StatePlace& place);
// The state is ours from now on. Writes only what is not there already, and lowers nothing: who was
// stopped since he looked finds out here, and not by overwriting what a later release has written.
Status note_state_release(const StatePlace& place);
// As after a restore: whatever was there before.
Status set_state_release(const StatePlace& place);
// The state is being replaced: nobody may start from it until set_state_release().
Status bar_state(const StatePlace& place);

}  // namespace ym
