// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/restore.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmctld/book_files.h"
#include "daemon/slurmctld/homes.h"
#include "daemon/slurmctld/restore_parts.h"
#include "daemon/slurmctld/state_release.h"
#include "os/files.h"
#include "os/users.h"
#include "store/etcd_home.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

using wire::BackupKind;

constexpr std::size_t kReadSize = 1u << 20;
constexpr std::uint64_t kBlobsAtOnce = 64u << 20;
constexpr std::size_t kFilesMax = 1000, kFilesBytesMax = 256u << 20;
constexpr const char* kOurName = "yardmaster-restore";

// The files as they come: of several books the newest counts, and who led is no matter.
class FileSorter {
 public:
  explicit FileSorter(BackupContents& found) : found_(found) {}

  Status take(BackupFile file) {
    if (!wire::is_safe_backup_name(file.name) || ++count_ > kFilesMax)
      return fail("a file that does not belong there: " + printable(file.name));
    if ((bytes_ += file.bytes.size()) > kFilesBytesMax) return fail("its files are too long");
    std::string_view name = file.name;
    constexpr std::string_view kTrust = "tls/";
    if (name.starts_with("leader/")) return {};
    auto epoch = name.starts_with(kTrust) ? book_epoch(name.substr(kTrust.size())) : std::nullopt;
    if (!epoch) {
      found_.files.push_back(std::move(file));
      return {};
    }
    if (found_.book && *epoch < epoch_) return {};
    auto book = TrustBook::parse(file.bytes);
    if (!book) return fail(fmt::format("{}: {}", file.name, book.error().text));
    epoch_ = *epoch;
    found_.book = std::move(*book);
    return {};
  }

 private:
  BackupContents& found_;
  std::size_t count_ = 0, bytes_ = 0;
  std::uint64_t epoch_ = 0;
};

Status check_target(const ClusterConfig& config, const BackupContents& found) {
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

}  // namespace

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

Result<BackupContents> examine(const std::string& path) {
  BackupContents found;
  wire::SnapshotReader snapshot;
  FileSorter files(found);
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
    return file ? files.take(std::move(*file)) : std::unexpected(file.error());
  });
  if (!read) return std::unexpected(read.error());
  auto state = snapshot.finish();
  if (!state) return fail(path + ": " + state.error().text);
  found.state = std::move(*state);
  if (found.state.seq != found.head.seq) return fail(path + ": head and state do not agree");
  return found;
}

Status put_blobs(BlobStore& blobs, const std::string& path) {
  std::uint64_t waiting = 0;
  Status read = read_backup(path, [&](BackupKind kind, std::string_view payload) -> Status {
    if (kind != BackupKind::Blob) return {};
    // The larger of the two limits: what it was is no matter any more.
    auto put = blobs.put(BlobKind::Environment, payload);
    if (!put) return std::unexpected(put.error());
    if ((waiting += payload.size()) < kBlobsAtOnce) return {};
    waiting = 0;
    return blobs.sync();
  });
  return read ? blobs.sync() : read;
}

TrustBook merged(TrustBook present, const TrustBook& of_backup) {
  present.add(of_backup);
  return present;
}

Result<std::unique_ptr<RestoreLead>> RestoreLead::take(LogHome& home, Duration lease_time) {
  auto seen = home.look();
  if (!seen) return std::unexpected(seen.error());
  if (!seen->vacant && !seen->suspect)
    return fail(seen->name + " leads: stop all controllers first");
  auto epoch = home.seize(kOurName, *seen);
  if (!epoch) return std::unexpected(epoch.error());
  std::unique_ptr<RestoreLead> lead(new RestoreLead(home));
  lead->keeper_ =
      std::make_unique<LeaseKeeper>(home, lease_time, [](const std::string&) {}, lead->log_);
  return lead;
}

RestoreLead::~RestoreLead() {
  keeper_.reset();
  home_.release();
}

Result<std::string> restore_state(Disk& disk, const LoadedConfiguration& loaded,
                                  const RestoreOrder& order) {
  const ClusterConfig& config = loaded.config;
  auto found = examine(order.file);
  if (!found) return std::unexpected(found.error());
  std::string what = fmt::format(
      "cluster {} at event {}: {} jobs, {} nodes, {} scripts and environments, written by release "
      "{}",
      found->head.cluster, found->head.seq.value, found->state.jobs.size(),
      found->state.nodes.size(), found->blobs, printable(found->head.release));
  if (order.check_only) return "the backup is sound: " + what + "\n";
  if (Status ok = check_target(config, *found); !ok) return std::unexpected(ok.error());
  bool etcd = is_etcd_place(config.state_dir);
  Result<std::string> aside = "";
  if (etcd) {
    auto home = make_home(loaded, disk);
    if (!home) return std::unexpected(home.error());
    aside = restore_to_home(**home, config, order, *found);
  } else {
    aside = restore_to_folder(disk, config, order, *found);
  }
  if (!aside) return aside;
  std::string said = "restored " + what + "\n";
  if (!aside->empty()) said += "the state before is in " + *aside + "\n";
  return said;
}

}  // namespace ym
