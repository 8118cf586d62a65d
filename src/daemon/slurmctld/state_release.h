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

// StateSaveLocation's file "format". None: of a release before there was one, or of nobody.
Status check_state_release(const std::string& state_dir);
// The state is ours from now on. Writes only what is not there already.
Status note_state_release(const std::string& state_dir);

}  // namespace ym
