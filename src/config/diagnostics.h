// SPDX-License-Identifier: Apache-2.0
// What a configuration's author should hear: every error with file and line, not the first one
// only, but not a flood either.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

inline constexpr std::size_t kConfigErrorsMax = 20;
inline constexpr std::size_t kConfigWarningsMax = 100;

// A line of one of the files read. Line 0 means the file as a whole.
struct Place {
  std::uint32_t file = 0, line = 0;
  bool operator==(const Place&) const = default;
};

class Diagnostics {
 public:
  // Gives the file its number for Place. `shown` is how messages name it.
  std::uint32_t add_file(std::string shown);
  // "slurm.conf:12"
  std::string name(Place place) const;

  void error(Place place, std::string_view text);
  void warn(Place place, std::string_view text);

  bool failed() const { return errors_seen_ > 0; }
  // Enough is known to be wrong; further work would only find more of it.
  bool full() const { return errors_seen_ >= kConfigErrorsMax; }
  // One message on each line; says how many more there were.
  std::string errors() const;
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> files_, errors_, warnings_;
  std::size_t errors_seen_ = 0, warnings_seen_ = 0;
};

}  // namespace ym
