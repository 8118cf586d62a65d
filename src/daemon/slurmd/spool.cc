// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "os/files.h"
#include "shepherd/folder.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr std::pair<StepId, const char*> kNamedSteps[] = {{kBatchStep, "batch"},
                                                          {kExternStep, "extern"},
                                                          {kPrologStep, "prolog"},
                                                          {kEpilogStep, "epilog"}};

bool is_step_folder(const std::string& name) {
  for (const auto& named : kNamedSteps)
    if (name == named.second) return true;
  return parse_u64(name).has_value();
}

template <class T>
std::optional<T> read_record(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return std::nullopt;
  auto record = wire::decode<T>(*bytes);
  if (!record) return std::nullopt;
  return std::move(*record);
}

// The one above it is there: prepare() or an earlier call has made it.
Status make_folder(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST) return fail(errno_text(path));
  return {};
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace

std::string step_folder_name(StepId step) {
  for (const auto& [id, name] : kNamedSteps)
    if (step == id) return name;
  return std::to_string(step.value);
}

agent::Ended ended_of(const ShepherdResult& result) {
  return {.exit = result.exit,
          .error = result.error,
          .out_of_memory = result.out_of_memory,
          .drain_reason = result.drain_reason,
          .usage = result.usage,
          .on_order = result.on_order};
}

Status Spool::prepare() {
  if (auto made = make_folders(root_); !made) return made;
  std::string attempts = root_ + "/attempts";
  if (auto made = make_folders(attempts); !made) return made;
  struct stat info{};
  if (::stat(root_.c_str(), &info) != 0) return fail(errno_text(root_));
  if (info.st_uid != ::geteuid() && info.st_uid != 0) {
    return fail(
        fmt::format("{}: belongs to uid {}, so that user could run jobs as anybody; chown it",
                    root_, info.st_uid));
  }
  if (info.st_mode & S_IWOTH)
    return fail(fmt::format("{}: writable by everybody; chmod o-w it", root_));
  return {};
}

std::string Spool::attempt_folder(Sluid sluid) const {
  auto name = names_.find(sluid);
  YM_CHECK(name != names_.end());
  return fmt::format("{}/attempts/{}", root_, name->second);
}

std::string Spool::folder(Sluid sluid, StepId step) const {
  return fmt::format("{}/{}", attempt_folder(sluid), step_folder_name(step));
}

Status Spool::write_order(const ShepherdOrder& order) {
  names_[order.sluid] = fmt::format("job{:05}-{:016x}", order.job.value, order.sluid.value);
  std::string attempt = attempt_folder(order.sluid);
  std::string path = folder(order.sluid, order.step);
  if (auto made = make_folder(attempt, 0711); !made) return made;
  ::chmod(attempt.c_str(),
          0711);  // whatever our umask says: the script inside is the user's to run
  if (auto made = make_folder(path, 0700); !made) return made;
  return write_file(fmt::format("{}/{}", path, kOrderFile), wire::encode(order), 0600, Sync::No);
}

Result<ShepherdOrder> Spool::read_order(Sluid sluid, StepId step) const {
  auto bytes = read_file(fmt::format("{}/{}", folder(sluid, step), kOrderFile));
  if (!bytes) return std::unexpected(bytes.error());
  return wire::decode<ShepherdOrder>(*bytes);
}

Status Spool::write_result(Sluid sluid, StepId step, const ShepherdResult& result) {
  return write_file(fmt::format("{}/{}", folder(sluid, step), kResultFile), wire::encode(result),
                    0600, Sync::No);
}

std::optional<ShepherdResult> Spool::read_result(Sluid sluid, StepId step) const {
  return read_record<ShepherdResult>(fmt::format("{}/{}", folder(sluid, step), kResultFile));
}

std::optional<StartedMark> Spool::read_started(Sluid sluid, StepId step) const {
  return read_record<StartedMark>(fmt::format("{}/{}", folder(sluid, step), kStartedFile));
}

Result<Fd> Spool::take_lock(Sluid sluid, StepId step) const {
  std::string path = fmt::format("{}/{}", folder(sluid, step), kOrderFile);
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return fail(errno_text(path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return fail(errno_text(path));
  return fd;
}

void Spool::forget(Sluid sluid, std::optional<StepId> step) {
  if (!names_.contains(sluid)) return;
  std::error_code error;
  std::filesystem::remove_all(step ? folder(sluid, *step) : attempt_folder(sluid), error);
  if (!step) names_.erase(sluid);
}

Spool::Scan Spool::scan(const std::string& boot_id) {
  Scan scan;
  for (const std::string& name : names_in(root_ + "/attempts")) scan_attempt(name, boot_id, scan);
  return scan;
}

void Spool::scan_attempt(const std::string& name, const std::string& boot_id, Scan& scan) {
  std::string attempt = fmt::format("{}/attempts/{}", root_, name);
  bool any = false;
  for (const std::string& step : names_in(attempt)) {
    if (!is_step_folder(step)) continue;
    auto order = read_record<ShepherdOrder>(fmt::format("{}/{}/{}", attempt, step, kOrderFile));
    if (!order || step_folder_name(order->step) != step) {
      scan.troubles.push_back(fmt::format("{}/{}: no order in it", attempt, step));
      continue;
    }
    any = true;
    names_[order->sluid] = name;
    scan.found.push_back(examine(*order, boot_id));
  }
  std::error_code error;
  if (!any) std::filesystem::remove_all(attempt, error);  // killed before its first order was whole
}

agent::Recovered Spool::examine(const ShepherdOrder& order, const std::string& boot_id) const {
  agent::Recovered found{.job = order.job, .sluid = order.sluid, .step = order.step};
  // The lock first: a shepherd that ends in between has left its result before it let go.
  bool free = take_lock(order.sluid, order.step).has_value();
  auto result = read_result(order.sluid, order.step);
  if (!free) {
    found.found = agent::Found::Alive;
  } else if (result) {
    found.found = agent::Found::Finished;
    found.ended = ended_of(*result);
  } else if (!read_started(order.sluid, order.step) && order.boot_id == boot_id) {
    found.found = agent::Found::NeverStarted;
  }
  return found;
}

}  // namespace ym
