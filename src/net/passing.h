// SPDX-License-Identifier: Apache-2.0
// Packets that carry open files from one process to another (SOCK_SEQPACKET, SCM_RIGHTS).
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace ym {

inline constexpr std::size_t kPassedFilesMax = 8;

// REQUIRES: at most kPassedFilesMax files; `bytes` is not empty.
Status send_packet(int socket, std::string_view bytes, std::span<const int> files = {});

struct Packet {
  std::string_view bytes;  // within the space that was given; empty: the other side has hung up
  std::vector<Fd> files;
};
// Waits as the socket does. An error, too, if the space or kPassedFilesMax is not enough.
Result<Packet> receive_packet(int socket, std::span<char> space);

}  // namespace ym
