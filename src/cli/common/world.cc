// SPDX-License-Identifier: Apache-2.0
#include "cli/common/world.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "cli/common/controller.h"
#include "cli/common/local.h"
#include "notation/hostlist.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

extern char** environ;  // NOLINT: the C library's name

namespace ym::cli {
namespace {

constexpr std::size_t kNodelistFileMax = 4 << 20;

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

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> out;
  for (char** variable = environ; variable && *variable; ++variable) out.emplace_back(*variable);
  return out;
}

SubmissionContext submission_context(JobCommand command) {
  mode_t mask = ::umask(0);
  ::umask(mask);
  return {.command = command,
          .now = wall_clock(),
          .zone = &local_zone(),
          .work_dir = working_directory(),
          .host = host_name(),
          .umask = mask,
          .nice = ::getpriority(PRIO_PROCESS, 0),
          .environment = own_environment()};
}

std::string submission_error(const Error& error, const std::string& job_name) {
  if (error.code != kAnswerUnknown) return error.text;
  return fmt::format(
      "the connection to the controller was lost before its answer came ({}).\n"
      "The job may have been accepted. Look before submitting it again: squeue --me --name={}",
      error.text, job_name);
}

Status read_nodelist_file(JobOptions& options) {
  if (options.nodelist_file.empty()) return {};
  auto text = read_file(options.nodelist_file, kNodelistFileMax);
  if (!text) return std::unexpected(text.error());
  std::replace(text->begin(), text->end(), '\n', ',');
  auto hosts = Hostlist::parse(*text);
  if (!hosts) return fail(fmt::format("{}: {}", options.nodelist_file, hosts.error().text));
  options.extras.required_nodes = hosts->str();
  return {};
}

}  // namespace ym::cli
