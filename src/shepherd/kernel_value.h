// SPDX-License-Identifier: Apache-2.0
// Values that the kernel shows, and takes, as files below /sys.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace ym {

// Without white space at its ends. Empty and 0: there is none.
std::string kernel_value(const std::string& path);
std::uint32_t kernel_number(const std::string& path);
// In place, and in one write(2): that is how the kernel takes a value.
Status put_kernel_value(const std::string& path, const std::string& value);
Status put_kernel_value(const std::string& path, std::uint32_t value);

}  // namespace ym
