// SPDX-License-Identifier: Apache-2.0
// The shepherds that are not about a user's tasks: slurmd's prologs and epilogs, and the extern
// step that holds a job's place on a node.
#pragma once
#include <string>

#include "net/address.h"
#include "shepherd/order.h"

namespace ym {

// Of what a program prints, so much is kept: the end of it, for the error's text.
inline constexpr std::size_t kProgramTailMax = 4 << 10;

struct PlainInherited {
  Fd record, control;
};

// Runs the order's tasks one after the other until one fails, within the order's time limit for all
// of them. What a program that succeeds leaves behind outside of its process group goes on: a
// prolog may start a daemon for the job. When it fails, runs out of time or is killed, everything
// of it is killed.
int run_programs(const ShepherdOrder& order, PlainInherited inherited);

// Until it is told to end; then everything in its control group is killed.
int run_extern(const ShepherdOrder& order, PlainInherited inherited);

}  // namespace ym
