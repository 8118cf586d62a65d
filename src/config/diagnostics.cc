// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostics.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {

std::uint32_t Diagnostics::add_file(std::string shown) {
  files_.push_back(std::move(shown));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string Diagnostics::name(Place place) const {
  std::string file = place.file < files_.size() ? files_[place.file] : "slurm.conf";
  return place.line == 0 ? file : fmt::format("{}:{}", file, place.line);
}

void Diagnostics::error(Place place, std::string_view text) {
  if (++errors_seen_ <= kConfigErrorsMax)
    errors_.push_back(fmt::format("{}: {}", name(place), text));
}

void Diagnostics::warn(Place place, std::string_view text) {
  if (++warnings_seen_ <= kConfigWarningsMax)
    warnings_.push_back(fmt::format("{}: {}", name(place), text));
  else if (warnings_seen_ == kConfigWarningsMax + 1)
    warnings_.push_back("further warnings are left out");
}

std::string Diagnostics::errors() const {
  std::string text = join(errors_, "\n");
  if (errors_seen_ > errors_.size())
    text += fmt::format("\nand {} more", errors_seen_ - errors_.size());
  return text;
}

}  // namespace ym
