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

namespace ym {
namespace {

constexpr std::size_t kSparesMax = 64;

constexpr std::pair<StepId, const char*> kNamedSteps[] = {{kBatchStep, "batch"},
                                                          {kExternStep, "extern"},
                                                          {kPrologStep, "prolog"},
                                                          {kEpilogStep, "epilog"}};

std::optional<std::string> step_of_record(const std::string& file) {
  std::string_view suffix = kRecordSuffix;
  if (!file.ends_with(suffix)) return std::nullopt;
  std::string name = file.substr(0, file.size() - suffix.size());
  for (const auto& named : kNamedSteps)
    if (name == named.second) return name;
  if (!parse_u64(name)) return std::nullopt;
  return name;
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

std::string step_name(StepId step) {
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
          .on_order = result.on_order,
          .launch_failed = result.launch_failed};
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
  std::error_code error;
  std::filesystem::remove_all(root_ + "/spare", error);
  return make_folders(root_ + "/spare", 0700);
}

std::string Spool::attempt_folder(Sluid sluid) const {
  auto attempt = attempts_.find(sluid);
  YM_CHECK(attempt != attempts_.end());
  return fmt::format("{}/attempts/{}", root_, attempt->second.name);
}

std::string Spool::stem(Sluid sluid, StepId step) const {
  return fmt::format("{}/{}", attempt_folder(sluid), step_name(step));
}

bool Spool::reuse_spare(const std::string& attempt) {
  if (spares_.empty()) return false;
  std::string spare = std::move(spares_.back());
  spares_.pop_back();
  return ::rename(spare.c_str(), attempt.c_str()) == 0;
}

// Only what has one batch step and nothing else: then nothing but the record is in the folder.
bool Spool::make_spare(const Attempt& attempt) {
  if (spares_.size() >= kSparesMax || attempt.steps.size() != 1 ||
      !attempt.steps.contains(kBatchStep))
    return false;
  std::string folder = fmt::format("{}/attempts/{}", root_, attempt.name);
  std::string record = fmt::format("{}/{}{}", folder, step_name(kBatchStep), kRecordSuffix);
  std::string spare = fmt::format("{}/spare/{}", root_, ++last_spare_);
  ::unlink(fmt::format("{}/{}", folder, kScriptFile).c_str());
  bool unkillable = ::access((folder + "/batch.unkillable").c_str(), F_OK) == 0;
  if (unkillable || !make_blank(record) || ::rename(folder.c_str(), spare.c_str()) != 0)
    return false;
  spares_.push_back(std::move(spare));
  return true;
}

Status Spool::write_order(const ShepherdOrder& order) {
  bool known = attempts_.contains(order.sluid);
  Attempt& attempt = attempts_[order.sluid];
  attempt.name = fmt::format("job{:05}-{:016x}", order.job.value, order.sluid.value);
  attempt.steps[order.step] = order.control;
  std::string folder = attempt_folder(order.sluid);
  bool there = !known && order.step == kBatchStep && reuse_spare(folder);
  // Our umask lets the last bits through: the script inside is the user's to run.
  if (auto made = there ? Status{} : make_folder(folder, 0711); !made) return made;
  std::string record = stem(order.sluid, order.step) + kRecordSuffix;
  Status wrote = there ? write_over_blank(record, encode_part(order))
                       : write_file(record, encode_part(order), 0600, Sync::No);
  // What has run must be able to say how it ended, however full the disk is by then.
  return wrote ? reserve_room(record) : wrote;
}

std::string Spool::control(Sluid sluid, StepId step) const {
  auto attempt = attempts_.find(sluid);
  if (attempt == attempts_.end()) return {};
  auto found = attempt->second.steps.find(step);
  return found == attempt->second.steps.end() ? std::string() : found->second;
}

Result<StepRecord> Spool::read_record(Sluid sluid, StepId step) const {
  auto bytes = read_file(stem(sluid, step) + kRecordSuffix);
  if (!bytes) return std::unexpected(bytes.error());
  return decode_record(*bytes);
}

std::optional<ShepherdResult> Spool::read_result(Sluid sluid, StepId step) const {
  auto bytes = read_file(stem(sluid, step) + kRecordSuffix);
  return bytes ? find_result(*bytes) : std::nullopt;
}

Result<ShepherdOrder> Spool::read_order(Sluid sluid, StepId step) const {
  auto record = read_record(sluid, step);
  if (!record) return std::unexpected(record.error());
  return std::move(record->order);
}

// Also of a step whose order could not be written.
Status Spool::write_result(Sluid sluid, StepId step, const ShepherdResult& result) {
  std::string path = stem(sluid, step) + kRecordSuffix;
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail(errno_text(path));
  return append_part(fd.get(), encode_part(result));
}

Result<Fd> Spool::take_lock(Sluid sluid, StepId step) const {
  std::string path = stem(sluid, step) + kRecordSuffix;
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return fail(errno_text(path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return fail(errno_text(path));
  return fd;
}

void Spool::forget(Sluid sluid, std::optional<StepId> step) {
  auto attempt = attempts_.find(sluid);
  if (attempt == attempts_.end()) return;
  if (step) {
    for (const char* suffix : {kRecordSuffix, kUnkillableSuffix})
      ::unlink((stem(sluid, *step) + suffix).c_str());
    attempt->second.steps.erase(*step);
    return;
  }
  std::error_code error;
  if (!make_spare(attempt->second)) std::filesystem::remove_all(attempt_folder(sluid), error);
  attempts_.erase(attempt);
}

Spool::Scan Spool::scan(const std::string& boot_id) {
  Scan scan;
  for (const std::string& name : names_in(root_ + "/attempts")) scan_attempt(name, boot_id, scan);
  return scan;
}

void Spool::scan_attempt(const std::string& name, const std::string& boot_id, Scan& scan) {
  std::string attempt = fmt::format("{}/attempts/{}", root_, name);
  bool any = false;
  for (const std::string& file : names_in(attempt)) {
    auto step = step_of_record(file);
    if (!step) continue;
    std::string path = fmt::format("{}/{}", attempt, file);
    auto bytes = read_file(path);
    if (bytes && is_blank(*bytes)) continue;
    auto record = bytes ? decode_record(*bytes) : std::unexpected(bytes.error());
    if (!record || step_name(record->order.step) != *step) {
      scan.troubles.push_back(fmt::format("{}/{}: no order in it", attempt, file));
      continue;
    }
    any = true;
    Attempt& found = attempts_[record->order.sluid];
    found.name = name;
    found.steps[record->order.step] = record->order.control;
    scan.found.push_back(examine(*record, boot_id));
  }
  std::error_code error;
  if (!any) std::filesystem::remove_all(attempt, error);  // killed before its first order was whole
}

agent::Recovered Spool::examine(const StepRecord& seen, const std::string& boot_id) const {
  const ShepherdOrder& order = seen.order;
  agent::Recovered found{.job = order.job, .sluid = order.sluid, .step = order.step};
  // The lock first: a shepherd that ends in between has left its result before it let go.
  if (!take_lock(order.sluid, order.step)) {
    found.found = agent::Found::Alive;
    return found;
  }
  auto record = read_record(order.sluid, order.step);
  if (record && record->result) {
    found.found = agent::Found::Finished;
    found.ended = ended_of(*record->result);
  } else if (record && !record->started && order.boot_id == boot_id) {
    found.found = agent::Found::NeverStarted;
  }
  return found;
}

}  // namespace ym
