// SPDX-License-Identifier: Apache-2.0
#include "store/file_home.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "store/blobs.h"
#include "store/errc.h"
#include "store/journal_follower.h"

namespace ym {
namespace {

constexpr std::string_view kPrefix = "epoch-";
constexpr std::uint64_t kLeaseBytesMax = 4096;
constexpr std::uint64_t kEpochMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kEpochsKept = 3;
constexpr std::uint64_t kPrepareBytes = 1 << 20;
// "B 00000000000000000042\n": well, 42 times; "V ...": vacant.
constexpr std::size_t kBeatBytes = 23;

std::optional<std::uint64_t> parse_epoch(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.size() != 10) return std::nullopt;
  return parse_u64(name);
}

std::string beat_line(std::string_view state, std::uint64_t beats) {
  return fmt::format("{} {:020}\n", state, beats);
}

std::unexpected<Error> fenced(std::uint64_t epoch) {
  return fail(store_errc::kFenced,
              fmt::format("another controller has taken over: epoch {} is over", epoch));
}

// A Journal and its snapshots, with a fence.
class FileLog final : public ReplicatedLog {
 public:
  FileLog(FileHome& home, Disk& disk, std::string dir, std::uint64_t cluster_id,
          std::unique_ptr<Journal> journal)
      : home_(home),
        disk_(disk),
        dir_(std::move(dir)),
        cluster_id_(cluster_id),
        journal_(std::move(journal)) {}

  std::uint64_t durable_seq() const override { return journal_->durable_seq(); }
  std::uint64_t next_seq() const override { return journal_->next_seq(); }
  std::uint64_t oldest_seq() const override { return journal_->oldest_seq(); }
  const std::optional<Error>& failure() const override { return journal_->failure(); }
  Result<std::uint64_t> append(std::span<const std::string_view> payloads) override {
    return journal_->append(payloads);
  }
  Status commit() override { return journal_->commit(); }
  Status confirm() override { return home_.confirm(); }
  // A full disk shows at the next commit.
  void prepare() override { static_cast<void>(journal_->prepare_next(kPrepareBytes)); }
  Result<std::uint64_t> read_from(std::uint64_t seq, std::uint64_t bytes_max,
                                  const FeedFn& fn) override {
    return journal_->read_from(seq, bytes_max, fn);
  }
  Result<std::size_t> prune(std::uint64_t keep_from) override { return journal_->prune(keep_from); }
  Status write_snapshot(std::uint64_t seq, const Produce& produce) override {
    auto writer = SnapshotWriter::begin(disk_, dir_, cluster_id_, seq);
    if (!writer) return std::unexpected(writer.error());
    if (Status made = produce([&](std::string_view chunk) { return writer->add(chunk); }); !made)
      return made;
    if (Status ours = home_.confirm(); !ours) return ours;
    return writer->finish();
  }

 private:
  FileHome& home_;
  Disk& disk_;
  const std::string dir_;
  const std::uint64_t cluster_id_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace

std::string log_folder(const std::string& dir) { return dir + "/log"; }
std::string blob_folder(const std::string& dir) { return dir + "/blobs"; }

FileHome::FileHome(Disk& disk, std::string dir, Company company)
    : disk_(disk), dir_(std::move(dir)), company_(company) {}

std::string FileHome::path_of(std::uint64_t epoch) const {
  return fmt::format("{}/{}{:010}", leader_dir(), kPrefix, epoch);
}

Result<bool> FileHome::exists(const std::string& path) {
  auto file = disk_.open(path, DiskOpen::Read);
  if (file) return true;
  if (file.error().code == store_errc::kNotFound) return false;
  return std::unexpected(file.error());
}

Result<std::uint64_t> FileHome::newest_epoch() {
  if (Status made = disk_.make_dir(leader_dir()); !made) return std::unexpected(made.error());
  auto names = disk_.list(leader_dir());
  if (!names) return std::unexpected(names.error());
  std::uint64_t newest = 0;
  for (const std::string& name : *names)
    if (auto epoch = parse_epoch(name)) newest = std::max(newest, *epoch);
  return newest;
}

Result<Leadership> FileHome::look() {
  auto epoch = newest_epoch();
  if (!epoch) return std::unexpected(epoch.error());
  Leadership seen{.epoch = *epoch};
  if (*epoch == 0) {
    seen.vacant = true;
    return seen;
  }
  auto text = read_whole(disk_, path_of(*epoch), kLeaseBytesMax);
  if (!text) return std::unexpected(text.error());
  if (text->size() > kBeatBytes) {
    seen.beats = parse_u64(std::string_view(*text).substr(2, 20)).value_or(0);
    seen.vacant = text->front() == 'V';
    seen.name = trim(std::string_view(*text).substr(kBeatBytes));
  }
  // A lock goes with its process, where the file system knows of it.
  if (epoch_ == 0) seen.suspect = disk_.lock(path_of(*epoch) + ".held").has_value();
  return seen;
}

Result<std::uint64_t> FileHome::seize(const std::string& name, const Leadership& seen) {
  YM_CHECK(epoch_ == 0);
  if (company_ == Company::Alone) return 0;
  if (seen.epoch >= kEpochMax) return fail("there were too many epochs");
  std::uint64_t next = seen.epoch + 1;
  if (Status made = disk_.make_dir(leader_dir()); !made) return std::unexpected(made.error());
  // Held before anybody can see the epoch, or they would take us for dead.
  auto presence = disk_.lock(path_of(next) + ".held");
  if (!presence && presence.error().code == store_errc::kLocked)
    return fail(store_errc::kExists, "another controller is taking over");
  if (Status made = disk_.create_exclusive(path_of(next), beat_line("B", 0) + name + "\n"); !made)
    return std::unexpected(made.error());
  presence_ = presence ? std::move(*presence) : nullptr;
  name_ = name;
  beats_ = 0;
  epoch_ = next;
  if (next > kEpochsKept) remove_old(next - kEpochsKept);
  return next;
}

// The oldest first; see the head of the header.
void FileHome::remove_old(std::uint64_t before) {
  auto names = disk_.list(leader_dir());
  if (!names) return;
  for (const std::string& name : *names) {
    auto epoch = parse_epoch(std::string_view(name).substr(0, kPrefix.size() + 10));
    if (epoch && *epoch <= before) static_cast<void>(disk_.unlink(leader_dir() + "/" + name));
  }
}

Status FileHome::confirm() {
  std::uint64_t epoch = epoch_;
  if (company_ == Company::Alone) return {};
  if (epoch == 0) return fail(store_errc::kFenced, "this controller does not lead");
  auto successor = exists(path_of(epoch + 1));
  if (!successor) return std::unexpected(successor.error());
  if (*successor) return fenced(epoch);
  // In this order: had the successor been there and been removed, ours would be gone, too.
  auto own = exists(path_of(epoch));
  if (!own) return std::unexpected(own.error());
  return *own ? Status() : fenced(epoch);
}

// Opened each time: a network file system passes on at the close what was written.
Status FileHome::write_beat(std::string_view state) {
  auto file = disk_.open(path_of(epoch_), DiskOpen::Write);
  if (!file) {
    if (file.error().code == store_errc::kNotFound) return fenced(epoch_);
    return std::unexpected(file.error());
  }
  return (*file)->write(0, beat_line(state, ++beats_));
}

Status FileHome::renew() {
  if (company_ == Company::Alone) return {};
  if (Status ours = confirm(); !ours) return ours;
  return write_beat("B");
}

void FileHome::release() {
  if (company_ == Company::Alone || epoch_ == 0) return;
  if (confirm()) static_cast<void>(write_beat("V"));
  presence_.reset();
  epoch_ = 0;
}

Result<std::unique_ptr<LogFollower>> FileHome::follow() {
  return std::make_unique<JournalFollower>(disk_, log_folder(dir_), 0);
}

Result<OpenedLog> FileHome::open(JournalOptions options, const Replay& replay) {
  options.epoch = epoch_;
  std::string dir = log_folder(dir_);
  if (company_ == Company::Standbys) {
    options.fence = [this] { return confirm(); };
    // One that knows of no standbys does not look at epochs.
    if (Status made = disk_.make_dir(dir); !made) return std::unexpected(made.error());
    if (auto alone = disk_.lock(dir + "/lock"); !alone) return std::unexpected(alone.error());
  }
  auto found = Journal::open(disk_, dir, options, replay);
  if (!found) return std::unexpected(found.error());
  BlobOptions blob_options;
  blob_options.epoch = options.epoch;
  blob_options.fence = options.fence;
  auto blobs = Blobs::open(disk_, blob_folder(dir_), blob_options);
  if (!blobs) return std::unexpected(blobs.error());
  OpenedLog opened;
  opened.log =
      std::make_unique<FileLog>(*this, disk_, dir, options.cluster_id, std::move(found->journal));
  opened.blobs = std::move(*blobs);
  opened.found = std::move(*found);
  return opened;
}

Result<std::string> FileHome::last_restore() {
  auto text = read_whole(disk_, leader_dir() + "/restored", kLeaseBytesMax);
  if (text) return text;
  if (text.error().code == store_errc::kNotFound) return "";
  return text;
}

Status FileHome::note_restore(bool done) {
  std::string path = leader_dir() + "/restored", fresh = path + ".tmp";
  static_cast<void>(disk_.unlink(fresh));
  if (Status made = disk_.create_exclusive(fresh, restore_text(epoch_, done)); !made) return made;
  if (Status named = disk_.rename(fresh, path); !named) return named;
  return disk_.sync_dir(leader_dir());
}

// Everything that the log made; other files are not ours.
Status FileHome::clear() {
  for (const std::string& dir : {log_folder(dir_), blob_folder(dir_)}) {
    auto names = disk_.list(dir);
    if (!names) continue;
    for (const std::string& name : *names) static_cast<void>(disk_.unlink(dir + "/" + name));
  }
  return {};
}

}  // namespace ym
