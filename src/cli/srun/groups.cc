// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/groups.h"

#include <cstdlib>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/world.h"
#include "cli/options/job_options.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

constexpr std::string_view kSuffix = "_HET_GROUP_";

// How many components the job around us has; 0 if it is not heterogeneous, or there is none.
std::uint32_t het_size() {
  auto text = environment_variable("SLURM_HET_SIZE");
  return text ? parse_unsigned<std::uint32_t>(*text).value_or(0) : 0;
}

// Of one line.
IndexSet groups_in(const std::vector<std::string>& words) {
  const auto& [table, set] = known_job_options(kSrun);
  JobOptions options;
  auto line = set.parse(words, Operands::EndOptions);
  if (!line) return {};
  for (const GivenOption& given : line->options)
    if (table[given.option].info.name == "het-group")
      static_cast<void>(table[given.option].set(options, given.value));
  return options.het_groups;
}

}  // namespace

Result<std::vector<GroupLine>> choose_groups(const std::vector<std::vector<std::string>>& lines) {
  std::uint32_t size = het_size(), next = 0;
  // Equal ones stay in the order of the lines.
  std::multimap<std::optional<std::uint32_t>, std::vector<std::string>> chosen;
  for (const std::vector<std::string>& words : lines) {
    IndexSet groups = groups_in(words);
    bool inside = environment_variable("SLURM_JOB_ID").has_value();
    if (!size && inside && !groups.empty() && groups.max() > 0)
      return fail(fmt::format("Requested het-group offset exceeds highest hetjob index ({} > 0)",
                              groups.max()));
    if (!size) {
      chosen.emplace(std::nullopt, words);
      continue;
    }
    if (groups.empty()) groups.insert(next);
    next = groups.max() + 1;
    if (groups.max() >= size)
      return fail(fmt::format("Requested het-group offset exceeds highest hetjob index ({} > {})",
                              groups.max(), size - 1));
    groups.for_each([&](std::uint32_t group) { chosen.emplace(group, words); });
  }
  std::vector<GroupLine> out;
  for (auto& [group, words] : chosen) out.push_back({.group = group, .words = std::move(words)});
  return out;
}

GroupEnvironment::GroupEnvironment(std::optional<std::uint32_t> group) {
  if (!group) return;
  std::map<std::string, std::optional<std::string>> wanted;
  std::string own = fmt::format("{}{}", kSuffix, *group);
  for (const std::string& entry : own_environment()) {
    std::size_t equals = entry.find('=');
    std::string name = entry.substr(0, equals);
    std::size_t at = name.rfind(kSuffix);
    if (equals == std::string::npos || at == std::string::npos) continue;
    std::optional<std::string>& value = wanted[name.substr(0, at)];
    if (name.substr(at) == own) value = entry.substr(equals + 1);
  }
  for (const auto& [name, value] : wanted) {
    saved_.push_back({name, environment_variable(name.c_str())});
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
}

GroupEnvironment::~GroupEnvironment() {
  for (const Saved& one : saved_) {
    if (one.value)
      ::setenv(one.name.c_str(), one.value->c_str(), 1);
    else
      ::unsetenv(one.name.c_str());
  }
}

}  // namespace ym::cli
