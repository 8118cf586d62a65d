// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/bcast.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/sbcast/broadcast.h"
#include "cli/sbcast/libraries.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

// The copies of its libraries are found before others.
void prepend_library_path(std::string& environment, const std::string& folder) {
  std::string out, before;
  for (std::string_view entry : split(environment, '\0')) {
    if (entry.starts_with("LD_LIBRARY_PATH="))
      before = entry.substr(16);
    else if (!entry.empty())
      out.append(entry).push_back('\0');
  }
  out += fmt::format("LD_LIBRARY_PATH={}{}{}", folder, before.empty() ? "" : ":", before);
  out.push_back('\0');
  environment = std::move(out);
}

}  // namespace

std::string bcast_destination(const std::string& wish, std::string_view parameters,
                              const std::string& work_dir, const StepCreated& step) {
  std::string folder = bcast_parameter(parameters, "DestDir").value_or("");
  if (folder.empty()) folder = work_dir;
  std::string path = wish.starts_with('/') ? wish : fmt::format("{}/{}", folder, wish);
  if (path.ends_with('/'))
    path += fmt::format("slurm_bcast_{}.{}", step.job.value, step.step.id.value);
  return path;
}

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return name;
  for (std::string_view folder : split(path, ':')) {
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    struct stat about;
    if (::stat(candidate.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
        ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return name;
}

Status bcast_program(Controller& controller, const JobOptions& options, const StepCreated& step,
                     LaunchTasks& launch) {
  if (!options.bcast) return {};
  if (options.multi_prog) return fail("--bcast copies one program, not those of --multi-prog");
  auto job = controller.ask<StepCreated>(GetJobCredential{.job = step.job});
  if (!job) return std::unexpected(job.error());
  job->nodes = step.nodes;
  const std::string& parameters = controller.config().bcast_parameters;
  BroadcastWish wish{
      .source = find_program(launch.arguments.front(), environment_variable("PATH").value_or("")),
      .destination = bcast_destination(*options.bcast, parameters, launch.work_dir, step),
      .force = true};
  wish.compress = options.bcast_compress.value_or(
      parse_compression(bcast_parameter(parameters, "Compression").value_or("none"))
          .value_or(false));
  bool libraries = options.send_libs.value_or(bcast_parameter(parameters, "send_libs").has_value());
  auto exclusions =
      parse_exclusions(options.bcast_exclude.value_or(controller.config().bcast_exclude));
  auto failed = libraries ? broadcast_with_libraries(controller, *job, wish, exclusions)
                          : broadcast(controller, *job, wish);
  if (!failed) return std::unexpected(failed.error());
  if (!failed->empty())
    return fail(fmt::format("could not copy the program to {}: {}", failed->front().node,
                            printable(failed->front().error, 1000)));
  launch.arguments.front() = wish.destination;
  if (libraries) prepend_library_path(launch.environment, wish.destination + "_libs");
  return {};
}

}  // namespace ym::cli
