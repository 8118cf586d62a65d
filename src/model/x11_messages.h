// SPDX-License-Identifier: Apache-2.0
// X11 forwarding: between the command that has the display and a process of its user on a node of
// the job. One connection carries all X clients of that node.
#pragma once
#include <cstdint>
#include <string>

namespace ym {

// How a batch job's display travels: as variables of its environment, which only its user's node
// sees, and which it takes out.
inline constexpr const char* kX11TargetVariable = "SLURM_X11_TARGET";  // HOST:PORT
inline constexpr const char* kX11CookieVariable = "SLURM_X11_COOKIE";  // in hexadecimal

// The first message, to slurmd.
struct OpenX11 {
  std::string credential, signature;  // of the job (GetJobCredential)
  std::string cookie;                 // what clients on the node are to show
};
// The answer. `error` is empty if clients may come.
struct X11Opened {
  std::string node;
  std::uint32_t display = 0;
  std::string error;
};
// What a client or the X server said. The node numbers its clients upwards from 1; the first
// message of a new number opens it, `end` closes it.
// Flow control: a side that has not heard `taken` of kX11Window bytes says nothing more in that
// channel.
struct X11Data {
  std::uint32_t channel = 0;
  std::string data;
  std::uint64_t taken = 0;  // so many bytes more of the other side's have been passed on
  bool end = false;
};

}  // namespace ym
