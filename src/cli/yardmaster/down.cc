// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/up.h"
#include "cli/yardmaster/yardmaster.h"
#include "site/personal.h"

namespace ym::cli {
namespace {

constexpr Duration kJobsPatience = std::chrono::seconds(15);
constexpr Duration kShutdownPatience = std::chrono::seconds(5);
constexpr Duration kTermPatience = std::chrono::seconds(5);
constexpr Duration kKillPatience = std::chrono::seconds(5);

struct DownSettings {
  std::string dir;
  bool keep_jobs = false, quiet = false;
};

std::vector<Option<DownSettings>> down_table() {
  return {
      {{.name = "dir",
        .takes = Takes::Value,
        .argument = "DIR",
        .help = "Where the cluster lives; usually ~/.local/state/yardmaster"},
       [](DownSettings& s, std::string_view v) -> Status {
         s.dir = v;
         return {};
       }},
      {{.name = "keep-jobs", .help = "Let running jobs run on; the next `up` finds them again"},
       [](DownSettings& s, std::string_view) -> Status {
         s.keep_jobs = true;
         return {};
       }},
      {{.name = "quiet", .letter = 'q', .help = "Say nothing unless something goes wrong"},
       [](DownSettings& s, std::string_view) -> Status {
         s.quiet = true;
         return {};
       }},
  };
}

class Stopping {
 public:
  Stopping(const DownSettings& settings, std::string folder, LoadedConfiguration loaded)
      : settings_(settings), folder_(std::move(folder)), loaded_(std::move(loaded)) {}

  Status run() {
    if (processes().empty()) {
      say(fmt::format("{} is not running", loaded_.config.cluster_name));
      return {};
    }
    if (ping_quickly(loaded_)) {
      Controller controller(loaded_);
      if (!settings_.keep_jobs) cancel_jobs(controller);
      static_cast<void>(controller.ask<Done>(Shutdown{}, Asking::Once));
      wait_gone(kShutdownPatience);
    }
    for (auto [signal, patience] : {std::pair(SIGTERM, kTermPatience), {SIGKILL, kKillPatience}}) {
      for (const ClusterProcess& process : daemons()) ::kill(process.pid, signal);
      wait_gone(patience);
    }
    if (!settings_.keep_jobs) end_shepherds();
    auto left = settings_.keep_jobs ? daemons() : processes();
    if (left.empty()) {
      // Sockets of a deep folder live in a folder of their own, which is needed no more.
      const std::string& pid_file = loaded_.config.controller_pid_file;
      if (!pid_file.starts_with(folder_ + "/"))
        ::rmdir(pid_file.substr(0, pid_file.rfind('/')).c_str());
      say(fmt::format("{} is down", loaded_.config.cluster_name));
      return {};
    }
    std::string text = "these processes could not be ended:";
    for (const ClusterProcess& one : left) text += fmt::format(" {} ({})", one.pid, one.program);
    return fail(text);
  }

 private:
  std::vector<ClusterProcess> processes() const { return processes_of(loaded_); }
  std::vector<ClusterProcess> daemons() const {
    auto all = processes();
    std::erase_if(all, [](const ClusterProcess& one) { return one.program == "slurmstepd"; });
    return all;
  }
  void wait_gone(Duration patience) {
    wait_until(patience, [&] { return daemons().empty(); });
  }
  void say(const std::string& text) {
    if (!settings_.quiet) print(text + "\n");
  }

  void cancel_jobs(Controller& controller) {
    auto jobs = ask_active_jobs(controller);
    if (!jobs || jobs->empty()) return;
    say(fmt::format("cancelling {}", counted(jobs->size(), "job")));
    AlterJobs cancel{.verb = JobVerb::Cancel};
    for (const JobRow& row : *jobs) cancel.filter.targets.push_back({.job = row.job.id});
    auto answer = controller.ask<AlterAnswer>(cancel);
    if (!answer) complain(kYardmaster, answer.error().text);
    wait_until(kJobsPatience, [&] {
      auto left = ask_active_jobs(controller);
      return !left || left->empty();
    });
  }

  // A shepherd that outlived its job's cancellation ends, and everything that it started.
  void end_shepherds() {
    for (const ClusterProcess& one : processes()) {
      for (pid_t pid : descendants_of(one.pid)) ::kill(pid, SIGKILL);
      ::kill(one.pid, SIGKILL);
    }
    wait_until(kKillPatience, [&] { return processes().empty(); });
  }

  const DownSettings& settings_;
  const std::string folder_;
  const LoadedConfiguration loaded_;
};

Status down(const DownSettings& settings) {
  auto folder = cluster_folder(settings.dir);
  if (!folder) return std::unexpected(folder.error());
  std::string path = personal_configuration(*folder);
  if (::access(path.c_str(), F_OK) != 0)
    return fail(fmt::format("there is no cluster in {}", *folder));
  auto lock = FolderLock::take(*folder);
  if (!lock) return std::unexpected(lock.error());
  auto loaded = load_configuration(path);
  if (!loaded) return std::unexpected(loaded.error());
  return Stopping(settings, *folder, std::move(*loaded)).run();
}

}  // namespace

CommandPage down_page() {
  return {.name = "yardmaster down",
          .summary = "stop the cluster that `yardmaster up` started",
          .usage = {"[OPTION]..."},
          .description =
              "Cancels all jobs, then stops the nodes and the controller. Only processes "
              "of this cluster are touched. The queue's history stays on disk."};
}
std::vector<OptionInfo> down_options() { return infos_of(down_table()); }

int down_main(const Arguments& arguments) {
  auto parsed = parse_command(down_page(), down_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(down_page(), parsed.operands)) return 1;
  Status done = down(parsed.settings);
  if (done) return 0;
  complain(kYardmaster, done.error().text);
  return 1;
}

}  // namespace ym::cli
