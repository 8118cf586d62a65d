// SPDX-License-Identifier: Apache-2.0
// How fast CPUs shall be: --cpu-freq=P1[-P2][:P3].
//
//   2400000  low  medium  high  highm1   this frequency, in kHz or by name
//   low-high:OnDemand                    between these, chosen by that governor
//   Performance                          a governor alone
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "notation/speed.h"

namespace ym {

struct CpuFreq {
  Speed least, most;     // `most` is None: exactly `least`, or no wish
  std::string governor;  // as Slurm writes it: "OnDemand"; empty: none named

  static Result<CpuFreq> parse(std::string_view text);
  // As parse() takes it, in Slurm's spelling.
  std::string str() const;
  bool operator==(const CpuFreq&) const = default;
};

// "OnDemand" for any spelling of it; empty: there is no such governor.
std::string_view governor_named(std::string_view text);

}  // namespace ym
