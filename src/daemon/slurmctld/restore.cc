// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/restore.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/format.h"
#include "base/text.h"
#include "config/standby.h"
#include "daemon/slurmctld/recovery.h"
#include "daemon/slurmctld/state_release.h"
#include "os/clock.h"
#include "os/files.h"
#include "os/users.h"
#include "store/blobs.h"
#include "store/errc.h"
#include "store/file_home.h"
#include "store/snapshot.h"
#include "wire/backup.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

namespace fs = std::filesystem;
using wire::BackupKind;

constexpr std::size_t kReadSize = 1u << 20;
constexpr std::uint64_t kBlobsAtOnce = 64u << 20;
constexpr std::size_t kFilesMax = 1000;

struct Contents {
  BackupHead head;
  State state;
  std::size_t blobs = 0, files = 0;
};

Status read_backup(const std::string& path, const wire::BackupReader::Sink& sink) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(errno_text(path));
  wire::BackupReader reader(sink);
  std::string buffer(kReadSize, '\0');
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (Status ok = reader.feed(bytes); !ok) return fail(path + ": " + ok.error().text);
  }
  if (in.bad()) return fail(errno_text(path));
  if (Status ok = reader.finish(); !ok) return fail(path + ": " + ok.error().text);
  return {};
}

// Reads all of it, and believes nothing.
Result<Contents> examine(const std::string& path) {
  Contents found;
  wire::SnapshotReader snapshot;
  Status read = read_backup(path, [&](BackupKind kind, std::string_view payload) -> Status {
    if (kind == BackupKind::Head) {
      auto head = wire::decode<BackupHead>(payload);
      if (!head) return std::unexpected(head.error());
      found.head = std::move(*head);
      // Before anything that this release might read otherwise.
      return check_format(found.head.format, found.head.release, "the backup");
    }
    if (kind == BackupKind::Blob) ++found.blobs;
    if (kind == BackupKind::Chunk) return snapshot.add(payload);
    if (kind != BackupKind::File) return {};
    auto file = wire::decode<BackupFile>(payload);
    if (!file) return std::unexpected(file.error());
    if (!wire::is_safe_backup_name(file->name) || ++found.files > kFilesMax)
      return fail("a file that does not belong there: " + printable(file->name));
    return {};
  });
  if (!read) return std::unexpected(read.error());
  auto state = snapshot.finish();
  if (!state) return fail(path + ": " + state.error().text);
  found.state = std::move(*state);
  if (found.state.seq != found.head.seq) return fail(path + ": head and state do not agree");
  return found;
}

// The last event of which the files' names tell.
Result<std::string> present_state(Disk& disk, const std::string& log_dir) {
  auto names = disk.list(log_dir);
  if (!names) return "";
  bool any = false;
  for (const std::string& name : *names)
    any = any || name.ends_with(".seg") || name.ends_with(".snap");
  if (!any) return "";
  auto snapshots = list_snapshots(disk, log_dir);
  if (!snapshots || snapshots->empty()) return "without a snapshot";
  return fmt::format("with a snapshot of event {}", snapshots->front());
}

Status check_target(const ClusterConfig& config, const Contents& found) {
  if (config.state_dir.find("://") != std::string::npos)
    return fail(
        fmt::format("StateSaveLocation={}: a backup can be restored to a folder only; "
                    "restore it to one, and start from there",
                    config.state_dir));
  if (found.head.cluster != config.cluster_name)
    return fail(fmt::format("the backup is of cluster {}, and slurm.conf is of {}",
                            printable(found.head.cluster), config.cluster_name));
  struct stat folder{};
  if (::stat(config.state_dir.c_str(), &folder) == 0 && folder.st_uid != ::geteuid()) {
    auto owner = user_by_uid(folder.st_uid);
    return fail(fmt::format("{} belongs to {}: restore as that user", config.state_dir,
                            owner ? owner->name : std::to_string(folder.st_uid)));
  }
  return {};
}

// Scripts have their content as their name: those that are there already are no matter.
Status write_blobs(Disk& disk, const std::string& dir, const std::string& path) {
  auto blobs = Blobs::open(disk, dir, {});
  if (!blobs) return std::unexpected(blobs.error());
  std::uint64_t waiting = 0;
  Status read = read_backup(path, [&](BackupKind kind, std::string_view payload) -> Status {
    if (kind != BackupKind::Blob) return {};
    // The larger of the two limits: what it was is no matter any more.
    auto put = (*blobs)->put(BlobKind::Environment, payload);
    if (!put) return std::unexpected(put.error());
    if ((waiting += payload.size()) < kBlobsAtOnce) return {};
    waiting = 0;
    return (*blobs)->sync();
  });
  return read ? (*blobs)->sync() : read;
}

Status write_log(Disk& disk, const std::string& dir, const Contents& found) {
  std::error_code ignored;
  fs::remove_all(dir, ignored);
  if (Status ok = make_folders(dir, 0700); !ok) return ok;
  auto writer = SnapshotWriter::begin(disk, dir, 0, found.state.seq.value);
  if (!writer) return std::unexpected(writer.error());
  Status written;
  wire::write_snapshot(found.state, [&](std::string_view chunk) {
    written = writer->add(chunk);
    return written.has_value();
  });
  if (written) written = writer->finish();
  if (!written) return written;
  // As the next slurmctld will.
  auto again = read_state(disk, dir);
  if (!again) return std::unexpected(again.error());
  if (wire::hash_of(*again) != wire::hash_of(found.state))
    return fail("what was written does not read as what was to be written");
  return {};
}

Status write_files(const std::string& state_dir, const std::string& path) {
  return read_backup(path, [&](BackupKind kind, std::string_view payload) -> Status {
    if (kind != BackupKind::File) return {};
    auto file = wire::decode<BackupFile>(payload);
    if (!file) return std::unexpected(file.error());
    std::string to = state_dir + "/" + file->name;
    if (Status ok = make_folders(to.substr(0, to.rfind('/')), 0700); !ok) return ok;
    return write_file(to, file->bytes, file->mode & 0700);
  });
}

// The new log takes the old one's place in one step, so that no crash leaves a controller without
// any. Where the old one went; empty if there was none.
Result<std::string> put_in_place(const std::string& fresh, const std::string& log_dir) {
  if (::access(log_dir.c_str(), F_OK) != 0) {
    if (::rename(fresh.c_str(), log_dir.c_str()) != 0) return fail(errno_text(log_dir));
    return "";
  }
  std::string aside = fmt::format("{}.before-{}", log_dir, wall_clock().unix_seconds());
  for (int i = 1; ::access(aside.c_str(), F_OK) == 0; ++i)
    aside = fmt::format("{}.before-{}-{}", log_dir, wall_clock().unix_seconds(), i);
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, log_dir.c_str(), RENAME_EXCHANGE) == 0) {
    if (::rename(fresh.c_str(), aside.c_str()) != 0) return fail(errno_text(aside));
    return aside;
  }
  if (errno != EINVAL && errno != ENOSYS) return fail(errno_text(log_dir));
  // A file system that cannot: between these two there is no log.
  if (::rename(log_dir.c_str(), aside.c_str()) != 0) return fail(errno_text(aside));
  if (::rename(fresh.c_str(), log_dir.c_str()) != 0) return fail(errno_text(log_dir));
  return aside;
}

Result<std::string> write_all(Disk& disk, const ClusterConfig& config, const RestoreOrder& order,
                              const Contents& found) {
  std::string log_dir = config.state_dir + "/log", fresh = config.state_dir + "/log.restoring";
  for (const std::string& dir : {log_dir, config.state_dir + "/blobs"})
    if (Status ok = make_folders(dir, 0700); !ok) return std::unexpected(ok.error());
  // Held until the end: no controller starts meanwhile.
  auto lock = disk.lock(log_dir + "/lock");
  if (!lock && lock.error().code == store_errc::kLocked)
    return fail("a controller uses the state: stop it first (" + lock.error().text + ")");
  if (!lock) return std::unexpected(lock.error());
  // With standbys a leader holds no lock that would keep others out.
  if (has_standbys(config)) {
    auto seen = FileHome(disk, config.state_dir, FileHome::Company::Standbys).look();
    if (!seen) return std::unexpected(seen.error());
    if (!seen->vacant && !seen->suspect)
      return fail(seen->name + " leads: stop all controllers first");
  }
  auto present = present_state(disk, log_dir);
  if (!present) return present;
  if (!present->empty() && !order.force)
    return fail(
        fmt::format("{} has a state already, {}; the backup is of event {}. --force sets "
                    "it aside",
                    config.state_dir, *present, found.head.seq.value));
  if (Status ok = write_blobs(disk, config.state_dir + "/blobs", order.file); !ok)
    return std::unexpected(ok.error());
  if (Status ok = write_log(disk, fresh, found); !ok) return std::unexpected(ok.error());
  if (Status ok = write_files(config.state_dir, order.file); !ok)
    return std::unexpected(ok.error());
  auto aside = put_in_place(fresh, log_dir);
  if (!aside) return aside;
  // Last: what a later release wrote must not look like ours as long as it is there.
  if (Status ok = set_state_release({.home = nullptr, .dir = config.state_dir}); !ok)
    return std::unexpected(ok.error());
  if (Status ok = disk.sync_dir(config.state_dir); !ok) return std::unexpected(ok.error());
  if (present->empty() && !aside->empty()) {
    std::error_code ignored;
    fs::remove_all(*aside, ignored);  // nothing but the lock was in it
    aside->clear();
  }
  return aside;
}

}  // namespace

Result<std::string> restore_state(Disk& disk, const ClusterConfig& config,
                                  const RestoreOrder& order) {
  auto found = examine(order.file);
  if (!found) return std::unexpected(found.error());
  std::string what = fmt::format(
      "cluster {} at event {}: {} jobs, {} nodes, {} scripts and environments, written by release "
      "{}",
      found->head.cluster, found->head.seq.value, found->state.jobs.size(),
      found->state.nodes.size(), found->blobs, printable(found->head.release));
  if (order.check_only) return "the backup is sound: " + what + "\n";
  if (Status ok = check_target(config, *found); !ok) return std::unexpected(ok.error());
  auto aside = write_all(disk, config, order, *found);
  if (!aside) return aside;
  std::string said = "restored " + what + "\n";
  if (!aside->empty()) said += "the state before is in " + *aside + "\n";
  return said;
}

}  // namespace ym
