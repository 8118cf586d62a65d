// SPDX-License-Identifier: Apache-2.0
#include "config/cgroup_conf.h"

#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "config/yes_or_no.h"

namespace ym {
namespace {

constexpr std::uint32_t kPercentMax = 10000;

enum class Fate : std::uint8_t { Used, NotYet, Obsolete };
struct CgroupKey {
  std::string_view name;
  Fate fate = Fate::Used;
};
constexpr CgroupKey kKeys[] = {
    {"AllowedRAMSpace"},
    {"AllowedSwapSpace"},
    {"CgroupMountpoint"},
    {"CgroupPlugin"},
    {"ConstrainCores"},
    {"ConstrainDevices"},
    {"ConstrainRAMSpace"},
    {"ConstrainSwapSpace"},
    {"MinRAMSpace"},
    {"CgroupSlice", Fate::NotYet},
    {"EnableControllers", Fate::NotYet},
    {"EnableExtraControllers", Fate::NotYet},
    {"IgnoreSystemd", Fate::NotYet},
    {"IgnoreSystemdOnFailure", Fate::NotYet},
    {"MaxRAMPercent", Fate::NotYet},
    {"MaxSwapPercent", Fate::NotYet},
    {"MemorySwappiness", Fate::NotYet},
    {"SignalChildrenProcesses", Fate::NotYet},
    {"SystemdTimeout", Fate::NotYet},
    {"AllowedDevicesFile", Fate::Obsolete},
    {"AllowedKmemSpace", Fate::Obsolete},
    {"CgroupAutomount", Fate::Obsolete},
    {"CgroupReleaseAgentDir", Fate::Obsolete},
    {"ConstrainKmemSpace", Fate::Obsolete},
    {"MaxKmemPercent", Fate::Obsolete},
    {"MinKmemSpace", Fate::Obsolete},
    {"TaskAffinity", Fate::Obsolete},
};

// "95", "95.5" and "95%": whole percents, rounded down.
std::optional<std::uint32_t> percent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  auto dot = text.find('.');
  if (dot != std::string_view::npos) {
    for (char digit : text.substr(dot + 1))
      if (digit < '0' || digit > '9') return std::nullopt;
    text = text.substr(0, dot);
  }
  auto number = parse_unsigned<std::uint32_t>(text);
  return number && *number <= kPercentMax ? number : std::nullopt;
}

class Reader {
 public:
  Reader(CgroupConfig& config, Diagnostics& diagnostics)
      : config_(config), diagnostics_(diagnostics) {}

  void take(const Assignment& one, Place place) {
    const CgroupKey* key = nullptr;
    for (const CgroupKey& known : kKeys)
      if (same_ignoring_case(known.name, one.key)) key = &known;
    if (!key) return diagnostics_.error(place, fmt::format("unknown key {}", printable(one.key)));
    if (key->fate == Fate::Obsolete)
      return diagnostics_.warn(place, fmt::format("{} is obsolete and has no effect", key->name));
    if (key->fate == Fate::NotYet)
      return diagnostics_.warn(place, fmt::format("{} is known but not acted on yet", key->name));
    set(key->name, one.value, place);
  }

 private:
  void set(std::string_view key, const std::string& value, Place place) {
    if (key == "CgroupPlugin") return set_plugin(value, place);
    if (key == "CgroupMountpoint") {
      if (!value.starts_with('/')) return wrong(place, key, value, "a path that begins with /");
      config_.mount_point = value;
    } else if (key == "MinRAMSpace") {
      auto number = parse_unsigned<std::uint32_t>(value);
      if (!number) return wrong(place, key, value, "a number of megabytes");
      config_.min_memory_mb = *number;
    } else if (key.starts_with("Allowed")) {
      auto number = percent(value);
      if (!number) return wrong(place, key, value, "a percentage");
      (key == "AllowedRAMSpace" ? config_.allowed_memory_percent : config_.allowed_swap_percent) =
          *number;
    } else {
      auto chosen = yes_or_no(value);
      if (!chosen) return wrong(place, key, value, "YES or NO");
      bool& member = key == "ConstrainCores"      ? config_.constrain_cores
                     : key == "ConstrainRAMSpace" ? config_.constrain_memory
                     : key == "ConstrainDevices"  ? config_.constrain_devices
                                                  : config_.constrain_swap;
      member = *chosen;
    }
  }

  void set_plugin(const std::string& value, Place place) {
    for (const char* word : {"autodetect", "cgroup/v1", "cgroup/v2", "disabled"}) {
      if (!same_ignoring_case(value, word)) continue;
      config_.plugin = word;
      return;
    }
    wrong(place, "CgroupPlugin", value, "autodetect, cgroup/v1, cgroup/v2 or disabled");
  }

  void wrong(Place place, std::string_view key, std::string_view value, std::string_view right) {
    diagnostics_.error(place, fmt::format("{}: '{}' is not {}", key, printable(value), right));
  }

  CgroupConfig& config_;
  Diagnostics& diagnostics_;
};

}  // namespace

Result<ParsedCgroupConfig> parse_cgroup_conf(const std::string& path, const ReadFile& read_file) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  ParsedCgroupConfig parsed;
  parsed.config.constrain_cores = parsed.config.constrain_memory = false;
  std::vector<ConfigLine> lines = read_lines(path, read_file, diagnostics, files);
  Reader reader(parsed.config, diagnostics);
  for (const ConfigLine& line : lines) {
    if (diagnostics.full()) break;
    for (const Assignment& one : line.assignments) reader.take(one, line.place);
  }
  if (diagnostics.failed()) return fail(diagnostics.errors());
  parsed.warnings = diagnostics.warnings();
  return parsed;
}

}  // namespace ym
