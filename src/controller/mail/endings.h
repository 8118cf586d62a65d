// SPDX-License-Identifier: Apache-2.0
// How jobs ended, in the words of mail subjects. Pure.
#pragma once
#include <string>
#include <vector>

#include "model/job.h"

namespace ym {

// "COMPLETED, ExitCode 0"; of a job that a signal ended, its state alone.
std::string ending_text(const Job& job);
// Of an array's elements together: "Mixed, ExitCode [0-3]". REQUIRES: there is one; the last is the
// one whose end is told.
std::string endings_text(const std::vector<const Job*>& elements);

}  // namespace ym
