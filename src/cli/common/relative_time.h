// SPDX-License-Identifier: Apache-2.0
// Times as SLURM_TIME_FORMAT=relative wants them: the nearer, the shorter.
#pragma once
#include <string>

#include "notation/timestamp.h"

namespace ym::cli {

// "02:56:07" of today, "Ystday 02:56", "Tomorr 02:56", "Fri 02:56" of the coming week, "25 Nov
// 02:56" of this year, else "5 Mar 2027".
std::string print_relative(const CivilTime& time, const CivilTime& now);

}  // namespace ym::cli
