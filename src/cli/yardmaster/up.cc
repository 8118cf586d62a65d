// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/up.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/founding.h"
#include "cli/yardmaster/yardmaster.h"
#include "os/clock.h"
#include "os/files.h"
#include "site/personal.h"

namespace ym::cli {
namespace {

constexpr Duration kNodesPatience = std::chrono::seconds(30);
constexpr Duration kLockPatience = std::chrono::seconds(60);

struct UpSettings {
  FoundingWishes wishes;
  std::string dir;
  bool demo = false, quiet = false;
};

template <std::uint32_t kMax>
Status set_number(std::optional<std::uint32_t>& into, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0 || *number > kMax)
    return fail(fmt::format("a number from 1 to {} is needed", kMax));
  into = *number;
  return {};
}

std::vector<Option<UpSettings>> up_table() {
  return {
      {{.name = "nodes",
        .takes = Takes::Value,
        .argument = "N",
        .help = "How many nodes the cluster has (4 at first, then as before)"},
       [](UpSettings& s, std::string_view v) {
         return set_number<kPersonalNodesMax>(s.wishes.nodes, v);
       }},
      {{.name = "cpus",
        .takes = Takes::Value,
        .argument = "N",
        .help = "How many CPUs each node has (this machine's at first, at least 2)"},
       [](UpSettings& s, std::string_view v) { return set_number<65535>(s.wishes.cpus, v); }},
      {{.name = "dir",
        .takes = Takes::Value,
        .argument = "DIR",
        .help = "Where the cluster lives; usually ~/.local/state/yardmaster"},
       [](UpSettings& s, std::string_view v) -> Status {
         s.dir = v;
         return {};
       }},
      {{.name = "demo", .help = "Run a first job and say what to type next"},
       [](UpSettings& s, std::string_view) -> Status {
         s.demo = true;
         return {};
       }},
      {{.name = "quiet", .letter = 'q', .help = "Say nothing unless something goes wrong"},
       [](UpSettings& s, std::string_view) -> Status {
         s.quiet = true;
         return {};
       }},
  };
}

// Tells what goes on; on a terminal the counting line is overwritten.
class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(STDOUT_FILENO) == 1) {}
  void say(const std::string& text) {
    if (quiet_) return;
    print(std::exchange(counting_, false) ? fmt::format("\r{}\033[K\n", text) : text + "\n");
  }
  void count(const std::string& text) {
    if (quiet_ || !terminal_ || text == last_) return;
    last_ = text;
    counting_ = true;
    print(fmt::format("\r{}\033[K", text));
  }

 private:
  const bool quiet_, terminal_;
  bool counting_ = false;
  std::string last_;
};

// Starts one daemon in the background; a daemon's starter ends when it serves.
Result<Child> start(const std::string& program, const std::vector<std::string>& arguments) {
  auto path = find_program(program);
  if (!path) return std::unexpected(path.error());
  return spawn({.program = *path,
                .arguments = arguments,
                .environment = clean_environment(),
                .folder = "/",
                .capture = true});
}

std::string failure(std::string_view who, const ChildEnd& end, const std::string& log) {
  std::string said(trim(end.output));
  std::string tail = log_tail(log);
  return fmt::format("{} did not start (exit code {}){}{}{}", who, end.exit_code,
                     said.empty() ? "" : ":\n  " + said,
                     tail.empty() ? "" : fmt::format("\nThe end of {}:", log), tail);
}

Status start_controller(const LoadedConfiguration& loaded) {
  auto child = start("slurmctld", {"-f", loaded.path});
  if (!child) return std::unexpected(child.error());
  ChildEnd end = wait_for_child(*child);
  if (end.exit_code == 0) return {};
  return fail(failure("slurmctld", end, loaded.config.controller_log));
}

// All that are missing, side by side.
Status start_nodes(const LoadedConfiguration& loaded, const std::set<std::string>& running) {
  std::vector<std::pair<const NodeSpec*, Child>> children;
  Status status;
  for (const NodeSpec& node : loaded.config.nodes) {
    if (running.contains(node.name)) continue;
    auto child = start("slurmd", {"-f", loaded.path, "-N", node.name});
    if (!child) {
      status = std::unexpected(child.error());
      break;
    }
    children.emplace_back(&node, *child);
  }
  for (auto& [node, child] : children) {
    ChildEnd end = wait_for_child(child);
    if (end.exit_code != 0 && status)
      status =
          fail(failure("slurmd of node " + node->name, end, node_log_path(loaded.config, *node)));
  }
  return status;
}

bool has_arrived(const Node& node) {
  return node.condition == NodeCondition::Future || node.down_by_admin || node.switched_off() ||
         (node.condition == NodeCondition::Up && node.responding);
}

Status wait_for_nodes(Controller& controller, Progress& progress) {
  std::vector<NodeRow> rows;
  Error trouble;
  auto all_there = [&] {
    auto asked = ask_nodes(controller);
    if (!asked) {
      trouble = asked.error();
      return false;
    }
    rows = std::move(*asked);
    auto there =
        std::ranges::count_if(rows, [](const NodeRow& row) { return has_arrived(row.node); });
    progress.count(fmt::format("waiting for nodes: {} of {}", there, rows.size()));
    return static_cast<std::size_t>(there) == rows.size();
  };
  if (wait_until(kNodesPatience, all_there)) return {};
  if (rows.empty()) return fail("the controller does not answer: " + trouble.text);
  for (const NodeRow& row : rows) {
    if (has_arrived(row.node)) continue;
    std::string log = node_log_path(controller.config(), *row.node.spec);
    return fail(fmt::format(
        "node {} is {}{}. The end of {}:{}", row.node.spec->name, state_word(row.node),
        row.node.reason.empty() ? "" : fmt::format(" ({})", row.node.reason), log, log_tail(log)));
  }
  return {};
}

// Starts whatever is missing; tells whether anything was.
Result<bool> bring_up(const LoadedConfiguration& loaded, Progress& progress) {
  std::set<std::string> nodes;
  bool controller_runs = false;
  for (const ClusterProcess& process : processes_of(loaded)) {
    if (process.program == "slurmctld") controller_runs = true;
    if (process.program == "slurmd") nodes.insert(process.node);
  }
  bool answers = controller_runs && ping_quickly(loaded);
  std::size_t missing = loaded.config.nodes.size();
  for (const NodeSpec& node : loaded.config.nodes)
    if (nodes.contains(node.name)) --missing;
  if (controller_runs && !answers)
    return fail(fmt::format("slurmctld runs but does not answer on {}; `yardmaster down` ends it",
                            controller_socket(loaded.config)));
  if (!controller_runs) {
    progress.say(fmt::format("starting the controller of {}", loaded.config.cluster_name));
    if (Status done = start_controller(loaded); !done) return std::unexpected(done.error());
  }
  if (missing > 0) {
    progress.say(fmt::format("starting {}", counted(missing, "node")));
    if (Status done = start_nodes(loaded, nodes); !done) return std::unexpected(done.error());
  }
  Controller controller(loaded);
  if (Status done = wait_for_nodes(controller, progress); !done)
    return std::unexpected(done.error());
  return missing > 0 || !controller_runs;
}

Status up(const UpSettings& settings) {
  Duration began = monotonic_clock();
  auto folder = cluster_folder(settings.dir);
  if (!folder) return std::unexpected(folder.error());
  mode_t mode = ::geteuid() == 0 ? 0755 : 0700;
  if (Status made = make_folders(*folder + "/etc", mode); !made) return made;
  folder = cluster_folder(settings.dir);  // It exists now: without links.
  auto lock = FolderLock::take(*folder);
  if (!lock) return std::unexpected(lock.error());
  auto founded = found_cluster(*folder, settings.wishes);
  if (!founded) return std::unexpected(founded.error());
  Progress progress(settings.quiet);
  if (founded->by_hand) progress.say(fmt::format("using {}, edited by hand", founded->loaded.path));
  auto started = bring_up(founded->loaded, progress);
  if (!started) return std::unexpected(started.error());
  const ClusterConfig& config = founded->loaded.config;
  std::string nodes = counted(config.nodes.size(), "node");
  if (*started)
    progress.say(fmt::format("{} is up: {} of {} CPUs, in {:.1f} s. Its files are in {}",
                             config.cluster_name, nodes, config.nodes.front().cpus,
                             static_cast<double>((monotonic_clock() - began).count()) / 1000,
                             *folder));
  else
    progress.say(fmt::format("{} is already running: {}", config.cluster_name, nodes));
  if (settings.demo) return run_demo(founded->loaded);
  if (*started) progress.say(how_to_reach(founded->loaded));
  return {};
}

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
  std::string path = folder + "/etc/lock";
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail(errno_text(path));
  FolderLock lock(fd);
  bool taken = wait_until(kLockPatience, [fd] { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; });
  if (!taken) return fail(fmt::format("another yardmaster is at work in {}", folder));
  return lock;
}
FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

CommandPage up_page() {
  return {
      .name = "yardmaster up",
      .summary = "start your own cluster on this machine",
      .usage = {"[OPTION]..."},
      .description =
          "Starts a controller and a few nodes as processes of your own, without root and "
          "without a configuration. All commands find the cluster from then on. What is "
          "running already is left alone; what is missing is started.\n\n"
          "The configuration is DIR/etc/slurm.conf. If you edit it, it is kept as you left it."};
}
std::vector<OptionInfo> up_options() { return infos_of(up_table()); }

int up_main(const Arguments& arguments) {
  auto parsed = parse_command(up_page(), up_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(up_page(), parsed.operands)) return 1;
  Status done = up(parsed.settings);
  if (done) return 0;
  complain(kYardmaster, done.error().text);
  return 1;
}

}  // namespace ym::cli
