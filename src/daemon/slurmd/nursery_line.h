// SPDX-License-Identifier: Apache-2.0
// slurmd's side of the nursery (shepherd/nursery.h).
#pragma once
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "net/address.h"
#include "shepherd/nursery.h"

namespace ym {

// A nursery answers within a fork's time. One that does not is stopped or worse.
inline constexpr int kNurseryPatienceSeconds = 10;

class NurseryLine {
 public:
  explicit NurseryLine(std::string program) : program_(std::move(program)) {}
  ~NurseryLine();
  NurseryLine(const NurseryLine&) = delete;
  NurseryLine& operator=(const NurseryLine&) = delete;

  // Before slurmd listens: a slurmd that is killed while it starts a program leaves its sockets
  // open until that program runs, and its successor could not have them.
  Status open();
  // A nursery that was killed is started again. After an error there is no shepherd, or one that
  // holds its lock.
  Result<Born> bear(const Birth& birth);

 private:
  void close();

  const std::string program_;
  Fd socket_;
  pid_t pid_ = 0;
};

}  // namespace ym
