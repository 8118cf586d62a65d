// SPDX-License-Identifier: Apache-2.0
// Which component of the heterogeneous job around us each part of a command line runs in.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ym::cli {

// The words of one part, and its component; none where the job around us is not heterogeneous.
struct GroupLine {
  std::optional<std::uint32_t> group;
  std::vector<std::string> words;
};

// In the order of the components, which is that of their tasks. A line with several --het-groups is
// there once for each. Without any, the lines take the components one after the other.
Result<std::vector<GroupLine>> choose_groups(const std::vector<std::vector<std::string>>& lines);

// While it lives, our environment is that of one component: what is called NAME_HET_GROUP_n stands
// under NAME, and what is said of other components only does not. Nothing changes without a group.
class GroupEnvironment {
 public:
  explicit GroupEnvironment(std::optional<std::uint32_t> group);
  ~GroupEnvironment();
  GroupEnvironment(const GroupEnvironment&) = delete;
  GroupEnvironment& operator=(const GroupEnvironment&) = delete;

 private:
  struct Saved {
    std::string name;
    std::optional<std::string> value;
  };
  std::vector<Saved> saved_;
};

}  // namespace ym::cli
