// SPDX-License-Identifier: Apache-2.0
// sstat: what running steps use, asked of all their nodes.
#pragma once
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/targets.h"
#include "model/usage.h"

namespace ym::cli {

struct SstatSettings {
  std::vector<JobTarget> targets;
  std::string fields;  // empty: the usual ones
  bool all_steps = false, header = true, convert = true, list_fields = false;
  bool bars = false, last_bar = false;  // -P and -p
  std::string delimiter = "|";
};

// One step, over all its nodes that answered.
struct SstatRow {
  std::string id, nodes;
  StepUsage usage;
  std::vector<std::uint32_t> pids;
};

struct SstatField {
  const char* name;
  std::uint32_t width;
  std::string (*extract)(const SstatRow& row, const SstatSettings& settings);
};
const std::vector<SstatField>& sstat_fields();
inline constexpr std::string_view kPidFields = "JobID,Nodelist%20,Pids%20";

CommandPage sstat_page();
std::vector<Option<SstatSettings>> sstat_table();
// An error if there is no such field.
Result<std::string> render_usage(const SstatSettings& settings, const std::vector<SstatRow>& rows);
int sstat_main(const Arguments& arguments);

}  // namespace ym::cli
