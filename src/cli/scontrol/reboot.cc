// SPDX-License-Identifier: Apache-2.0
// reboot and cancel_reboot.
#include "base/format.h"
#include "base/text.h"
#include "cli/scontrol/scontrol.h"

namespace ym::cli {
namespace {

int ask_for(ScontrolContext& context, const RebootNodes& wish, std::string_view error_name) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto done = (*controller)->ask<Done>(wish, Asking::Keyed);
  if (!done) return context.fail_with(fmt::format("{} error: {}", error_name, done.error().text));
  return 0;
}

}  // namespace

Result<RebootNodes> reboot_wish(const Words& words) {
  RebootNodes wish;
  for (const std::string& word : words) {
    if (same_ignoring_case(word, "ASAP")) {
      wish.asap = true;
    } else if (same_ignoring_case(word, "force")) {
      wish.force = true;
    } else if (starts_with_ignoring_case(word, "nextstate=")) {
      std::string_view state = std::string_view(word).substr(10);
      if (same_ignoring_case(state, "RESUME"))
        wish.next = RebootNext::Resume;
      else if (same_ignoring_case(state, "DOWN"))
        wish.next = RebootNext::Down;
      else
        return fail(fmt::format("Invalid state: {}\nValid states: DOWN, RESUME", printable(state)));
    } else if (starts_with_ignoring_case(word, "reason=")) {
      wish.reason = word.substr(7);
    } else if (wish.nodes.empty()) {
      wish.nodes = word;
    } else {
      return fail(fmt::format("unexpected argument: {}", printable(word)));
    }
  }
  if (wish.nodes.empty()) return fail("Missing node list. Specify ALL|<NodeList>");
  return wish;
}

int reboot_verb(ScontrolContext& context, const Words& words) {
  auto wish = reboot_wish(words);
  if (!wish) return context.fail_with(wish.error().text);
  return ask_for(context, *wish, "scontrol_reboot_nodes");
}

int cancel_reboot_verb(ScontrolContext& context, const Words& words) {
  if (words.size() != 1) return context.fail_with("cancel_reboot needs one list of nodes");
  return ask_for(context, {.nodes = words[0], .cancel = true}, "slurm_update");
}

}  // namespace ym::cli
