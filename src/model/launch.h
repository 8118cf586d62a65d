// SPDX-License-Identifier: Apache-2.0
// How processes are to be started: what batch scripts and steps have in common.
#pragma once
#include <cstdint>
#include <string>

namespace ym {

inline constexpr std::uint64_t kNoLimit = 0xffffffffffffffff;

// setrlimit(2). `kind` is Linux's number (RLIMIT_*), which is in logs and on the wire.
struct ResourceLimit {
  std::uint32_t kind = 0;
  std::uint64_t soft = kNoLimit, hard = kNoLimit;
  bool required = false;  // asked for by name: a launch that cannot set it fails
  bool operator==(const ResourceLimit&) const = default;
};

// Where tasks and their memory go. The texts are those of the options (--cpu-bind …), checked where
// they come in; empty: no wish.
struct BindingWish {
  std::string cpu_bind, mem_bind, distribution, hint;
  std::uint32_t threads_per_core = 0, tasks_per_socket = 0, tasks_per_core = 0;  // 0: no wish
  bool operator==(const BindingWish&) const = default;
};

}  // namespace ym
