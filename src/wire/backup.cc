// SPDX-License-Identifier: Apache-2.0
#include "wire/backup.h"

#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/format.h"
#include "base/text.h"

namespace ym::wire {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view kMagic = "YMBACKUP";
constexpr std::size_t kPreamble = 16, kHeader = 17;

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::string BackupWriter::preamble() {
  std::string bytes(kMagic);
  put(bytes, kBackupVersion);
  put(bytes, crc32c(bytes));
  return bytes;
}

std::string BackupWriter::record(BackupKind kind, std::string_view payload) {
  YM_CHECK(payload.size() <= kBackupRecordMax);
  std::string rest;
  rest.reserve(kHeader + payload.size());
  put(rest, static_cast<std::uint32_t>(payload.size()));
  put(rest, next_++);
  put(rest, static_cast<std::uint8_t>(kind));
  rest += payload;
  std::string bytes;
  bytes.reserve(rest.size() + sizeof(std::uint32_t));
  put(bytes, crc32c(rest));
  return bytes + rest;
}

Status BackupReader::feed(std::string_view bytes) {
  buffer_.append(bytes);
  if (!begun_) {
    if (buffer_.size() < kPreamble) return {};
    if (Status ok = take_preamble(); !ok) return ok;
  }
  for (;;) {
    auto taken = take_record();
    if (!taken) return std::unexpected(taken.error());
    if (!*taken) break;
  }
  buffer_.erase(0, at_);
  at_ = 0;
  return {};
}

Status BackupReader::take_preamble() {
  std::string_view head = std::string_view(buffer_).substr(0, kPreamble);
  if (!head.starts_with(kMagic)) return fail("this is no backup");
  if (get<std::uint32_t>(head, 12) != crc32c(head.substr(0, 12)))
    return fail("the backup is damaged: its first bytes have changed");
  if (auto version = get<std::uint32_t>(head, 8); version > kBackupVersion)
    return fail(fmt::format(
        "the backup was written by a later release (format {}, this one reads up to {})", version,
        kBackupVersion));
  at_ = kPreamble;
  begun_ = true;
  return {};
}

Result<bool> BackupReader::take_record() {
  std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.empty()) return false;
  if (ended_) return fail("the backup is damaged: something follows its end");
  if (rest.size() < kHeader) return false;
  auto length = get<std::uint32_t>(rest, 4);
  if (length > kBackupRecordMax)
    return fail(fmt::format("the backup is damaged: record {} has no sensible length", next_));
  if (rest.size() < kHeader + length) return false;
  std::string_view record = rest.substr(0, kHeader + length);
  bool sound = get<std::uint32_t>(record, 0) == crc32c(record.substr(4)) &&
               get<std::uint64_t>(record, 8) == next_;
  if (!sound) return fail(fmt::format("the backup is damaged: record {} has changed", next_));
  auto kind = static_cast<BackupKind>(record[16]);
  if (Status ok = check_order(kind); !ok) return std::unexpected(ok.error());
  at_ += record.size();
  ++next_;
  if (kind == BackupKind::End) {
    ended_ = true;
    return true;
  }
  if (Status ok = sink_(kind, record.substr(kHeader)); !ok) return std::unexpected(ok.error());
  return true;
}

Status BackupReader::check_order(BackupKind kind) {
  bool known = kind >= BackupKind::Head && kind <= BackupKind::End;
  bool first = next_ == 0;
  if (!known || first != (kind == BackupKind::Head) || kind < last_)
    return fail(fmt::format("the backup is damaged: record {} is not what belongs there", next_));
  last_ = kind;
  return {};
}

Status BackupReader::finish() const {
  if (!ended_) return fail("the backup is not complete: its end is missing");
  return {};
}

bool is_safe_backup_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != name.npos) return false;
  for (std::string_view part : split(name, '/'))
    if (part.empty() || part == "." || part == "..") return false;
  return true;
}

}  // namespace ym::wire
