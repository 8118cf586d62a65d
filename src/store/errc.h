// SPDX-License-Identifier: Apache-2.0
// The few failures of this room that callers react to differently; everything else is text (code
// 0). The numbers live only inside a process (no wire, no disk) and stay clear of Slurm's own error
// numbers.
#pragma once
#include <cstdint>

namespace ym::store_errc {

inline constexpr std::uint32_t kNotFound = 90001;    // no such file or blob
inline constexpr std::uint32_t kNoSpace = 90002;     // disk or quota full: free space, then retry
inline constexpr std::uint32_t kIo = 90003;          // the device failed
inline constexpr std::uint32_t kLocked = 90004;      // another process owns the directory
inline constexpr std::uint32_t kPruned = 90005;      // the record asked for is no longer kept
inline constexpr std::uint32_t kCorrupt = 90006;     // damage that accept_loss would cut off
inline constexpr std::uint32_t kFuture = 90007;      // written by a newer release
inline constexpr std::uint32_t kTooBig = 90008;      // above a named limit
inline constexpr std::uint32_t kWrongOwner = 90009;  // belongs to another cluster
inline constexpr std::uint32_t kExists = 90010;      // somebody else was quicker
inline constexpr std::uint32_t kFenced = 90011;      // another controller leads by now

}  // namespace ym::store_errc
