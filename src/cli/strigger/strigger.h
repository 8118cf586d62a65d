// SPDX-License-Identifier: Apache-2.0
// strigger: programs that are run when something has happened.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "model/trigger.h"

namespace ym::cli {

enum class TriggerVerb : std::uint8_t { None, Set, Get, Clear };

struct StriggerSettings {
  TriggerVerb verb = TriggerVerb::None;
  std::vector<TriggerEvent> events;  // several make several triggers
  std::string unsupported;           // an event that nothing here ever causes
  std::uint32_t id = 0, job = 0;
  std::string node, program, user, cluster;
  bool any_node = false, several_verbs = false;
  std::int32_t offset_s = 0;
  bool permanent = false, quiet = false, header = true;
};

CommandPage strigger_page();
std::vector<Option<StriggerSettings>> strigger_table();
// What is wrong with the line, in Slurm's words.
Status check_line(const StriggerSettings& settings);
std::vector<Trigger> wanted_triggers(const StriggerSettings& settings);
std::string render_triggers(const StriggerSettings& settings, const std::vector<Trigger>& rows);
int strigger_main(const Arguments& arguments);

}  // namespace ym::cli
