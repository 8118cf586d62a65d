// SPDX-License-Identifier: Apache-2.0
// Parts of `yardmaster up` that other verbs and files share.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/yardmaster/cluster.h"

namespace ym::cli {

// A first batch job and a first srun, and what to type next. Prints as it goes.
Status run_demo(const LoadedConfiguration& loaded);
// How to reach the cluster from a shell: lines to type.
std::string how_to_reach(const LoadedConfiguration& loaded);

// One `up` or `down` at a time in one folder; held until it is destroyed.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace ym::cli
