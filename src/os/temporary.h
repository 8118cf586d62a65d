// SPDX-License-Identifier: Apache-2.0
// Files with names that nobody can foresee, for folders that everybody may write to.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

// Writes a new file, readable by us alone, whose name is `prefix` and a few letters; its path.
// There is no file if that fails.
Result<std::string> write_temporary(std::string prefix, std::string_view text);

}  // namespace ym
