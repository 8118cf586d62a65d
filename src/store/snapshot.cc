// SPDX-License-Identifier: Apache-2.0
#include "store/snapshot.h"

#include <algorithm>
#include <utility>

#include "base/crc32c.h"
#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"
#include "store/layout.h"

namespace ym {
namespace {

using layout::get;
using layout::put;

constexpr std::string_view kMagic = "YMSNAPSH";
constexpr std::string_view kPrefix = "snapshot-";
constexpr std::string_view kSuffix = ".snap";
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kChunkHeaderBytes = 16;
constexpr std::size_t kTrailerBytes = 24;
constexpr std::uint32_t kTrailerLength = 0xffffffff;  // in place of a chunk's length
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kReadBytes = 1024 * 1024;

std::string encode_header(std::uint64_t cluster_id, std::uint64_t seq) {
  std::string bytes(kHeaderBytes, '\0');
  layout::put_preamble(bytes, kMagic, kSnapshotVersion);
  put(bytes, 16, seq);
  put(bytes, 24, cluster_id);
  put(bytes, 60, crc32c(std::string_view(bytes).substr(16, 44)));
  return bytes;
}

Status check_header(std::string_view bytes, const SnapshotFile& snapshot) {
  if (auto ok = layout::check_preamble(bytes, kMagic, kSnapshotVersion); !ok) return ok;
  if (bytes.size() < kHeaderBytes ||
      get<std::uint32_t>(bytes, 60) != crc32c(bytes.substr(16, 44))) {
    return fail(store_errc::kCorrupt, "has a header with a wrong checksum");
  }
  std::uint64_t seq = get<std::uint64_t>(bytes, 16);
  if (seq != snapshot.seq) {
    return fail(store_errc::kCorrupt, fmt::format("is of record {}, unlike its name", seq));
  }
  std::uint64_t owner = get<std::uint64_t>(bytes, 24);
  if (snapshot.cluster_id != 0 && owner != snapshot.cluster_id) {
    return fail(
        store_errc::kWrongOwner,
        fmt::format("belongs to cluster {}, not to {}: this is another cluster's state directory",
                    owner, snapshot.cluster_id));
  }
  return {};
}

// Reads a file front to back in large pieces.
class Stream {
 public:
  explicit Stream(DiskFile& file) : file_(file) {}

  // `length` bytes, valid until the next call; fewer if the file ends.
  Result<std::string_view> take(std::size_t length) {
    if (buffer_.size() - at_ < length) {
      buffer_.erase(0, at_);
      at_ = 0;
      std::size_t missing = length - buffer_.size();
      auto more = file_.read(offset_, std::max(missing, kReadBytes));
      if (!more) return std::unexpected(more.error());
      offset_ += more->size();
      buffer_ += *more;
    }
    std::string_view taken = std::string_view(buffer_).substr(at_, length);
    at_ += taken.size();
    return taken;
  }

 private:
  DiskFile& file_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
};

Status check_trailer(Stream& stream, std::string_view head, std::uint64_t chunks,
                     std::uint64_t bytes) {
  std::string trailer(head);
  auto rest = stream.take(kTrailerBytes - kChunkHeaderBytes);
  if (!rest) return std::unexpected(rest.error());
  trailer += *rest;
  if (trailer.size() < kTrailerBytes ||
      get<std::uint32_t>(trailer, 0) != crc32c(std::string_view(trailer).substr(4)) ||
      get<std::uint64_t>(trailer, 8) != chunks || get<std::uint64_t>(trailer, 16) != bytes) {
    return fail(store_errc::kCorrupt, "has a damaged trailer");
  }
  auto after = stream.take(1);
  if (!after) return std::unexpected(after.error());
  if (!after->empty()) return fail(store_errc::kCorrupt, "goes on after its trailer");
  return {};
}

Status read_chunks(Stream& stream, const ChunkFn& fn) {
  std::uint64_t bytes = 0;
  for (std::uint64_t chunk = 0;; ++chunk) {
    auto taken = stream.take(kChunkHeaderBytes);
    if (!taken) return std::unexpected(taken.error());
    if (taken->size() < kChunkHeaderBytes) {
      return fail(store_errc::kCorrupt, fmt::format("ends in chunk {}, without a trailer", chunk));
    }
    std::string head(*taken);
    std::uint32_t length = get<std::uint32_t>(head, 4);
    if (length == kTrailerLength) return check_trailer(stream, head, chunk, bytes);
    if (length > kSnapshotChunkBytesMax || get<std::uint64_t>(head, 8) != chunk) {
      return fail(store_errc::kCorrupt, fmt::format("is damaged in chunk {}", chunk));
    }
    auto payload = stream.take(length);
    if (!payload) return std::unexpected(payload.error());
    std::uint32_t crc = crc32c(*payload, crc32c(std::string_view(head).substr(4)));
    if (payload->size() < length || crc != get<std::uint32_t>(head, 0)) {
      return fail(store_errc::kCorrupt, fmt::format("is damaged in chunk {}", chunk));
    }
    bytes += length;
    if (auto ok = fn(*payload); !ok) return ok;
  }
}

}  // namespace

std::string snapshot_name(std::uint64_t seq) {
  return fmt::format("{}{:020}{}", kPrefix, seq, kSuffix);
}

Result<std::vector<std::uint64_t>> list_snapshots(Disk& disk, const std::string& dir) {
  auto names = disk.list(dir);
  if (!names) return std::unexpected(names.error());
  std::vector<std::uint64_t> found;
  for (std::string_view name : *names) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    if (auto seq = parse_u64(name); seq && name.size() == 20) found.push_back(*seq);
  }
  std::ranges::sort(found, std::greater());
  return found;
}

Status read_snapshot(Disk& disk, const SnapshotFile& snapshot, const ChunkFn& fn) {
  auto file = disk.open(snapshot.path, DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  Stream stream(**file);
  auto header = stream.take(kHeaderBytes);
  if (!header) return std::unexpected(header.error());
  Status read = check_header(*header, snapshot);
  if (read) read = read_chunks(stream, fn);
  if (read || read.error().code == store_errc::kIo || read.error().code == 0) return read;
  return fail(read.error().code, fmt::format("snapshot {} {}", snapshot.path, read.error().text));
}

SnapshotWriter::SnapshotWriter(Disk& disk, std::string dir, std::uint64_t seq,
                               std::unique_ptr<DiskFile> file)
    : disk_(&disk), dir_(std::move(dir)), seq_(seq), file_(std::move(file)) {}

SnapshotWriter::SnapshotWriter(SnapshotWriter&&) noexcept = default;

SnapshotWriter::~SnapshotWriter() {
  if (!file_) return;
  file_.reset();
  // If this fails, too, the next start of the journal removes the file.
  [[maybe_unused]] auto ignored = disk_->unlink(dir_ + "/" + snapshot_name(seq_) + ".tmp");
}

Result<SnapshotWriter> SnapshotWriter::begin(Disk& disk, std::string dir, std::uint64_t cluster_id,
                                             std::uint64_t seq) {
  auto file = disk.open(dir + "/" + snapshot_name(seq) + ".tmp", DiskOpen::Create);
  if (!file) return std::unexpected(file.error());
  SnapshotWriter writer(disk, std::move(dir), seq, std::move(*file));
  writer.buffer_ = encode_header(cluster_id, seq);
  return writer;
}

Status SnapshotWriter::flush() {
  if (auto wrote = file_->write(offset_, buffer_); !wrote) return wrote;
  offset_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status SnapshotWriter::add(std::string_view chunk) {
  if (!file_) return fail("the snapshot is finished already");
  if (chunk.size() > kSnapshotChunkBytesMax) {
    return fail(store_errc::kTooBig,
                fmt::format("a chunk of {} bytes is more than the {} a snapshot takes at once",
                            chunk.size(), kSnapshotChunkBytesMax));
  }
  std::size_t at = buffer_.size();
  buffer_.resize(at + kChunkHeaderBytes);
  put(buffer_, at + 4, static_cast<std::uint32_t>(chunk.size()));
  put(buffer_, at + 8, chunks_);
  buffer_ += chunk;
  put(buffer_, at, crc32c(std::string_view(buffer_).substr(at + 4)));
  ++chunks_;
  payload_bytes_ += chunk.size();
  return buffer_.size() < kWriteBytes ? Status() : flush();
}

Status SnapshotWriter::finish() {
  if (!file_) return fail("the snapshot is finished already");
  std::string trailer(kTrailerBytes, '\0');
  put(trailer, 4, kTrailerLength);
  put(trailer, 8, chunks_);
  put(trailer, 16, payload_bytes_);
  put(trailer, 0, crc32c(std::string_view(trailer).substr(4)));
  buffer_ += trailer;
  if (auto wrote = flush(); !wrote) return wrote;
  if (auto synced = file_->sync(); !synced) return synced;
  std::string path = dir_ + "/" + snapshot_name(seq_);
  if (auto named = disk_->rename(path + ".tmp", path); !named) return named;
  file_.reset();
  if (auto synced = disk_->sync_dir(dir_); !synced) return synced;

  auto kept = list_snapshots(*disk_, dir_);
  if (!kept) return std::unexpected(kept.error());
  // Oldest first, so that a crash in between leaves the newer ones. Too many is no failure: the
  // next one tries again.
  while (kept->size() > kSnapshotsKept) {
    if (!disk_->unlink(dir_ + "/" + snapshot_name(kept->back()))) break;
    kept->pop_back();
  }
  return {};
}

}  // namespace ym
