// SPDX-License-Identifier: Apache-2.0
#include "cli/options/exports.h"

#include "base/format.h"
#include "base/text.h"
#include "notation/array.h"
#include "notation/limit_names.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::size_t kExportFileMax = 4 << 20;

bool is_ours(std::string_view variable) {
  return variable.starts_with("SLURM_") || variable.starts_with("SPANK_");
}

void set_entry(EnvironmentBlock& out, std::string_view entry) {
  auto equals = entry.find('=');
  if (equals != std::string_view::npos && equals > 0)
    out.set(entry.substr(0, equals), std::string(entry.substr(equals + 1)));
}

// The values of variables that the list only names.
void add_named(EnvironmentBlock& out, std::string_view name,
               const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.size() > name.size() && variable.starts_with(name) && variable[name.size()] == '=')
      set_entry(out, variable);
  }
}

// A path, or the number of a descriptor that the caller left open.
Status add_file(EnvironmentBlock& out, const std::string& file) {
  auto number = parse_unsigned<std::uint32_t>(file);
  if (number && *number < 3)
    return fail("--export-file: standard input and output cannot be read from");
  auto text = number ? read_descriptor(static_cast<int>(*number), file, kExportFileMax)
                     : read_file(file, kExportFileMax);
  if (!text) return fail(fmt::format("Could not open user environment file {}", file));
  for (std::string_view entry : split(*text, '\0')) {
    while (entry.starts_with('\n')) entry.remove_prefix(1);
    if (entry.empty()) continue;
    if (entry.find('=') == std::string_view::npos || entry.starts_with('='))
      return fail(fmt::format("--export-file: '{}' is not NAME=VALUE", printable(entry)));
    set_entry(out, entry);
  }
  return {};
}

// What is the same for all elements of an array; an environment is stored once for all of them.
void set_array(EnvironmentBlock& out, const std::string& array) {
  for (const char* name : {"SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                           "SLURM_ARRAY_TASK_STEP"})
    out.remove(name);
  auto expression = array.empty() ? fail("") : ArrayExpression::parse(array);
  if (!expression || expression->indices.empty()) return;
  const IndexSet& indices = expression->indices;
  out.set("SLURM_ARRAY_TASK_COUNT", indices.count());
  out.set("SLURM_ARRAY_TASK_MIN", indices.min());
  out.set("SLURM_ARRAY_TASK_MAX", indices.max());
  out.set("SLURM_ARRAY_TASK_STEP", indices.runs().front().step);
}

}  // namespace

std::vector<std::string> export_words(std::string_view list) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  for (char c : list) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
    } else if (c == ',' && quote == 0) {
      if (!word.empty()) out.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

EnvironmentBlock exported_environment(std::string_view list,
                                      const std::vector<std::string>& environment) {
  EnvironmentBlock out;
  bool all = list.empty();
  if (!same_ignoring_case(list, "NONE") && !same_ignoring_case(list, "NIL")) {
    for (const std::string& word : export_words(list)) {
      if (same_ignoring_case(word, "ALL"))
        all = true;
      else if (word.find('=') != std::string::npos)
        set_entry(out, word);
      else
        add_named(out, word, environment);
    }
  }
  for (const std::string& variable : environment) {
    if (all || is_ours(variable)) set_entry(out, variable);
  }
  return out;
}

Result<EnvironmentBlock> batch_environment(const JobOptions& options,
                                           const SubmissionContext& context) {
  EnvironmentBlock out = exported_environment(options.export_list, context.environment);
  if (!options.export_file.empty()) {
    if (Status read = add_file(out, options.export_file); !read)
      return std::unexpected(read.error());
  }
  for (const char* of_another : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_CPUS_PER_TASK"})
    out.remove(of_another);
  if (options.tasks) {
    out.set("SLURM_NTASKS", *options.tasks);
    out.set("SLURM_NPROCS", *options.tasks);
  }
  if (options.cpus_per_task) out.set("SLURM_CPUS_PER_TASK", *options.cpus_per_task);
  set_array(out, options.array);
  out.remove("SLURM_JOB_DEPENDENCY");
  if (!options.dependency.empty()) out.set("SLURM_JOB_DEPENDENCY", options.dependency);
  if (!options.export_list.empty()) out.set("SLURM_EXPORT_ENV", options.export_list);
  out.set("SLURM_SUBMIT_DIR", context.work_dir);
  out.set("SLURM_SUBMIT_HOST", context.host);
  out.set("SLURM_UMASK", fmt::format("{:04o}", options.umask.value_or(context.umask)));
  out.set("SLURM_PRIO_PROCESS", fmt::format("{}", context.nice));
  return out;
}

void add_limits(EnvironmentBlock& environment, const std::vector<ResourceLimit>& limits) {
  for (const ResourceLimit& limit : limits) {
    std::string_view name = limit_name(limit.kind);
    if (name.empty()) continue;
    environment.set(fmt::format("SLURM_RLIMIT_{}", name),
                    fmt::format("{}{}", limit.required ? "U" : "", limit.soft));
  }
}

}  // namespace ym::cli
