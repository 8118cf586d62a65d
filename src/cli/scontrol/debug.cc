// SPDX-License-Identifier: Apache-2.0
// Verbs about how much daemons log.
#include "base/format.h"
#include "base/text.h"
#include "cli/scontrol/scontrol.h"
#include "config/debug_flags.h"
#include "os/log.h"

namespace ym::cli {
namespace {

// "nodes=n[1-2]" beside the other words.
Status take_nodes(ScontrolContext& context, SetDebug& request, const std::string& word) {
  auto hosts = hosts_of(context, std::string_view(word).substr(6));
  if (!hosts) return std::unexpected(hosts.error());
  request.nodes = hosts->str();
  return {};
}

int ask(ScontrolContext& context, const SetDebug& request, std::string_view what) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(request);
  if (!done) return context.fail_with(fmt::format("{} error: {}", what, done.error().text));
  return 0;
}

}  // namespace

int setdebug_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:setdebug");
  SetDebug request;
  for (const std::string& word : words) {
    if (starts_with_ignoring_case(word, "nodes=")) {
      if (Status taken = take_nodes(context, request, word); !taken)
        return context.fail_with(taken.error().text);
    } else if (request.level.empty() && parse_log_level(word)) {
      request.level = word;
    } else {
      return context.fail_with(fmt::format("invalid debug level: {}", printable(word)));
    }
  }
  if (request.level.empty()) return context.fail_with("too few arguments for keyword:setdebug");
  return ask(context, request, "slurm_set_debug_level");
}

int setdebugflags_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:setdebugflags");
  SetDebug request;
  for (const std::string& word : words) {
    if (starts_with_ignoring_case(word, "nodes=")) {
      if (Status taken = take_nodes(context, request, word); !taken)
        return context.fail_with(taken.error().text);
      continue;
    }
    bool off = word.starts_with('-');
    std::string_view name = word;
    if (off || word.starts_with('+')) name.remove_prefix(1);
    const DebugFlagName* known = find_debug_flag(name);
    if (!known)
      return context.fail_with(
          fmt::format("scontrol: error: Invalid DebugFlag: {}\ninvalid debug flag: {}",
                      printable(name), printable(word)));
    (off ? request.flags_off : request.flags_on).emplace_back(known->name);
  }
  return ask(context, request, "slurm_set_debug_flags");
}

int schedloglevel_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:schedloglevel");
  for (std::string_view level : {"0", "1", "disable", "enable"})
    if (same_ignoring_case(words[0], level)) return 0;
  return context.fail_with(fmt::format("invalid schedlog level: {}", printable(words[0])));
}

int fsdampeningfactor_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:fsdampeningfactor");
  auto factor = parse_unsigned<std::uint16_t>(words[0]);
  if (!factor || *factor == 0)
    return context.fail_with(fmt::format("invalid dampening factor: {}", printable(words[0])));
  return context.fail_with(
      "slurm_set_fs_dampeningfactor error: Requested operation not supported "
      "on this system: set FairShareDampeningFactor in slurm.conf");
}

}  // namespace ym::cli
