// SPDX-License-Identifier: Apache-2.0
#include "cli/common/world.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "cli/common/controller.h"
#include "cli/common/host_functions.h"
#include "cli/common/hostfile.h"
#include "cli/common/local.h"
#include "notation/hostlist.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

extern char** environ;  // NOLINT: the C library's name

namespace ym::cli {
namespace {

constexpr std::size_t kNodelistFileMax = 4 << 20;
constexpr std::size_t kBurstBufferFileMax = 64 << 10;

// $PWD if it is this folder: it may have a nicer name than the kernel's.
std::string working_directory() {
  char path[PATH_MAX];
  std::string real = ::getcwd(path, sizeof path) ? path : "/";
  auto named = environment_variable("PWD");
  struct stat a{}, b{};
  if (named && named->starts_with('/') && ::stat(named->c_str(), &a) == 0 && ::stat(".", &b) == 0 &&
      a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    return *named;
  return real;
}

Status read_nodes(JobOptions& options) {
  bool by_nodefile = !options.nodefile.empty();
  const std::string& path = by_nodefile ? options.nodefile : options.nodelist_file;
  if (path.empty()) return {};
  auto text = read_file(path, kNodelistFileMax);
  if (!text) {
    std::string reason = text.error().text;
    if (auto colon = reason.rfind(": "); colon != std::string::npos) reason.erase(0, colon + 2);
    return fail(kWholeText, fmt::format("slurm_allocate_resources error opening file {}, {}\n"
                                        "Invalid --{} node file",
                                        path, reason, by_nodefile ? "nodefile" : "nodelist"));
  }
  std::replace(text->begin(), text->end(), '\n', ',');
  auto hosts = Hostlist::parse(*text);
  if (!hosts) return fail(kWholeText, fmt::format("{}: {}", path, hosts.error().text));
  if (hosts->empty())
    return by_nodefile ? fail(kWholeText, "Hostlist is empty!\nInvalid --nodefile node file")
                       : fail(kWholeTextOne, "Hostlist is empty!");
  options.extras.required_nodes = hosts->str();
  return {};
}

// From this machine's own files: see local.h.
Status resolve_identity(JobOptions& options) {
  bool root = ::getuid() == 0;
  if (!options.uid.empty()) {
    auto user = local_user(options.uid);
    if (!user) return fail(kWholeText, "Invalid --uid specification");
    if (!root) return fail(kWholeText, "--uid only permitted by root user");
    options.spec.uid = Uid{user->uid};
    options.spec.gid = Gid{user->gid};
    options.spec.user_name = user->name;
  }
  if (!options.gid.empty()) {
    auto number = local_group(options.gid);
    if (!number) return fail(kWholeText, "Invalid --gid specification");
    if (!root) return fail(kWholeText, "--gid only permitted by root user");
    options.spec.gid = Gid{*number};
  }
  return {};
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** variable = environ; variable && *variable; ++variable) out.emplace_back(*variable);
  return out;
}

SubmissionContext submission_context(JobCommand command, const std::vector<std::string>& words) {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return {.command = command,
          .now = wall_clock(),
          .zone = &local_zone(),
          .work_dir = working_directory(),
          .host = host_name(),
          .umask = mask,
          .nice = ::getpriority(PRIO_PROCESS, 0),
          .environment = own_environment(),
          .line = typed_line(command, words)};
}

std::string submission_error(const Error& error, const std::string& job_name) {
  if (error.code != kAnswerUnknown) return error.text;
  return fmt::format(
      "the connection to the controller was lost before its answer came ({}).\n"
      "The job may have been accepted. Look before submitting it again: squeue --me --name={}",
      error.text, job_name);
}

std::string expectation(const SubmitAnswer& answer) {
  if (!answer.expected_start) return "The request is valid";
  return fmt::format("Job {} to start at {} using {} processors on nodes {} in partition {}",
                     answer.job.value, print_timestamp(answer.expected_start, local_zone()),
                     answer.cpus, answer.nodes, answer.partition);
}

Status read_hostfile(JobOptions& options) {
  std::string path = environment_variable("SLURM_HOSTFILE").value_or("");
  if (path.empty()) return {};
  auto text = read_file(path, kHostfileMax + 1);
  if (!text) return fail(fmt::format("SLURM_HOSTFILE: {}", text.error().text));
  auto hosts = hosts_of_file(*text);
  if (!hosts) return fail(fmt::format("SLURM_HOSTFILE {}: {}", path, hosts.error().text));
  options.hosts = *hosts;
  if (options.jobid) return {};
  // Our own allocation has these nodes, each once, and room for the tasks.
  Hostlist list = *Hostlist::parse(options.hosts), nodes = list.uniq();
  options.extras.required_nodes = nodes.str();
  options.min_nodes = options.max_nodes = static_cast<std::uint32_t>(nodes.count());
  if (!options.tasks) options.tasks = static_cast<std::uint32_t>(list.count());
  std::map<std::string, std::uint32_t, std::less<>> tasks;
  std::uint32_t most = 0;
  list.for_each([&](std::string_view host) { most = std::max(most, ++tasks[std::string(host)]); });
  most *= options.cpus_per_task.value_or(1);
  options.spec.min_cpus_per_node = std::max(options.spec.min_cpus_per_node, most);
  return {};
}

namespace {

// feature{x} and the like in -w and -x: the nodes that they mean now.
Status resolve_functions(JobOptions& options) {
  for (std::string* list : {&options.extras.required_nodes, &options.extras.excluded_nodes}) {
    if (!has_host_function(*list)) continue;
    auto controller = Controller::open();
    if (!controller) return std::unexpected(controller.error());
    auto hosts = resolve_hosts(*list, sources_of(*controller));
    if (!hosts) return fail(kWholeText, hosts.error().text);
    *list = hosts->str();
  }
  return {};
}

}  // namespace

Status settle_outside(JobOptions& options) {
  if (Status read = read_nodes(options); !read) return read;
  if (Status resolved = resolve_functions(options); !resolved) return resolved;
  bool by_file = options.extras.binding.distribution.starts_with("arbitrary");
  if (Status read = by_file ? read_hostfile(options) : Status{}; !read) return read;
  if (!options.burst_buffer_file.empty()) {
    auto text = read_file(options.burst_buffer_file, kBurstBufferFileMax);
    if (!text) return fail(kWholeTextOne, "Invalid --bbf specification");
    options.extras.burst_buffer = std::move(*text);
  }
  return resolve_identity(options);
}

}  // namespace ym::cli
