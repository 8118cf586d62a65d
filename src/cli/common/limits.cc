// SPDX-License-Identifier: Apache-2.0
#include "cli/common/limits.h"

#include <sys/resource.h>

#include "base/text.h"
#include "notation/limit_names.h"

namespace ym::cli {
namespace {

Result<std::vector<std::uint32_t>> chosen(const JobOptions& options, const MainConfig& config) {
  if (options.propagate) return parse_limit_names(*options.propagate);
  if (!config.propagate_limits_except.empty())
    return parse_limit_exceptions(config.propagate_limits_except);
  return parse_limit_names(config.propagate_limits);
}

std::uint64_t value_of(rlim_t limit) { return limit == RLIM_INFINITY ? kNoLimit : limit; }

}  // namespace

Result<std::vector<ResourceLimit>> own_limits(const JobOptions& options, const MainConfig& config) {
  auto kinds = chosen(options, config);
  if (!kinds) return std::unexpected(kinds.error());
  bool by_name = options.propagate && !same_ignoring_case(*options.propagate, "ALL");
  std::vector<ResourceLimit> out;
  for (std::uint32_t kind : *kinds) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(kind), &now) != 0) continue;
    out.push_back({.kind = kind,
                   .soft = value_of(now.rlim_cur),
                   .hard = value_of(now.rlim_max),
                   .required = by_name});
  }
  return out;
}

}  // namespace ym::cli
