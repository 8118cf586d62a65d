// SPDX-License-Identifier: Apache-2.0
// Which devices the processes of a control group may open: everything else is denied.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::uint32_t kAnyNumber = 0xffffffff;

// "c 195:0 rwm": a type (a means both), numbers (* means any), and what may be done.
struct DeviceRule {
  char type = 'c';  // a, b or c
  std::uint32_t major = kAnyNumber, minor = kAnyNumber;
  bool read = true, write = true, make = true;
  bool operator==(const DeviceRule&) const = default;
};
std::optional<DeviceRule> parse_device_rule(std::string_view text);
std::string text_of(const DeviceRule& rule);

// What every program may need: null, zero, random numbers, terminals, network adapters of MPI
// libraries, the kernel's miscellaneous devices. Not among them: disks, the machine's memory,
// accelerators.
std::vector<DeviceRule> common_devices();

// v2: a program of a few instructions that the kernel asks at each open. It goes with the group.
// The kernel takes at most so many rules.
inline constexpr std::size_t kDeviceRulesMax = 256;
Status filter_devices(const std::string& folder, const std::vector<DeviceRule>& allowed);

}  // namespace ym
