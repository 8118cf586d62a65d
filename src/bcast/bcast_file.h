// SPDX-License-Identifier: Apache-2.0
// A file as it arrives in pieces on a node. In a process that has become the user: it can write
// where the user could, and nowhere else.
#pragma once
#include <string>

#include "base/result.h"
#include "model/bcast_messages.h"
#include "net/address.h"

namespace ym {

class BcastFile {
 public:
  BcastFile() = default;
  // What is not finished is removed.
  ~BcastFile();
  BcastFile(const BcastFile&) = delete;
  BcastFile& operator=(const BcastFile&) = delete;

  // Pieces in order. Under a temporary name until the last one, which gives the file its own. After
  // an error nothing more is taken, and the same error comes back.
  Status take(const BcastChunk& piece);

 private:
  Status open(const BcastChunk& piece);
  Status write(const BcastChunk& piece);
  Status finish(const BcastChunk& piece);

  Fd fd_;
  std::string path_, temporary_;
  std::uint64_t size_ = 0;
  Status state_;
};

}  // namespace ym
