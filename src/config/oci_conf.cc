// SPDX-License-Identifier: Apache-2.0
#include "config/oci_conf.h"

#include <regex.h>

#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "config/debug_flags.h"
#include "config/values.h"
#include "config/yes_or_no.h"
#include "notation/oci_pattern.h"

namespace ym {
namespace {

constexpr std::string_view kKeys[] = {
    "ContainerPath", "CreateEnvFile", "DebugFlags",    "DisableCleanup",
    "DisableHooks",  "EnvExclude",    "FileDebug",     "IgnoreFileConfigJson",
    "MountSpoolDir", "RunTimeCreate", "RunTimeDelete", "RunTimeEnvExclude",
    "RunTimeKill",   "RunTimeQuery",  "RunTimeRun",    "RunTimeStart",
    "SrunArgs",      "SrunPath",      "StdIODebug",    "SyslogDebug",
};

// Types of hooks in OCI's runtime specification.
constexpr std::string_view kHooks[] = {"prestart",       "createRuntime", "createContainer",
                                       "startContainer", "poststart",     "poststop"};

struct PatternKey {
  std::string_view name;
  std::string OciConfig::* member;
  bool may_name_pid;  // %p: there is a process already
};
constexpr PatternKey kPatterns[] = {
    {"ContainerPath", &OciConfig::container_path, false},
    {"MountSpoolDir", &OciConfig::mount_spool_dir, false},
    {"RunTimeCreate", &OciConfig::create, false},
    {"RunTimeStart", &OciConfig::start, false},
    {"RunTimeRun", &OciConfig::run, false},
    {"RunTimeQuery", &OciConfig::query, false},
    {"RunTimeKill", &OciConfig::kill, true},
    {"RunTimeDelete", &OciConfig::remove, true},
};

std::optional<EnvironmentFile> environment_file(std::string_view text) {
  for (const char* word : {"null", "true"})
    if (same_ignoring_case(text, word)) return EnvironmentFile::Null;
  for (const char* word : {"disabled", "false"})
    if (same_ignoring_case(text, word)) return EnvironmentFile::None;
  if (same_ignoring_case(text, "newline")) return EnvironmentFile::Newline;
  return std::nullopt;
}

// Why it is no extended regular expression; empty if it is one.
std::string trouble_with(const std::string& expression) {
  regex_t compiled;
  int code = ::regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code == 0) {
    ::regfree(&compiled);
    return {};
  }
  char text[128];
  ::regerror(code, &compiled, text, sizeof text);
  return text;
}

class Reader {
 public:
  Reader(OciConfig& config, Diagnostics& diagnostics)
      : config_(config), diagnostics_(diagnostics) {}

  void take(const Assignment& one, Place place) {
    std::string_view key;
    for (std::string_view known : kKeys)
      if (same_ignoring_case(known, one.key)) key = known;
    if (key.empty()) return unknown(one.key, place);
    for (const PatternKey& pattern : kPatterns)
      if (pattern.name == key) return set_pattern(pattern, one.value, place);
    if (key.ends_with("EnvExclude")) return set_expression(key, one.value, place);
    if (key == "StdIODebug" || key == "FileDebug" || key == "SyslogDebug")
      return set_level(key, one.value, place);
    set(key, one.value, place);
  }

 private:
  void unknown(const std::string& key, Place place) {
    std::string_view meant = nearest(key, {std::begin(kKeys), std::end(kKeys)});
    diagnostics_.error(place,
                       fmt::format("unknown key {}{}", printable(key),
                                   meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }

  void set_pattern(const PatternKey& key, const std::string& value, Place place) {
    if (auto good = check_oci_pattern(value, key.may_name_pid); !good)
      return diagnostics_.error(place, fmt::format("{}: {}", key.name, good.error().text));
    bool path = key.name == "ContainerPath" || key.name == "MountSpoolDir";
    if (path && !value.starts_with('/'))
      return wrong(place, key.name, value, "a path that begins with /");
    config_.*key.member = value;
  }

  void set_expression(std::string_view key, const std::string& value, Place place) {
    if (std::string trouble = trouble_with(value); !trouble.empty())
      return diagnostics_.error(place, fmt::format("{}: '{}' is no regular expression: {}", key,
                                                   printable(value), trouble));
    (key == "EnvExclude" ? config_.env_exclude : config_.runtime_env_exclude) = value;
  }

  // What is said on stderr; the shepherd has no log of its own whose level could be changed.
  void set_level(std::string_view key, const std::string& value, Place place) {
    std::string_view level = debug_level(value);
    if (level.empty()) return wrong(place, key, value, "a debug level");
    if (key != "StdIODebug") return no_effect(place, key);
    config_.tell_operations = level == "verbose" || level.starts_with("debug");
  }

  void set(std::string_view key, const std::string& value, Place place) {
    if (key == "CreateEnvFile") {
      auto kind = environment_file(value);
      if (!kind) return wrong(place, key, value, "null, newline or disabled");
      config_.environment_file = *kind;
    } else if (key == "DisableHooks") {
      set_hooks(value, place);
    } else if (key == "DebugFlags") {
      no_effect(place, key);
    } else if (key.starts_with("Srun")) {
      diagnostics_.warn(place, fmt::format("{} is for scrun, which there is not", key));
    } else {
      auto chosen = yes_or_no(value);
      if (!chosen) return wrong(place, key, value, "true or false");
      (key == "DisableCleanup" ? config_.keep_files : config_.ignore_config) = *chosen;
    }
  }

  void set_hooks(const std::string& value, Place place) {
    config_.disabled_hooks.clear();
    for (std::string_view word : split_words(value, ',')) {
      std::string_view hook;
      for (std::string_view known : kHooks)
        if (same_ignoring_case(known, word)) hook = known;
      if (hook.empty())
        return wrong(place, "DisableHooks", word,
                     "prestart, createRuntime, createContainer, startContainer, poststart or "
                     "poststop");
      config_.disabled_hooks.emplace_back(hook);
    }
  }

  void no_effect(Place place, std::string_view key) {
    diagnostics_.warn(place, fmt::format("{} is known but not acted on yet", key));
  }

  void wrong(Place place, std::string_view key, std::string_view value, std::string_view right) {
    diagnostics_.error(place, fmt::format("{}: '{}' is not {}", key, printable(value), right));
  }

  OciConfig& config_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::span<const std::string_view> oci_keys() { return kKeys; }

Result<ParsedOciConfig> parse_oci_conf(const std::string& path, const ReadFile& read_file) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  ParsedOciConfig parsed;
  parsed.config.configured = true;
  parsed.config.mount_spool_dir.clear();  // ContainerPath's own name, since Slurm 25.05
  std::vector<ConfigLine> lines = read_lines(path, read_file, diagnostics, files);
  Reader reader(parsed.config, diagnostics);
  for (const ConfigLine& line : lines) {
    if (diagnostics.full()) break;
    for (const Assignment& one : line.assignments) reader.take(one, line.place);
  }
  const OciConfig& config = parsed.config;
  bool two_steps = !config.create.empty() && !config.start.empty() && !config.query.empty();
  if (!diagnostics.failed() && config.run.empty() && !two_steps)
    diagnostics.error({},
                      "nothing runs a container: RunTimeRun is missing, or RunTimeCreate with "
                      "RunTimeStart and RunTimeQuery");
  if (diagnostics.failed()) return fail(diagnostics.errors());
  parsed.warnings = diagnostics.warnings();
  return parsed;
}

}  // namespace ym
