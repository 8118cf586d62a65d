// SPDX-License-Identifier: Apache-2.0
// Keys of `scontrol update job` that few use.
#include "cli/scontrol/rare_job_keys.h"
#include "base/format.h"
#include "base/text.h"
#include "notation/size.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

struct TextKey {
  std::string_view name, alias;
  std::optional<std::string> JobPatch::* field;
};
constexpr TextKey kTexts[] = {
    {"Reservation", "ReservationName", &JobPatch::reservation},
    {"Licenses", "", &JobPatch::licenses},
    {"WCKey", "", &JobPatch::wckey},
    {"MailUser", "", &JobPatch::mail_user},
    {"StdErr", "", &JobPatch::std_err},
    {"StdIn", "", &JobPatch::std_in},
    {"Gres", "", &JobPatch::gres},
    {"Prefer", "", &JobPatch::prefer},
    {"BurstBuffer", "", &JobPatch::burst_buffer},
    {"MCSLabel", "MCS_Label", &JobPatch::mcs_label},
    {"TresPerNode", "", &JobPatch::tres_per_node},
    {"ClusterFeatures", "", &JobPatch::cluster_features},
};

struct NumberKey {
  std::string_view name, alias;
  std::optional<std::uint32_t> JobPatch::* field;
};
constexpr NumberKey kNumbers[] = {
    {"TasksPerNode", "NtasksPerNode", &JobPatch::tasks_per_node},
    {"MinCPUsNode", "", &JobPatch::min_cpus_per_node},
    {"CoreSpec", "", &JobPatch::core_spec},
};

struct SizeKey {
  std::string_view name;
  std::optional<std::uint64_t> JobPatch::* field;
};
constexpr SizeKey kSizes[] = {
    {"MinMemoryNode", &JobPatch::memory_per_node_mb},
    {"MinMemoryCPU", &JobPatch::memory_per_cpu_mb},
    {"MinTmpDiskNode", &JobPatch::tmp_mb},
};

struct FlagKey {
  std::string_view name, alias;
  std::optional<bool> JobPatch::* field;
};
constexpr FlagKey kFlags[] = {
    {"Contiguous", "", &JobPatch::contiguous},
    {"OverSubscribe", "Shared", &JobPatch::oversubscribe},
    {"ResetAccrueTime", "", &JobPatch::reset_accrue},
};

struct SpanKey {
  std::string_view name;
  std::optional<std::uint32_t> JobPatch::* field;
};
constexpr SpanKey kSpans[] = {
    {"TimeMin", &JobPatch::time_min_s},
    {"DelayBoot", &JobPatch::delay_boot_s},
};

bool is_key(std::string_view key, std::string_view name, std::string_view alias = "") {
  return same_ignoring_case(key, name) || (!alias.empty() && same_ignoring_case(key, alias));
}

std::unexpected<Error> invalid(std::string_view name, const std::string& value) {
  return fail(fmt::format("scontrol: error: Invalid {} value: {}", name, printable(value)));
}

std::optional<bool> truth_of(std::string_view text) {
  if (same_ignoring_case(text, "yes") || text == "1") return true;
  if (same_ignoring_case(text, "no") || same_ignoring_case(text, "ok") || text == "0") return false;
  return std::nullopt;
}

// "+5" and "-10", or TimeLimit+=5.
Result<bool> set_change(JobPatch& patch, const Assignment& one) {
  if (!is_key(one.key, "TimeLimit")) return false;
  std::string_view text = one.value;
  char sign = one.sign;
  if (sign == '=' && (text.starts_with('+') || text.starts_with('-')) && text != "-1") {
    sign = text[0];
    text.remove_prefix(1);
  }
  if (sign == '=') return false;
  auto limit = parse_time_limit(text);
  if (!limit || limit->unlimited) return fail("scontrol: error: Invalid TimeLimit value");
  std::int64_t seconds = limit->minutes() * 60;
  patch.time_limit_change_s = sign == '+' ? seconds : -seconds;
  return true;
}

Result<bool> set_value(JobPatch& patch, const Assignment& one) {
  for (const NumberKey& key : kNumbers) {
    if (!is_key(one.key, key.name, key.alias)) continue;
    auto number = parse_unsigned<std::uint32_t>(one.value);
    if (!number) return invalid(key.name, one.value);
    patch.*key.field = *number;
    return true;
  }
  for (const SizeKey& key : kSizes) {
    if (!is_key(one.key, key.name)) continue;
    auto size = parse_megabytes(one.value);
    if (!size) return invalid(key.name, one.value);
    patch.*key.field = *size;
    return true;
  }
  for (const FlagKey& key : kFlags) {
    if (!is_key(one.key, key.name, key.alias)) continue;
    auto truth = one.value.empty() && key.name == "ResetAccrueTime" ? std::optional(true)
                                                                    : truth_of(one.value);
    if (!truth) return invalid(key.name, one.value);
    patch.*key.field = *truth;
    return true;
  }
  for (const SpanKey& key : kSpans) {
    if (!is_key(one.key, key.name)) continue;
    auto span = parse_time_limit(one.value);
    if (!span || span->unlimited) return invalid(key.name, one.value);
    patch.*key.field = static_cast<std::uint32_t>(span->minutes() * 60);
    return true;
  }
  return false;
}

}  // namespace

Result<bool> set_rare_job_key(JobPatch& patch, const Assignment& one) {
  if (auto changed = set_change(patch, one); !changed || *changed) return changed;
  for (const TextKey& key : kTexts) {
    if (!is_key(one.key, key.name, key.alias)) continue;
    patch.*key.field = one.value;
    return true;
  }
  if (is_key(one.key, "Switches")) {
    auto mark = one.value.find('@');
    auto count = parse_unsigned<std::uint32_t>(one.value.substr(0, mark));
    if (!count) return invalid("Switches", one.value);
    patch.switches = *count;
    if (mark == std::string::npos) return true;
    auto wait = parse_time_limit(std::string_view(one.value).substr(mark + 1));
    if (!wait) return invalid("Switches", one.value);
    patch.switch_wait_s = static_cast<std::uint32_t>(wait->span.count());
    return true;
  }
  return set_value(patch, one);
}

}  // namespace ym::cli
