// SPDX-License-Identifier: Apache-2.0
#include "store/disk_memory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

std::string dir_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::unexpected<Error> failed(std::uint32_t code, std::string_view verb, const std::string& path,
                              std::string_view why) {
  return fail(code, fmt::format("cannot {} {}: {}", verb, path, why));
}

}  // namespace

class MemoryFile final : public DiskFile {
 public:
  MemoryFile(DiskMemory& disk, DiskMemory::InodeRef inode, std::string path)
      : disk_(disk), inode_(std::move(inode)), path_(std::move(path)), boot_(disk.boots_) {}

  Result<std::uint64_t> size() override {
    if (auto ok = usable(); !ok) return std::unexpected(ok.error());
    return inode_->current.size();
  }

  Result<std::string> read(std::uint64_t offset, std::size_t length) override {
    if (auto ok = usable(); !ok) return std::unexpected(ok.error());
    if (disk_.faults.unreadable.contains(path_)) {
      return failed(store_errc::kIo, "read", path_, "Input/output error");
    }
    if (offset >= inode_->current.size()) return std::string();
    return inode_->current.substr(offset, length);
  }

  Status write(std::uint64_t offset, std::string_view bytes) override {
    if (auto ok = begin_change(); !ok) return ok;
    if (disk_.faults.writes_to_fail > 0) {
      --disk_.faults.writes_to_fail;
      change({.offset = offset, .bytes = std::string(bytes.substr(0, bytes.size() / 2))});
      return failed(store_errc::kIo, "write", path_, "Input/output error");
    }
    if (std::uint64_t room = room_for(offset, bytes.size()); room < bytes.size()) {
      if (room > 0) change({.offset = offset, .bytes = std::string(bytes.substr(0, room))});
      return failed(store_errc::kNoSpace, "write", path_, "No space left on device");
    }
    change({.offset = offset, .bytes = std::string(bytes)});
    return {};
  }

  Status write_zeros(std::uint64_t offset, std::uint64_t length) override {
    return write(offset, std::string(length, '\0'));
  }

  Status truncate(std::uint64_t size) override {
    if (auto ok = begin_change(); !ok) return ok;
    change({.offset = size, .bytes = {}, .truncate = true});
    return {};
  }

  Status sync() override {
    if (auto ok = begin_change(); !ok) return ok;
    ++disk_.syncs_;
    if (disk_.faults.syncs_to_fail > 0) {
      --disk_.faults.syncs_to_fail;
      inode_->unsynced.clear();
      return failed(store_errc::kIo, "sync", path_, "Input/output error");
    }
    for (const auto& change : inode_->unsynced) DiskMemory::apply(inode_->durable, change);
    inode_->unsynced.clear();
    return {};
  }

 private:
  Status usable() const {
    if (boot_ != disk_.boots_)
      return failed(store_errc::kIo, "use", path_, "opened before a crash");
    return disk_.check_power(path_);
  }
  Status begin_change() {
    if (auto ok = usable(); !ok) return ok;
    return disk_.begin_change(path_);
  }
  void change(DiskMemory::Change change) {
    DiskMemory::apply(inode_->current, change);
    inode_->unsynced.push_back(std::move(change));
  }
  // How many of `length` bytes at `offset` the disk can still take.
  std::uint64_t room_for(std::uint64_t offset, std::uint64_t length) const {
    std::uint64_t size = inode_->current.size();
    if (!disk_.faults.capacity || offset + length <= size) return length;
    std::uint64_t used = disk_.bytes_used();
    std::uint64_t end = size + (used < *disk_.faults.capacity ? *disk_.faults.capacity - used : 0);
    return end > offset ? std::min(end - offset, length) : 0;
  }

  DiskMemory& disk_;
  DiskMemory::InodeRef inode_;
  std::string path_;
  std::uint64_t boot_;
};

class MemoryLock final : public DiskLock {
 public:
  MemoryLock(DiskMemory& disk, std::string path)
      : disk_(disk), path_(std::move(path)), boot_(disk.boots_) {}
  ~MemoryLock() override {
    if (boot_ == disk_.boots_) disk_.locks_.erase(path_);
  }

 private:
  DiskMemory& disk_;
  std::string path_;
  std::uint64_t boot_;
};

Status DiskMemory::check_power(const std::string& path) const {
  if (power_out_) return failed(store_errc::kIo, "use", path, "the power is out");
  return {};
}

Status DiskMemory::begin_change(const std::string& path) {
  if (faults.power_after && *faults.power_after == 0) power_out_ = true;
  if (auto ok = check_power(path); !ok) return ok;
  if (faults.power_after) --*faults.power_after;
  ++operations_;
  return {};
}

void DiskMemory::apply(std::string& bytes, const Change& change) {
  if (change.truncate) return bytes.resize(change.offset);
  if (bytes.size() < change.offset + change.bytes.size()) {
    bytes.resize(change.offset + change.bytes.size());
  }
  std::ranges::copy(change.bytes, bytes.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

void DiskMemory::apply(Names& names, const NameChange& change) {
  auto old = names.find(change.old_name);
  if (old != names.end() && old->second == change.inode) names.erase(old);
  if (change.inode) {
    names[change.name] = change.inode;
  } else {
    names.erase(change.name);
  }
}

void DiskMemory::apply_torn(std::string& bytes, const Change& change, Prng& prng) {
  if (change.truncate) {
    if (prng.chance(1, 2)) apply(bytes, change);
    return;
  }
  switch (prng.below(4)) {
    case 0: return;
    case 1: return apply(bytes, change);
    case 2: {
      Change part{.offset = change.offset, .bytes = change.bytes};
      part.bytes.resize(prng.below(change.bytes.size() + 1));
      return apply(bytes, part);
    }
    default: break;
  }
  std::uint64_t end = change.offset + change.bytes.size();
  for (std::uint64_t at = change.offset; at < end;) {
    std::uint64_t next = std::min((at / kSectorBytes + 1) * kSectorBytes, end);
    if (prng.chance(1, 2)) {
      apply(bytes, {.offset = at, .bytes = change.bytes.substr(at - change.offset, next - at)});
    }
    at = next;
  }
}

void DiskMemory::change_names(NameChange change) {
  apply(names_, change);
  unsynced_names_.push_back(std::move(change));
}

Result<std::unique_ptr<DiskFile>> DiskMemory::open(const std::string& path, DiskOpen how) {
  if (auto ok = check_power(path); !ok) return std::unexpected(ok.error());
  auto found = names_.find(path);
  if (how != DiskOpen::Create) {
    if (found == names_.end()) {
      return failed(store_errc::kNotFound, "open", path, "No such file or directory");
    }
    return std::make_unique<MemoryFile>(*this, found->second, path);
  }
  if (auto ok = begin_change(path); !ok) return std::unexpected(ok.error());
  if (found != names_.end()) {
    Change empty{.offset = 0, .bytes = {}, .truncate = true};
    apply(found->second->current, empty);
    found->second->unsynced.push_back(empty);
    return std::make_unique<MemoryFile>(*this, found->second, path);
  }
  auto inode = std::make_shared<Inode>();
  change_names({.name = path, .inode = inode, .old_name = path});
  return std::make_unique<MemoryFile>(*this, inode, path);
}

Status DiskMemory::make_dir(const std::string& path) { return check_power(path); }

Result<std::vector<std::string>> DiskMemory::list(const std::string& dir) {
  if (auto ok = check_power(dir); !ok) return std::unexpected(ok.error());
  std::vector<std::string> found;
  for (const auto& [path, inode] : names_) {
    if (dir_of(path) == dir) found.push_back(path.substr(dir.size() + 1));
  }
  return found;
}

Status DiskMemory::rename(const std::string& from, const std::string& to) {
  auto found = names_.find(from);
  if (found == names_.end()) {
    return failed(store_errc::kNotFound, "rename", from, "No such file or directory");
  }
  if (auto ok = begin_change(from); !ok) return ok;
  change_names({.name = to, .inode = found->second, .old_name = from});
  return {};
}

Status DiskMemory::unlink(const std::string& path) {
  if (!names_.contains(path)) {
    return failed(store_errc::kNotFound, "remove", path, "No such file or directory");
  }
  if (auto ok = begin_change(path); !ok) return ok;
  change_names({.name = path, .inode = nullptr, .old_name = path});
  return {};
}

Status DiskMemory::sync_dir(const std::string& dir) {
  if (auto ok = begin_change(dir); !ok) return ok;
  if (faults.dir_syncs_to_fail > 0) {
    --faults.dir_syncs_to_fail;
    return failed(store_errc::kIo, "sync directory", dir, "Input/output error");
  }
  std::erase_if(unsynced_names_, [&](const NameChange& change) {
    if (dir_of(change.name) != dir) return false;
    apply(durable_names_, change);
    return true;
  });
  return {};
}

Status DiskMemory::create_exclusive(const std::string& path, std::string_view bytes) {
  if (auto ok = begin_change(path); !ok) return ok;
  if (names_.contains(path)) return failed(store_errc::kExists, "create", path, "File exists");
  put_file(path, std::string(bytes));
  return {};
}

Result<std::unique_ptr<DiskLock>> DiskMemory::lock(const std::string& path) {
  if (auto ok = check_power(path); !ok) return std::unexpected(ok.error());
  if (!locks_.insert(path).second) {
    return fail(store_errc::kLocked,
                fmt::format("{} is locked by process 1 of the simulated machine", path));
  }
  return std::make_unique<MemoryLock>(*this, path);
}

void DiskMemory::crash(Prng& prng) {
  for (const NameChange& change : unsynced_names_) {
    if (prng.chance(1, 2)) apply(durable_names_, change);
  }
  unsynced_names_.clear();
  names_ = durable_names_;
  for (auto& [path, inode] : names_) {
    for (const Change& change : inode->unsynced) apply_torn(inode->durable, change, prng);
    inode->unsynced.clear();
    inode->current = inode->durable;
  }
  faults.power_after.reset();
  power_out_ = false;
  kill_process();
}

void DiskMemory::kill_process() {
  ++boots_;
  locks_.clear();
}

void DiskMemory::put_file(const std::string& path, std::string bytes) {
  auto inode = std::make_shared<Inode>(Inode{.durable = bytes, .current = bytes, .unsynced = {}});
  names_[path] = inode;
  durable_names_[path] = inode;
}

void DiskMemory::remove_file(const std::string& path) {
  names_.erase(path);
  durable_names_.erase(path);
}

void DiskMemory::flip(const std::string& path, std::uint64_t offset, std::uint8_t mask) {
  Inode& inode = *names_.at(path);
  for (std::string* bytes : {&inode.durable, &inode.current}) {
    if (offset < bytes->size()) {
      (*bytes)[offset] = static_cast<char>(static_cast<std::uint8_t>((*bytes)[offset]) ^ mask);
    }
  }
}

std::optional<std::string> DiskMemory::contents(const std::string& path) const {
  auto found = names_.find(path);
  if (found == names_.end()) return std::nullopt;
  return found->second->current;
}

std::uint64_t DiskMemory::bytes_used() const {
  std::uint64_t sum = 0;
  for (const auto& [path, inode] : names_) sum += inode->current.size();
  return sum;
}

}  // namespace ym
