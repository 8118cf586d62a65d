// SPDX-License-Identifier: Apache-2.0
#include "store/blobs.h"

#include <openssl/evp.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "store/blobs_format.h"
#include "store/errc.h"
#include "store/journal.h"

namespace ym {
namespace {

constexpr std::string_view kPrefix = "blobs-";
constexpr std::string_view kSuffix = ".dat";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::uint64_t kIndexMax = std::uint64_t{1} << 62;
constexpr std::uint64_t kFileBytesMax = std::uint64_t{4} * 1024 * 1024 * 1024;

std::optional<std::uint64_t> parse_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() < kPrefix.size() + 10 + kSuffix.size()) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  auto index = parse_u64(name);
  if (name.size() > 10 && name.front() == '0') return std::nullopt;  // one spelling per number
  return index && *index > 0 && *index < kIndexMax ? index : std::nullopt;
}

}  // namespace

Blobs::Blobs(Disk& disk, std::string dir, const BlobOptions& options,
             std::unique_ptr<DiskLock> lock)
    : disk_(disk), dir_(std::move(dir)), options_(options), lock_(std::move(lock)) {}

Blobs::~Blobs() = default;

Blobs::Digest Blobs::digest_of(std::string_view bytes) {
  // Fetched once: looking the algorithm up costs more than hashing a small script.
  static EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  YM_CHECK(kSha256 != nullptr);
  Digest digest{};
  unsigned int length = 0;
  int done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, kSha256, nullptr);
  YM_CHECK(done == 1);
  YM_CHECK(length == digest.size());
  return digest;
}

std::string Blobs::hex(const Digest& digest) {
  std::string text;
  text.reserve(2 * digest.size());
  for (unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<Blobs::Digest> Blobs::unhex(std::string_view id) {
  Digest digest{};
  if (id.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    std::size_t high = kDigits.find(id[2 * i]);
    std::size_t low = kDigits.find(id[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    digest[i] = static_cast<unsigned char>(high << 4 | low);
  }
  return digest;
}

std::string Blobs::id_of(std::string_view bytes) { return hex(digest_of(bytes)); }

std::string Blobs::path_of(std::uint64_t file) const {
  return fmt::format("{}/{}{:010}{}", dir_, kPrefix, file, kSuffix);
}

Result<std::unique_ptr<Blobs>> Blobs::open(Disk& disk, const std::string& dir,
                                           const BlobOptions& options) {
  if (auto made = disk.make_dir(dir); !made) return std::unexpected(made.error());
  std::unique_ptr<DiskLock> held;
  if (options.epoch == 0) {
    auto lock = disk.lock(dir + "/blobs.lock");
    if (!lock) return std::unexpected(lock.error());
    held = std::move(*lock);
  }
  std::unique_ptr<Blobs> blobs(new Blobs(disk, dir, options, std::move(held)));
  if (auto loaded = blobs->load(); !loaded) return std::unexpected(loaded.error());
  return blobs;
}

// Each epoch has its own, as in the journal.
std::string Blobs::temporary() const {
  return options_.epoch == 0 ? dir_ + "/blobs.tmp"
                             : fmt::format("{}/blobs-{}.tmp", dir_, options_.epoch);
}

Status Blobs::load() {
  auto names = disk_.list(dir_);
  if (!names) return std::unexpected(names.error());
  std::vector<std::uint64_t> found;
  for (const std::string& name : *names) {
    if (name.starts_with("blobs") && name.ends_with(".tmp")) {
      auto removed = disk_.unlink(dir_ + "/" + name);
      if (!removed && removed.error().code != store_errc::kNotFound) return removed;
    }
    if (auto file = parse_name(name)) found.push_back(*file);
  }
  std::ranges::sort(found);
  if (!found.empty()) next_file_ = found.back() + 1;
  next_file_ = std::max(next_file_, first_index_of(options_.epoch));
  for (std::uint64_t file : found) {
    if (auto loaded = load_file(file, file == found.back()); !loaded) return loaded;
  }
  // A predecessor may have died between a rename and this.
  if (auto synced = disk_.sync_dir(dir_); !synced) return synced;
  if (auto synced = sync(); !synced) {
    warnings_.push_back(fmt::format("{}; trying again with the next blob", synced.error().text));
  }
  return {};
}

// Of the last file the last group may be in the page cache only, even after a sync that failed. A
// later put() of the same bytes would be answered from it, so it is written once more; unless it is
// the file's first (invariant 2).
Status Blobs::load_file(std::uint64_t file, bool last) {
  auto bytes = read_whole(disk_, path_of(file), kFileBytesMax);
  if (!bytes) return std::unexpected(bytes.error());
  auto header = check_blob_file_header(*bytes);
  if (!header && header.error().code == store_errc::kFuture) {
    return fail(store_errc::kFuture, fmt::format("{} {}", path_of(file), header.error().text));
  }
  files_[file] = {};
  BlobScan scan = scan_blob_file(*bytes, [&](const BlobEntry& entry) {
    Digest digest{};
    std::ranges::copy(entry.digest, digest.begin());
    Place place{.file = file,
                .offset = entry.at + kBlobEntryHeaderBytes,
                .length = static_cast<std::uint32_t>(entry.payload.size())};
    // Of several copies the newest counts: a leader that was late may be removing the older one.
    auto [it, added] = index_.emplace(digest, place);
    if (!added && it->second.file != kPending) {
      File& old = files_[it->second.file];
      old.live -= std::min<std::uint64_t>(old.live, entry.bytes);
      it->second = place;
    }
    files_[file].live += entry.bytes;
  });
  files_[file].used = scan.end;
  if (!header || scan.skipped > 0) {
    warnings_.push_back(
        fmt::format("{} is damaged; what could be read of it is used", path_of(file)));
  }
  if (!last) return {};
  bool sound = header && scan.skipped == 0 && scan.end == bytes->size();
  if (scan.last_group == kBlobFileHeaderBytes && sound) {
    if (options_.epoch != 0) return {};  // its leader may still write behind its end
    auto opened = disk_.open(path_of(file), DiskOpen::Write);
    if (!opened) return std::unexpected(opened.error());
    active_file_ = std::move(*opened);
    active_ = file;
    return {};
  }
  scan_blob_file(*bytes, [&](const BlobEntry& entry) {
    if (entry.group_offset != scan.last_group) return;
    Digest digest{};
    std::ranges::copy(entry.digest, digest.begin());
    auto known = index_.find(digest);
    if (known->second.file != file) return;
    files_[file].live -= std::min<std::uint64_t>(files_[file].live, entry.bytes);
    enqueue(digest, entry.payload);
  });
  return {};
}

bool Blobs::contains(std::string_view id) const {
  auto digest = unhex(id);
  return digest && index_.contains(*digest);
}

void Blobs::enqueue(const Digest& digest, std::string_view bytes) {
  std::uint64_t at = group_.size();
  append_blob_entry(group_, {reinterpret_cast<const char*>(digest.data()), digest.size()}, bytes);
  group_entries_.emplace_back(digest, at);
  index_[digest] = {.file = kPending,
                    .offset = at + kBlobEntryHeaderBytes,
                    .length = static_cast<std::uint32_t>(bytes.size())};
}

Result<std::string> Blobs::put(BlobKind kind, std::string_view bytes) {
  bool script = kind == BlobKind::Script;
  std::uint64_t limit = script ? options_.script_bytes_max : options_.environment_bytes_max;
  if (bytes.size() > limit) {
    return fail(store_errc::kTooBig,
                fmt::format("the {} has {} bytes, more than the {} allowed",
                            script ? "batch script" : "environment", bytes.size(), limit));
  }
  Digest digest = digest_of(bytes);
  if (!index_.contains(digest)) {
    if (group_.size() + blob_entry_bytes(bytes.size()) > options_.pending_bytes_max) {
      return fail(store_errc::kTooBig,
                  fmt::format("{} bytes of scripts and environments wait to be "
                              "written already",
                              group_.size()));
    }
    enqueue(digest, bytes);
  }
  return hex(digest);
}

Status Blobs::sync() {
  if (group_.empty()) return {};
  bool fits = active_ != kPending && files_[active_].used + group_.size() <= options_.file_bytes;
  return fits ? write_in_active() : write_in_new_file();
}

Status Blobs::write_in_active() {
  std::uint64_t at = files_[active_].used;
  for (const auto& [digest, offset] : group_entries_) seal_blob_entry(group_, offset, at);
  Status done = active_file_->write(at, group_);
  if (done) done = active_file_->sync();
  if (!done) {
    // Nothing behind `used` can be trusted any more (journal.cc, write_in_active): a new file for
    // the next attempt. Cut off, so that this file ends where its sound entries do; if that fails,
    // a scan gets over it.
    [[maybe_unused]] auto ignored = active_file_->truncate(at);
    active_file_.reset();
    active_ = kPending;
    return done;
  }
  note_durable(active_, at);
  return {};
}

Status Blobs::write_in_new_file() {
  for (const auto& [digest, offset] : group_entries_) {
    seal_blob_entry(group_, offset, kBlobFileHeaderBytes);
  }
  std::string temporary = this->temporary();
  auto file = disk_.open(temporary, DiskOpen::Create);
  if (!file) return std::unexpected(file.error());
  Status done = (*file)->write(0, encode_blob_file_header(next_file_));
  if (done) done = (*file)->write(kBlobFileHeaderBytes, group_);
  if (done) done = (*file)->sync();
  std::uint64_t name = next_file_;
  if (done) done = disk_.rename(temporary, path_of(name));
  if (!done) {
    [[maybe_unused]] auto ignored = disk_.unlink(temporary);
    return done;
  }
  ++next_file_;
  if (auto synced = disk_.sync_dir(dir_); !synced) {
    [[maybe_unused]] auto ignored = disk_.unlink(path_of(name));
    return synced;
  }
  active_ = name;
  active_file_ = std::move(*file);
  files_[name] = {.used = kBlobFileHeaderBytes, .live = 0};
  note_durable(name, kBlobFileHeaderBytes);
  return {};
}

void Blobs::note_durable(std::uint64_t file, std::uint64_t group_offset) {
  for (const auto& [digest, offset] : group_entries_) {
    Place& place = index_.at(digest);
    YM_CHECK(place.file == kPending);
    place.file = file;
    place.offset = group_offset + offset + kBlobEntryHeaderBytes;
    files_[file].live += blob_entry_bytes(place.length);
  }
  files_[file].used = group_offset + group_.size();
  group_ = {};
  group_entries_.clear();
}

Result<std::string> Blobs::read_payload(const Place& place) {
  if (place.file == kPending) return group_.substr(place.offset, place.length);
  auto file = disk_.open(path_of(place.file), DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  return (*file)->read(place.offset, place.length);
}

Result<std::string> Blobs::get(std::string_view id) {
  auto digest = unhex(id);
  auto found = digest ? index_.find(*digest) : index_.end();
  if (found == index_.end()) {
    return fail(store_errc::kNotFound,
                fmt::format("no script or environment {} is stored", printable(id)));
  }
  auto bytes = read_payload(found->second);
  if (!bytes && bytes.error().code == store_errc::kNotFound && options_.epoch != 0) {
    if (Status moved = find_moved(); !moved) return std::unexpected(moved.error());
    bytes = read_payload(index_.at(*digest));
  }
  if (!bytes) return bytes;
  if (digest_of(*bytes) != *digest) {
    return fail(store_errc::kCorrupt,
                fmt::format("{} is damaged at offset {}: {} no longer has its content",
                            path_of(found->second.file), found->second.offset, id));
  }
  return bytes;
}

// A leader that was late has moved blobs to a file of its own and removed the old one, after we had
// read it.
Status Blobs::find_moved() {
  auto names = disk_.list(dir_);
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names)
    if (auto file = parse_name(name); file && !files_.contains(*file))
      if (Status loaded = load_file(*file, false); !loaded) return loaded;
  return {};
}

Result<Blobs::Retained> Blobs::retain(const std::function<bool(const std::string& id)>& wanted) {
  Retained result;
  // What waits for sync() is younger than anything that `wanted` can know.
  std::erase_if(index_, [&](const auto& item) {
    const auto& [digest, place] = item;
    if (place.file == kPending || wanted(hex(digest))) return false;
    File& file = files_[place.file];
    file.live -= std::min<std::uint64_t>(file.live, blob_entry_bytes(place.length));
    ++result.removed;
    return true;
  });
  std::vector<std::uint64_t> dead;
  for (const auto& [name, file] : files_) {
    if (2 * file.live < file.used - std::min<std::uint64_t>(file.used, kBlobFileHeaderBytes) ||
        file.live == 0) {
      dead.push_back(name);
    }
  }
  for (std::uint64_t name : dead) {
    if (name == active_) {
      active_ = kPending;
      active_file_.reset();
    }
    std::uint64_t live = files_[name].live;
    if (auto done = rewrite(name); !done) return std::unexpected(done.error());
    if (auto done = remove_file(name); !done) return std::unexpected(done.error());
    result.bytes_moved += live;
    ++result.files_removed;
  }
  return result;
}

// Moves what still lives in `file` behind the pending group and syncs. The old file goes only after
// that.
Status Blobs::rewrite(std::uint64_t file) {
  std::vector<std::pair<std::uint64_t, Digest>> living;
  for (const auto& [digest, place] : index_) {
    if (place.file == file) living.emplace_back(place.offset, digest);
  }
  std::ranges::sort(living);
  for (const auto& [offset, digest] : living) {
    auto bytes = read_payload(index_.at(digest));
    if (!bytes) return std::unexpected(bytes.error());
    if (digest_of(*bytes) !=
        digest) {  // never give damaged bytes a fresh checksum; the next put() heals it
      warnings_.push_back(fmt::format("{} is damaged at offset {}: {} is lost", path_of(file),
                                      offset, hex(digest)));
      index_.erase(digest);
      continue;
    }
    enqueue(digest, *bytes);
  }
  return sync();
}

Status Blobs::remove_file(std::uint64_t file) {
  if (options_.fence)
    if (auto ours = options_.fence(); !ours) return ours;
  if (auto removed = disk_.unlink(path_of(file)); !removed) return removed;
  files_.erase(file);
  return disk_.sync_dir(dir_);
}

}  // namespace ym
