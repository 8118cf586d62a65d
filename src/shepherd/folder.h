// SPDX-License-Identifier: Apache-2.0
// A shepherd's files in the spool, slurmd's README.md shows the whole. Their names begin with its
// stem: ATTEMPT/STEP. slurmd makes the record and writes the order into it; the shepherd appends to
// it (record.h). The record is locked (flock) exactly as long as the shepherd lives: slurmd takes
// the lock and hands it to the shepherd (nursery.h), so there is no moment in between.
#pragma once
#include <string>

namespace ym {

inline constexpr const char* kRecordSuffix = ".record";
inline constexpr const char* kUnkillableSuffix = ".unkillable";  // processes that did not die
inline constexpr const char* kScriptFile = "slurm_script";       // the attempt's, without a stem

// The attempt's folder.
inline std::string folder_of(const std::string& stem) { return stem.substr(0, stem.rfind('/')); }

}  // namespace ym
