// SPDX-License-Identifier: Apache-2.0
// Where shepherds come from: a process that has been through a program's start once, and then only
// forks. Starting a program costs several times as much (decision 0010).
//
// slurmd talks to it over a socket pair (SOCK_SEQPACKET): a packet for each shepherd, with its
// descriptors, answered by its process id and a handle on it (pidfd), or an error number. It ends
// when slurmd does; the shepherds stay.
#pragma once
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace ym {

inline constexpr int kNurserySocket = 3;
inline constexpr const char* kNurseryWord = "nursery";

// What a shepherd is born with.
struct Birth {
  std::string stem;   // of its files in the spool
  std::string title;  // as ps(1) shows it, before the stem
  Fd record;          // open and locked
  Fd control;         // listening, SOCK_SEQPACKET
  Fd errors;          // becomes stderr: for what goes wrong
  Fd stream;          // the connection of srun; may be none
  Fd residual;        // a file: what was read from that connection already; may be none
};

Status send_birth(int socket, const Birth& birth);
// An error if the other side is gone or what it says makes no sense.
Result<Birth> receive_birth(int socket);

// A shepherd that was forked. The handle is of that very process, even if it has ended by now and
// its number is somebody else's.
struct Born {
  pid_t pid = 0;
  Fd handle;
};
// Of the birth that was sent last.
Result<Born> receive_born(int socket);

// Space that ps(1) shows: the memory of the arguments that the process was started with.
struct TitleSpace {
  char* begin = nullptr;
  std::size_t size = 0;
};

// Until slurmd hangs up. Each child runs `life` and exits with what it returns.
int run_nursery(Fd socket, TitleSpace title, const std::function<int(Birth)>& life);

}  // namespace ym
