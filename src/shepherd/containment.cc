// SPDX-License-Identifier: Apache-2.0
#include "shepherd/containment.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "net/address.h"
#include "os/files.h"
#include "shepherd/cgroup_file.h"
#include "shepherd/device_filter.h"

namespace ym {
namespace {

// The thread sanitizer has a thread of its own in every process, which fork() alone prepares for:
// without that, a child that changes its groups waits for that thread for ever.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define YM_SANITIZER_HAS_THREAD
#endif
#endif
#ifdef YM_SANITIZER_HAS_THREAD
constexpr bool kOneThread = false;
#else
constexpr bool kOneThread = true;
#endif

constexpr std::string_view kTaskPrefix = "task_";
// The last step of a job removes the job's folder while the next one is about to be made in it.
constexpr int kMakeTries = 10;
constexpr int kRemoveTries = 20;
constexpr int kKillRounds = 20;  // without cgroup.kill

bool writable_tree(const std::string& root) {
  return ::access((root + "/cgroup.procs").c_str(), W_OK) == 0;
}

std::string parent_of(const std::string& folder) { return folder.substr(0, folder.rfind('/')); }

void pause_ms(long ms) {
  timespec time{.tv_sec = 0, .tv_nsec = ms * 1'000'000};
  ::nanosleep(&time, nullptr);
}

// Its last process may be dead but not gone yet.
// As they are on the machine, whoever made them.
std::vector<std::string> task_folders(const std::string& step) {
  std::vector<std::string> found;
  DIR* entries = ::opendir(step.c_str());
  if (!entries) return found;
  while (const dirent* entry = ::readdir(entries))
    if (std::string_view(entry->d_name).starts_with(kTaskPrefix))
      found.push_back(fmt::format("{}/{}", step, entry->d_name));
  ::closedir(entries);
  std::ranges::sort(found);
  return found;
}

void remove_folder(const std::string& folder) {
  for (int n = 0; n < kRemoveTries; ++n) {
    if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) return;
    if (!cgroup_members(folder).empty()) return;
    pause_ms(1);
  }
}

}  // namespace

std::string step_word(StepId step) {
  if (step == kBatchStep) return "batch";
  if (step == kExternStep) return "extern";
  if (step == kInteractiveStep) return "interactive";
  if (step == kPrologStep) return "prolog";
  if (step == kEpilogStep) return "epilog";
  return fmt::format("{}", step.value);
}

Containment::Containment(const CgroupConfig& config, const std::string& node, JobId job,
                         Sluid sluid, StepId step)
    : config_(config),
      path_(fmt::format("yardmaster/{}/job_{}_{:016x}/step_{}", node, job.value, sluid.value,
                        step_word(step))) {
  const std::string& mount = config.mount_point;
  if (config.plugin == "disabled" || mount.empty()) return;
  if (has_cgroup_file(mount, "cgroup.controllers") && config.plugin != "cgroup/v1") {
    if (!writable_tree(mount)) return;
    v2_ = true;
    kind_ = Kind::Unified;
    track_.root = memory_.root = cpuset_.root = mount;
  } else {
    auto use = [&](Branch& branch, const char* name) {
      std::string root = fmt::format("{}/{}", mount, name);
      if (writable_tree(root)) branch.root = root;
    };
    use(track_, "unified");
    if (track_.valid()) kind_ = Kind::Unified;
    if (config.plugin != "cgroup/v2") {
      if (!track_.valid()) {
        use(track_, "freezer");
        if (track_.valid()) kind_ = Kind::Freezer;
      }
      use(memory_, "memory");
      use(cpuset_, "cpuset");
      use(devices_, "devices");
    }
  }
  for (Branch* branch : {&track_, &memory_, &cpuset_, &devices_}) {
    if (branch->valid()) branch->made = ::access(step_folder(*branch).c_str(), F_OK) == 0;
  }
  if (track_.made) tracker_ = step_folder(track_);
}

std::string Containment::step_folder(const Branch& branch) const {
  return fmt::format("{}/{}", branch.root, path_);
}
std::string Containment::job_folder(const Branch& branch) const {
  return parent_of(step_folder(branch));
}
std::string Containment::node_folder(const Branch& branch) const {
  return parent_of(job_folder(branch));
}

bool Containment::make_folder(Branch& branch) const {
  if (!branch.valid()) return false;
  for (int n = 0; n < kMakeTries && !branch.made; ++n)
    branch.made = make_folders(step_folder(branch)).has_value();
  return branch.made;
}

// v2: a controller reaches a group if every one above passes it on.
void Containment::enable(const Branch& branch, const char* controller) const {
  std::string word = fmt::format("+{}", controller);
  std::string node = node_folder(branch);
  for (const std::string& folder : {branch.root, parent_of(node), node, job_folder(branch)})
    write_cgroup(folder, "cgroup.subtree_control", word);
}

std::vector<std::string> Containment::make(const ShepherdOrder& order) {
  std::vector<std::string> troubles;
  if (make_folder(track_))
    tracker_ = step_folder(track_);
  else if (track_.valid())
    troubles.push_back(errno_text(step_folder(track_)));
  by_task_ = tracks() && order.kind == ShepherdKind::Tasks && order.tasks.size() > 1;
  for (std::size_t task = 0; by_task_ && task < order.tasks.size(); ++task) {
    std::string folder = task_tracker(task);
    if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) continue;
    troubles.push_back(errno_text(folder));
    by_task_ = false;
  }
  if (order.kind == ShepherdKind::Program) return troubles;
  bool memory = order.job_memory_mb > 0 || order.memory_mb > 0;
  if (memory && order.cgroup.constrain_memory) limit_memory(order, troubles);
  bool cpus = !order.job_cpus.empty() || !order.cpus.empty();
  if (cpus && order.cgroup.constrain_cores) limit_cpus(order, troubles);
  if (order.cgroup.constrain_devices) limit_devices(order, troubles);
  return troubles;
}

void Containment::limit_cpus(const ShepherdOrder& order, std::vector<std::string>& troubles) {
  if (!cpuset_.valid()) return;
  if (v2_) enable(cpuset_, "cpuset");
  if (!make_folder(cpuset_)) return troubles.push_back(errno_text(step_folder(cpuset_)));
  // v1 takes no process into a set that is empty, and a new one is: every level gets something,
  // what was asked for or else what the one above has.
  auto fill = [&](const std::string& folder, const char* file, const std::string& wanted) {
    if (!wanted.empty() && write_cgroup(folder, file, wanted)) return;
    if (!wanted.empty())
      troubles.push_back(errno_text(fmt::format("{}/{}: {}", folder, file, wanted)));
    if (v2_ || !read_cgroup(folder, file).value_or("").empty()) return;
    write_cgroup(folder, file, read_cgroup(parent_of(folder), file).value_or(""));
  };
  std::string job = job_folder(cpuset_), node = node_folder(cpuset_);
  if (!v2_) {
    for (const std::string& folder : {parent_of(node), node, job, step_folder(cpuset_)})
      fill(folder, "cpuset.mems", {});
    for (const std::string& folder : {parent_of(node), node}) fill(folder, "cpuset.cpus", {});
  }
  fill(job, "cpuset.cpus", order.job_cpus);
  fill(step_folder(cpuset_), "cpuset.cpus", order.cpus);
}

void Containment::limit_devices(const ShepherdOrder& order, std::vector<std::string>& troubles) {
  std::vector<DeviceRule> rules = common_devices();
  for (const std::string& text : order.devices) {
    if (auto rule = parse_device_rule(text))
      rules.push_back(*rule);
    else
      troubles.push_back(fmt::format("{}: not a device", text));
  }
  if (kind_ == Kind::Unified && tracks()) {
    auto filtered = filter_devices(tracker_, rules);
    if (filtered) return;
    if (!devices_.valid()) return troubles.push_back(filtered.error().text);
  }
  if (!devices_.valid()) return;
  if (!make_folder(devices_)) return troubles.push_back(errno_text(step_folder(devices_)));
  std::string step = step_folder(devices_);
  if (!write_cgroup(step, "devices.deny", "a"))
    return troubles.push_back(errno_text(step + "/devices.deny"));
  for (const DeviceRule& rule : rules) {
    if (!write_cgroup(step, "devices.allow", text_of(rule)))
      troubles.push_back(errno_text(fmt::format("{}/devices.allow: {}", step, text_of(rule))));
  }
}

std::string Containment::task_tracker(std::size_t task) const {
  return by_task_ ? fmt::format("{}/{}{}", tracker_, kTaskPrefix, task) : tracker_;
}

pid_t Containment::fork_inside(std::size_t task) const {
  pid_t pid = -1;
  bool born_inside = false;
  std::string tracker = task_tracker(task);
  if (kind_ == Kind::Unified && tracks()) {
    Fd folder(::open(tracker.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<std::uint64_t>(folder.get());
    // No thread but this one, so that the library has nothing to prepare for a fork.
    if (folder && kOneThread) pid = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
    born_inside = pid >= 0;
  }
  if (pid < 0) pid = ::fork();
  if (pid != 0) return pid;
  for (const Branch* branch : {&track_, &memory_, &cpuset_, &devices_}) {
    if (!branch->made || (branch == &track_ && born_inside)) continue;
    if (branch != &track_ && branch->root == track_.root) continue;
    write_cgroup(branch == &track_ ? tracker : step_folder(*branch), "cgroup.procs", "0");
  }
  return 0;
}

std::vector<pid_t> Containment::members() const {
  if (!tracks()) return {};
  std::vector<pid_t> all = cgroup_members(tracker_);
  for (const std::string& folder : task_folders(tracker_)) {
    std::vector<pid_t> some = cgroup_members(folder);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

bool Containment::freeze() const {
  if (!tracks()) return false;
  return kind_ == Kind::Unified ? write_cgroup(tracker_, "cgroup.freeze", "1")
                                : write_cgroup(tracker_, "freezer.state", "FROZEN");
}

bool Containment::thaw() const {
  if (!tracks()) return false;
  return kind_ == Kind::Unified ? write_cgroup(tracker_, "cgroup.freeze", "0")
                                : write_cgroup(tracker_, "freezer.state", "THAWED");
}

bool Containment::kill() const {
  if (!tracks()) return false;
  if (kind_ == Kind::Unified && write_cgroup(tracker_, "cgroup.kill", "1")) return true;
  // An older kernel, or v1: nothing is born while it is frozen.
  for (int n = 0; n < kKillRounds; ++n) {
    freeze();
    std::vector<pid_t> found = members();
    for (pid_t pid : found) ::kill(pid, SIGKILL);
    thaw();
    if (found.empty()) return true;
  }
  return true;
}

std::uint64_t Containment::oom_kills() const {
  if (!memory_.made) return 0;
  return cgroup_count(step_folder(memory_), v2_ ? "memory.events" : "memory.oom_control",
                      "oom_kill");
}

Fd Containment::watch_oom() const {
  if (!memory_.made || v2_) return Fd();
  std::string step = step_folder(memory_);
  Fd control(::open((step + "/memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC));
  Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::string wish = fmt::format("{} {}", event.get(), control.get());
  if (!control || !event || !write_cgroup(step, "cgroup.event_control", wish)) return Fd();
  return event;
}

std::uint64_t Containment::memory_peak() const {
  if (!memory_.made) return 0;
  const char* file = v2_ ? "memory.peak" : "memory.max_usage_in_bytes";
  auto text = read_cgroup(step_folder(memory_), file);
  return text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
}

void Containment::remove_from(const Branch& branch) const {
  if (!branch.made) return;
  if (branch.root == track_.root)
    for (const std::string& folder : task_folders(step_folder(branch))) remove_folder(folder);
  remove_folder(step_folder(branch));
  ::rmdir(job_folder(branch).c_str());
}

void Containment::remove() const {
  for (const Branch* branch : {&track_, &memory_, &cpuset_, &devices_}) {
    if (branch != &track_ && branch->root == track_.root) continue;
    remove_from(*branch);
  }
}

}  // namespace ym
