// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/yardmaster/up.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr Duration kOutputPatience = std::chrono::seconds(5);

std::vector<std::string> environment_for(const LoadedConfiguration& loaded) {
  std::vector<std::string> out = clean_environment();
  out.push_back("SLURM_CONF=" + loaded.path);
  return out;
}

// Shows the command as a user would type it, then what it prints.
Result<std::string> run_command(const LoadedConfiguration& loaded, const std::string& program,
                                const std::vector<std::string>& arguments) {
  std::string shown = program;
  for (const std::string& one : arguments)
    shown += one.find_first_of(" $;") == std::string::npos ? " " + one : fmt::format(" '{}'", one);
  print(fmt::format("\n$ {}\n", shown));
  auto path = find_program(program);
  if (!path) return std::unexpected(path.error());
  auto child = spawn({.program = *path,
                      .arguments = arguments,
                      .environment = environment_for(loaded),
                      .folder = {},
                      .capture = true});
  if (!child) return std::unexpected(child.error());
  ChildEnd end = wait_for_child(*child);
  print(end.output);
  if (end.exit_code != 0)
    return fail(fmt::format("{} ended with exit code {}", program, end.exit_code));
  return end.output;
}

Status show_batch_job(const LoadedConfiguration& loaded) {
  std::string folder =
      loaded.config.controller_log.substr(0, loaded.config.controller_log.rfind('/'));
  std::string output = folder + "/first-job.out";
  ::unlink(output.c_str());
  auto submitted =
      run_command(loaded, "sbatch",
                  {"--wait", "--output=" + output, "--wrap",
                   "echo Hello from job $SLURM_JOB_ID on node $SLURMD_NODENAME, as $(id -un)"});
  if (!submitted) return std::unexpected(submitted.error());
  std::string text;
  wait_until(kOutputPatience, [&] {
    text = read_file(output, 1 << 16).value_or("");
    return !text.empty();
  });
  print(fmt::format("\n$ cat {}\n{}", output, text));
  if (text.empty()) return fail("the first job has left no output");
  return {};
}

}  // namespace

std::string how_to_reach(const LoadedConfiguration& loaded) {
  std::string out = fmt::format("  export PATH={}:$PATH\n", program_folder());
  auto found = find_configuration();
  bool by_variable = environment_variable("SLURM_CONF").has_value();
  if (!found || *found != loaded.path || by_variable)
    out += fmt::format("  export SLURM_CONF={}\n", loaded.path);
  return "To use it, type:\n" + out;
}

Status run_demo(const LoadedConfiguration& loaded) {
  if (Status done = show_batch_job(loaded); !done) return done;
  std::string width = loaded.config.nodes.size() > 1 ? "-N2" : "-N1";
  auto ran = run_command(loaded, "srun",
                         {width, "sh", "-c", "echo task $SLURM_PROCID runs on $SLURMD_NODENAME"});
  if (!ran) return std::unexpected(ran.error());
  Controller controller(loaded);
  wait_until(kOutputPatience, [&] {
    auto jobs = ask_active_jobs(controller);
    return !jobs || jobs->empty();
  });
  auto shown = run_command(loaded, "sinfo", {});
  if (!shown) return std::unexpected(shown.error());
  print("\n" + how_to_reach(loaded) +
        "and then, for example:\n"
        "  sbatch --wrap 'hostname; sleep 30'   a batch job; its output lands in slurm-N.out\n"
        "  squeue                               what waits and what runs\n"
        "  srun -N2 hostname                    a command on two nodes, its output here\n"
        "  scancel N                            enough\n"
        "  yardmaster status, doctor, events    look behind the curtain\n"
        "  yardmaster down                      stop the cluster (./dev down does the same)\n");
  return {};
}

}  // namespace ym::cli
