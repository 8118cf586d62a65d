// SPDX-License-Identifier: Apache-2.0
// A shepherd's folder in the spool, README.md shows the whole. slurmd makes it and writes `order`;
// the shepherd leaves `started` and `result`. `order` is locked (flock) exactly as long as the
// shepherd lives: slurmd takes the lock and the shepherd inherits it, so there is no moment in
// between.
#pragma once
#include <string>

namespace ym {

inline constexpr const char* kOrderFile = "order";
inline constexpr const char* kStartedFile = "started";
inline constexpr const char* kResultFile = "result";
inline constexpr const char* kUnkillableFile = "unkillable";  // processes that did not die
inline constexpr const char* kControlSocket = "control";
inline constexpr const char* kScriptFile = "slurm_script";  // one level up, in the attempt's folder

// The file descriptors with which a shepherd is started.
inline constexpr int kOrderFd = 3;
inline constexpr int kLockFd = 4;
inline constexpr int kControlFd = 5;   // listening, SOCK_SEQPACKET
inline constexpr int kStreamFd = 6;    // the connection of srun; closed if there is none
inline constexpr int kResidualFd = 7;  // a file: what was read from that connection already

}  // namespace ym
