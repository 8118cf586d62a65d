// SPDX-License-Identifier: Apache-2.0
// Leaving the terminal. The process that was started stays until the daemon says that it serves, or
// why it does not.
#pragma once
#include <string>

#include "base/result.h"

namespace ym {

class Daemonizing {
 public:
  // In the foreground nothing is forked. In the background only the daemon returns from here; the
  // starter waits, prints what went wrong, and exits with 0 or 1.
  static Result<Daemonizing> begin(bool foreground);
  Daemonizing(Daemonizing&& other) noexcept;
  ~Daemonizing();
  // We serve: lets the starter return 0 and gives the standard streams up.
  void serving();
  // Lets the starter print `text` and return 1.
  void failed(const std::string& text);

 private:
  explicit Daemonizing(int fd) : fd_(fd) {}
  int fd_;  // -1 in the foreground or when done
};

// Refuses if the process named in the file is alive and is a `program`. Removed by remove_pid_file.
Status write_pid_file(const std::string& path, const std::string& program);
void remove_pid_file(const std::string& path);

}  // namespace ym
