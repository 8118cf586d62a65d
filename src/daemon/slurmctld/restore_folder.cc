// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/format.h"
#include "config/standby.h"
#include "daemon/slurmctld/book_files.h"
#include "daemon/slurmctld/recovery.h"
#include "daemon/slurmctld/restore_parts.h"
#include "daemon/slurmctld/state_release.h"
#include "os/clock.h"
#include "os/files.h"
#include "store/blobs.h"
#include "store/errc.h"
#include "store/file_home.h"
#include "store/snapshot.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

namespace fs = std::filesystem;

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

Status write_log(Disk& disk, const std::string& dir, const BackupContents& found) {
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

Status write_files(const std::string& state_dir, const BackupContents& found) {
  for (const BackupFile& file : found.files) {
    std::string to = state_dir + "/" + file.name;
    if (Status ok = make_folders(to.substr(0, to.rfind('/')), 0700); !ok) return ok;
    if (Status ok = write_file(to, file.bytes, file.mode & 0700); !ok) return ok;
  }
  if (!found.book) return {};
  std::string folder = state_dir + "/tls";
  if (Status ok = make_folders(folder, 0700); !ok) return ok;
  BookFiles books(folder, 0, [] { return Status(); });
  auto present = books.read();
  if (!present) return std::unexpected(present.error());
  return books.save(merged(std::move(*present), *found.book));
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
                              const BackupContents& found) {
  std::string log_dir = log_folder(config.state_dir), fresh = log_dir + ".restoring";
  auto present = present_state(disk, log_dir);
  if (!present) return present;
  if (!present->empty() && !order.force)
    return fail(
        fmt::format("{} has a state already, {}; the backup is of event {}. --force sets "
                    "it aside",
                    config.state_dir, *present, found.head.seq.value));
  auto blobs = Blobs::open(disk, blob_folder(config.state_dir), {});
  if (!blobs) return std::unexpected(blobs.error());
  if (Status ok = put_blobs(**blobs, order.file); !ok) return std::unexpected(ok.error());
  if (Status ok = write_log(disk, fresh, found); !ok) return std::unexpected(ok.error());
  if (Status ok = write_files(config.state_dir, found); !ok) return std::unexpected(ok.error());
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

Result<std::string> restore_to_folder(Disk& disk, const ClusterConfig& config,
                                      const RestoreOrder& order, const BackupContents& found) {
  std::string log_dir = log_folder(config.state_dir);
  for (const std::string& dir : {log_dir, blob_folder(config.state_dir)})
    if (Status ok = make_folders(dir, 0700); !ok) return std::unexpected(ok.error());
  // Held until the end: no controller starts meanwhile.
  auto lock = disk.lock(log_dir + "/lock");
  if (!lock && lock.error().code == store_errc::kLocked)
    return fail("a controller uses the state: stop it first (" + lock.error().text + ")");
  if (!lock) return std::unexpected(lock.error());
  if (!has_standbys(config)) return write_all(disk, config, order, found);
  // With standbys a leader holds no lock that would keep others out.
  FileHome home(disk, config.state_dir, FileHome::Company::Standbys);
  auto lead = RestoreLead::take(home, standby_of(config).lease_time);
  if (!lead) return std::unexpected(lead.error());
  if (Status ok = home.note_restore(false); !ok) return std::unexpected(ok.error());
  auto aside = write_all(disk, config, order, found);
  if (Status ok = home.note_restore(true); !ok && aside) return std::unexpected(ok.error());
  if (Status ours = (*lead)->confirm(); aside && !ours)
    return fail("a controller has begun meanwhile: stop all of them, and restore once more");
  return aside;
}

}  // namespace ym
