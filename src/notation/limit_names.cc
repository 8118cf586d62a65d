// SPDX-License-Identifier: Apache-2.0
#include "notation/limit_names.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

// Linux's numbers on all machines but MIPS and SPARC.
struct LimitName {
  std::uint32_t kind;
  std::string_view name;
};
constexpr LimitName kLimits[] = {
    {0, "CPU"}, {1, "FSIZE"}, {2, "DATA"},   {3, "STACK"},   {4, "CORE"},
    {5, "RSS"}, {6, "NPROC"}, {7, "NOFILE"}, {8, "MEMLOCK"}, {9, "AS"},
};

std::vector<std::uint32_t> every_limit() {
  std::vector<std::uint32_t> out;
  for (const LimitName& one : kLimits) out.push_back(one.kind);
  return out;
}

}  // namespace

std::string_view limit_name(std::uint32_t kind) {
  for (const LimitName& one : kLimits)
    if (one.kind == kind) return one.name;
  return {};
}

Result<std::vector<std::uint32_t>> parse_limit_names(std::string_view text) {
  text = trim(text);
  if (same_ignoring_case(text, "ALL")) return every_limit();
  std::vector<std::uint32_t> out;
  if (same_ignoring_case(text, "NONE")) return out;
  for (std::string_view word : split(text, ',')) {
    word = trim(word);
    std::string_view bare = starts_with_ignoring_case(word, "RLIMIT_") ? word.substr(7) : word;
    auto found = std::ranges::find_if(
        kLimits, [&](const LimitName& one) { return same_ignoring_case(one.name, bare); });
    if (found == std::end(kLimits))
      return fail(fmt::format("'{}' is not a resource limit", printable(word)));
    out.push_back(found->kind);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

Result<std::vector<std::uint32_t>> parse_limit_exceptions(std::string_view text) {
  auto named = parse_limit_names(text);
  if (!named) return named;
  std::vector<std::uint32_t> out = every_limit();
  std::erase_if(out, [&](std::uint32_t kind) { return std::ranges::binary_search(*named, kind); });
  return out;
}

}  // namespace ym
