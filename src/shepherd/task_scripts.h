// SPDX-License-Identifier: Apache-2.0
// Programs that run around a task, as its user, in its process: task prologs, task epilogs, and the
// login shell of --get-user-env. All of it blocks; the shepherd's own loop never calls it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/environment_block.h"
#include "shepherd/order.h"

namespace ym {

inline constexpr Duration kTaskEpilogTime = std::chrono::seconds(5);
inline constexpr std::size_t kPrologOutputMax = 1 << 20;  // more is read, and forgotten
inline constexpr std::size_t kLoginOutputMax = 4 << 20;

// The lines of a task prolog's output: `export NAME=value`, `unset NAME`, `print TEXT`; others mean
// nothing. Comes back with what is to be printed, each text on a line of its own.
std::string obey_prolog(std::string_view output, EnvironmentBlock& environment);

// 0, or the exit code for the task, which then does not run: the reason is on stderr. Changes the
// environment and prints as the prolog says. It may take as long as it likes: what ends the step
// ends it, too.
int run_task_prolog(const std::string& program, EnvironmentBlock& environment);
// Whatever becomes of it is nobody's concern.
void run_task_epilog(const std::string& program, EnvironmentBlock environment);

// What a login shell of the user leaves in its environment, for names that are not set yet.
Status add_login_environment(const LoginWish& login, EnvironmentBlock& environment);
// The variables in what the shell said: NAME=value, each ended by NUL, behind the marker line.
Result<EnvironmentBlock> parse_login_output(std::string_view output);

}  // namespace ym
