// SPDX-License-Identifier: Apache-2.0
#include "config/preempt.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

// A word of PreemptParameters, "name" or "name=number"; false if it is not known.
bool set_parameter(PreemptRules& rules, std::string_view word) {
  std::size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals);
  std::uint32_t number = 0;
  if (equals != std::string_view::npos)
    number = parse_unsigned<std::uint32_t>(word.substr(equals + 1)).value_or(0);
  auto is = [&](std::string_view other) { return same_ignoring_case(name, other); };
  if (is("youngest_first")) return rules.youngest_first = true;
  if (is("strict_order")) return rules.strict_order = true;
  if (is("reclaim_licenses")) return rules.reclaim_licenses = true;
  if (is("send_user_signal")) return rules.send_user_signal = true;
  if (is("reorder_count"))
    rules.reorder_count = number;
  else if (is("min_exempt_priority"))
    rules.min_exempt_priority = number;
  else if (is("suspend_grace_time"))
    rules.suspend_grace_s = number;
  else
    return false;
  return true;
}

void set_parameters(const Fields& fields, Findings& findings, PreemptRules& rules) {
  constexpr std::string_view kFormer = "preempt_";
  for (std::string_view key : {"SchedulerParameters", "SlurmctldParameters"}) {
    std::string text = fields.text(key);
    for (std::string_view word : split_words(text, ','))
      if (word.starts_with(kFormer)) set_parameter(rules, word.substr(kFormer.size()));
  }
  std::string text = fields.text("PreemptParameters");
  for (std::string_view word : split_words(text, ','))
    if (!set_parameter(rules, word))
      findings.note_unused(KeyScope::Main,
                           fmt::format("PreemptParameters={}", word.substr(0, word.find('='))),
                           word, Place{});
}

}  // namespace

void set_preemption(const Fields& fields, Findings& findings, MainConfig& config) {
  PreemptRules& rules = config.preempt;
  std::string type = fields.text("PreemptType", "preempt/none");
  if (type == "preempt/partition_prio") rules.by = PreemptBy::PartitionTier;
  if (type == "preempt/qos") {
    rules.by = PreemptBy::Qos;
    // Only accounting defines them, and there is none yet.
    findings.diagnostics.warn(Place{},
                              "PreemptType=preempt/qos: there is no QOS as yet, so that nobody "
                              "stands below another and nobody is preempted");
  }
  rules.mode_text = preempt_mode_text(fields.text("PreemptMode", "OFF"));
  rules.cluster = parse_preempt_mode(rules.mode_text);
  // -1 is "none", and reads as UNLIMITED.
  if (const Value* exempt = fields.find("PreemptExemptTime"); exempt && !exempt->unlimited)
    rules.exempt_s = static_cast<std::uint32_t>(exempt->number);
  set_parameters(fields, findings, rules);
  auto wrong = [&](const std::string& text) { findings.diagnostics.error(Place{}, text); };
  bool somebody = rules.by != PreemptBy::Nothing;
  if (somebody && rules.cluster.mode == PreemptMode::Off)
    wrong(fmt::format("PreemptType={} needs a PreemptMode: CANCEL, REQUEUE or SUSPEND,GANG", type));
  if (!somebody && rules.cluster.mode != PreemptMode::Off)
    wrong(fmt::format("PreemptMode={} needs a PreemptType: preempt/partition_prio or preempt/qos",
                      rules.mode_text));
  if (rules.cluster.mode == PreemptMode::Suspend && !rules.cluster.gang)
    wrong("PreemptMode=SUSPEND needs GANG, too: who was suspended would never go on");
  if (const Value* slice = fields.find("SchedulerTimeSlice"))
    rules.slice_s = static_cast<std::uint32_t>(slice->number);
}

std::string preempt_parameters(const PreemptRules& rules) {
  const PreemptRules d;
  std::string out;
  auto add = [&](bool wanted, const std::string& word) {
    if (wanted) out += (out.empty() ? "" : ",") + word;
  };
  add(rules.min_exempt_priority != d.min_exempt_priority,
      fmt::format("min_exempt_priority={}", rules.min_exempt_priority));
  add(rules.reclaim_licenses, "reclaim_licenses");
  add(rules.reorder_count != d.reorder_count, fmt::format("reorder_count={}", rules.reorder_count));
  add(rules.send_user_signal, "send_user_signal");
  add(rules.strict_order, "strict_order");
  add(rules.suspend_grace_s != d.suspend_grace_s,
      fmt::format("suspend_grace_time={}", rules.suspend_grace_s));
  add(rules.youngest_first, "youngest_first");
  return out;
}

}  // namespace ym
