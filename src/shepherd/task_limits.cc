// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task_limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "notation/limit_names.h"
#include "shepherd/task_child.h"

namespace ym {
namespace {

std::string shown(std::uint64_t value) {
  return value == kNoLimit ? std::string("INFINITY") : fmt::format("{}", value);
}

}  // namespace

bool set_limits(const std::vector<ResourceLimit>& limits) {
  bool all = true;
  for (const ResourceLimit& limit : limits) {
    std::string_view name = limit_name(limit.kind);
    if (name.empty()) continue;  // of a newer release
    auto which = static_cast<__rlimit_resource>(limit.kind);
    rlimit now{};
    if (::getrlimit(which, &now) != 0) continue;
    rlim_t soft = limit.soft == kNoLimit ? RLIM_INFINITY : static_cast<rlim_t>(limit.soft);
    if (now.rlim_cur == soft) continue;
    rlimit wanted{.rlim_cur = soft, .rlim_max = std::max(now.rlim_max, soft)};
    if (::setrlimit(which, &wanted) == 0) continue;
    int error = errno;
    all = all && !limit.required;
    // As much as there is, rather than what happens to be.
    wanted = {.rlim_cur = now.rlim_max, .rlim_max = now.rlim_max};
    ::setrlimit(which, &wanted);
    complain(fmt::format("Can't propagate RLIMIT_{} of {} from submit host: {}", name,
                         shown(limit.soft), std::strerror(error)));
  }
  return all;
}

}  // namespace ym
