// SPDX-License-Identifier: Apache-2.0
// Setters of options that take no value, for tables of any command's settings.
#pragma once
#include <string_view>

#include "base/result.h"

namespace ym::cli {

// flag<&Settings::quiet>
template <auto Member, class Settings>
Status flag(Settings& settings, std::string_view) {
  settings.*Member = true;
  return {};
}

// -v, -vv …
template <class Settings>
Status add_verbose(Settings& settings, std::string_view) {
  ++settings.verbose;
  return {};
}

}  // namespace ym::cli
