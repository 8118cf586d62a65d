// SPDX-License-Identifier: Apache-2.0
#include "shepherd/container.h"

#include <fcntl.h>
#include <regex.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/format.h"
#include "net/json_object.h"
#include "notation/oci_pattern.h"
#include "os/files.h"
#include "shepherd/bundle.h"
#include "shepherd/container_runtime.h"
#include "shepherd/task_child.h"

namespace ym {
namespace {

constexpr const char* kInvalid = "Container runtime not configured or invalid";
constexpr const char* kScript = "slurm_script";

[[noreturn]] void refuse_container(const std::string& why) {
  complain(fmt::format("{}: {}", kInvalid, why));
  ::_exit(1);
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_folder(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

// What the patterns say about one task.
OciPatternValues values_of(const TaskSetup& setup) {
  const ShepherdOrder& order = setup.order;
  OciPatternValues values{.job = order.job.value,
                          .spool = order.spool_dir,
                          .node = order.node,
                          .step = order.step.value,
                          .task = setup.task.rank,
                          .user = order.user_name,
                          .uid = order.uid,
                          .work_dir = order.work_dir};
  values.spool = order.oci.container_path.empty()
                     ? setup.container_spool
                     : without_slashes(expand_oci_pattern(order.oci.container_path, values));
  std::string folder = fmt::format("{}/task-{}", values.spool, setup.task.rank);
  values.bundle = order.oci.ignore_config ? order.container : folder;
  if (order.oci.environment_file != EnvironmentFile::None)
    values.environment_file = folder + "/environment";
  values.rootfs = order.container;
  return values;
}

std::string folder_of_task(const OciPatternValues& values) {
  return fmt::format("{}/task-{}", values.spool, values.task);
}

std::string bundle_path(const ShepherdOrder& order) {
  if (order.container.starts_with('/')) return without_slashes(order.container);
  return without_slashes(fmt::format("{}/{}", order.work_dir, order.container));
}

void write_or_refuse(const std::string& path, std::string_view bytes, mode_t mode) {
  if (auto wrote = write_file(path, bytes, mode, Sync::No); !wrote)
    refuse_container(wrote.error().text);
}

void write_environment_file(const std::string& path, EnvironmentFile kind,
                            const std::vector<std::string>& entries) {
  std::string bytes;
  for (const std::string& entry : entries) {
    bool lines = kind == EnvironmentFile::Newline;
    if (lines && entry.find('\n') != entry.npos) continue;  // nobody could tell its end
    bytes += entry;
    bytes += lines ? '\n' : '\0';
  }
  write_or_refuse(path, bytes, 0600);
}

// The job's own working directory if it is in there, too.
std::string inner_folder(const std::string& folder, const BundleFacts& facts) {
  for (const std::string& bind : facts.binds) {
    std::string top = without_slashes(bind);
    if (folder == top || folder.starts_with(top == "/" ? top : top + "/")) return folder;
  }
  return is_folder(facts.rootfs + folder) ? folder : std::string();
}

// A container whose file system is not the user's to write to has no place for a folder that it
// does not bring along. Only a batch script cannot do without.
bool shows_spool(const TaskSetup& setup, const BundleFacts& facts, const std::string& inside) {
  return !setup.script.empty() || is_folder(facts.rootfs + inside);
}

// Writes the changed bundle; fills in where the container's root is.
void write_bundle(const TaskSetup& setup, OciPatternValues& values,
                  const std::vector<std::string>& environment) {
  const ShepherdOrder& order = setup.order;
  std::string bundle = bundle_path(order);
  auto config = read_file(bundle + "/config.json", kBundleConfigMax);
  if (!config) refuse_container(config.error().text);
  auto facts = bundle_facts(*config, bundle);
  if (!facts) refuse_container(fmt::format("{}/config.json: {}", bundle, facts.error().text));
  values.rootfs = facts->rootfs;
  // Since Slurm 25.05 the step's folder, under its own name unless told otherwise.
  std::string inside = order.oci.mount_spool_dir.empty()
                           ? values.spool
                           : without_slashes(expand_oci_pattern(order.oci.mount_spool_dir, values));
  BundleChange change{
      .bundle = bundle,
      .arguments = values.command,
      .environment = environment,
      .cwd = inner_folder(order.work_dir, *facts),
      .terminal = order.pty && &setup.task == &order.tasks.front() && !order.oci.run.empty(),
      .disabled_hooks = order.oci.disabled_hooks};
  if (shows_spool(setup, *facts, inside)) {
    change.mount_from = values.spool;
    change.mount_to = inside;
  }
  if (!setup.script.empty())
    change.arguments[0] = fmt::format("{}/task-{}/{}", inside, values.task, kScript);
  auto changed = change_bundle(*config, change);
  if (!changed) refuse_container(fmt::format("{}/config.json: {}", bundle, changed.error().text));
  write_or_refuse(values.bundle + "/config.json", *changed, 0600);
}

// Everything that the runtime finds in the task's folder.
OciPatternValues prepare_container(const TaskSetup& setup, std::vector<std::string> arguments,
                                   const EnvironmentBlock& environment) {
  const ShepherdOrder& order = setup.order;
  if (!order.oci.configured) refuse_container("there is no oci.conf");
  OciPatternValues values = values_of(setup);
  std::string folder = folder_of_task(values);
  if (auto made = make_folders(folder, 0700); !made) refuse_container(made.error().text);
  if (!setup.script.empty()) {
    std::string copy = fmt::format("{}/{}", folder, kScript);
    write_or_refuse(copy, order.script, 0700);
    arguments[0] = copy;
  }
  values.command = std::move(arguments);
  std::vector<std::string> entries = filtered_environment(environment, order.oci.env_exclude);
  if (!values.environment_file.empty())
    write_environment_file(values.environment_file, order.oci.environment_file, entries);
  if (!order.oci.ignore_config) write_bundle(setup, values, entries);
  return values;
}

ContainerRuntime runtime_of(const TaskSetup& setup, const EnvironmentBlock& environment) {
  return {.config = setup.order.oci,
          .environment = filtered_environment(environment, setup.order.oci.runtime_env_exclude)};
}

}  // namespace

std::vector<std::string> filtered_environment(const EnvironmentBlock& environment,
                                              const std::string& exclude) {
  regex_t expression;
  bool filters =
      !exclude.empty() && ::regcomp(&expression, exclude.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  std::vector<std::string> out;
  std::string bytes = environment.bytes();
  for (const char* entry : environment_pointers(bytes)) {
    if (!entry) break;
    if (!filters || ::regexec(&expression, entry, 0, nullptr, 0) != 0) out.emplace_back(entry);
  }
  if (filters) ::regfree(&expression);
  return out;
}

Result<ContainerState> parse_container_state(std::string_view text) {
  auto object = JsonObject::parse(text, kContainerStateMax);
  if (!object) return std::unexpected(object.error());
  ContainerState state;
  const JsonObject::Value* status = object->find("status");
  const auto* word = status ? std::get_if<std::string>(status) : nullptr;
  if (!word) return fail("no status in it");
  state.status = *word;
  const JsonObject::Value* pid = object->find("pid");
  const auto* number = pid ? std::get_if<std::int64_t>(pid) : nullptr;
  if (number && *number > 0 && *number <= 0x7fffffff)
    state.pid = static_cast<std::uint32_t>(*number);
  return state;
}

Result<std::string> make_container_spool(const ShepherdOrder& order) {
  if (order.container.empty() || !order.oci.container_path.empty()) return std::string();
  std::string all = order.spool_dir + "/containers";
  if (auto made = make_folders(all, 0711); !made) return std::unexpected(made.error());
  std::string mine =
      fmt::format("{}/{}.{}.{:016x}", all, order.job.value, order.step.value, order.sluid.value);
  // Nobody but us writes there, so it is ours if it is there already.
  if (::mkdir(mine.c_str(), 0700) != 0 && errno != EEXIST) return fail(errno_text(mine));
  if (::geteuid() == 0 && ::chown(mine.c_str(), order.uid, order.gid) != 0)
    return fail(errno_text(mine));
  return mine;
}

void run_in_container(const TaskSetup& setup, std::vector<std::string> arguments,
                      const EnvironmentBlock& environment) {
  OciPatternValues values = prepare_container(setup, std::move(arguments), environment);
  ContainerRuntime runtime = runtime_of(setup, environment);
  if (runtime.config.run.empty()) create_and_start(runtime, values);
  become_runtime(runtime, values);
}

void kill_container(const TaskSetup& setup, pid_t task, const EnvironmentBlock& environment) {
  OciPatternValues values = values_of(setup);
  values.pid = static_cast<std::uint32_t>(task);
  run_operation(runtime_of(setup, environment), setup.order.oci.kill, values);
}

void clean_container(const TaskSetup& setup, pid_t task, const EnvironmentBlock& environment) {
  const OciConfig& config = setup.order.oci;
  OciPatternValues values = values_of(setup);
  values.pid = static_cast<std::uint32_t>(task);
  ContainerRuntime runtime = runtime_of(setup, environment);
  bool known = config.query.empty() || query_container(runtime, values).has_value();
  if (known) {
    run_operation(runtime, config.kill, values);
    run_operation(runtime, config.remove, values);
  }
  if (config.keep_files) return;
  std::error_code error;
  std::filesystem::remove_all(folder_of_task(values), error);
  ::rmdir(values.spool.c_str());  // if it was the last; in the spool it is the shepherd's to remove
}

}  // namespace ym
