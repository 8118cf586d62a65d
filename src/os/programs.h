// SPDX-License-Identifier: Apache-2.0
// Programs that a configuration names: by path, or by a pattern for several.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kProgramsMax = 256;

// In sorted order. A relative name is beside the file `configuration`. A plain name is given back
// whether or not there is such a file: running it says what is wrong. An error if a pattern matches
// nothing.
Result<std::vector<std::string>> programs_for(const std::string& pattern,
                                              const std::string& configuration);

}  // namespace ym
