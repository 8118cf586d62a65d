// SPDX-License-Identifier: Apache-2.0
#include "store/blobs_format.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/crc32c.h"
#include "store/errc.h"
#include "store/layout.h"

namespace ym {
namespace {

using layout::get;
using layout::put;

constexpr std::string_view kMagic = "YMBLOBSF";
constexpr std::size_t kSearchEffortMax = 64;  // as in segment.cc

// The entry at `at`; `effort` is what may still be checksummed.
std::optional<BlobEntry> decode_entry(std::string_view bytes, std::size_t at, std::size_t& effort) {
  if (at > bytes.size() || bytes.size() - at < kBlobEntryHeaderBytes) return std::nullopt;
  std::size_t length = get<std::uint32_t>(bytes, at + 4);
  std::uint64_t group = get<std::uint64_t>(bytes, at + 8);
  if (group < kBlobFileHeaderBytes || group > at) return std::nullopt;
  if (length > bytes.size() - at - kBlobEntryHeaderBytes) return std::nullopt;
  std::size_t covered = kBlobEntryHeaderBytes - 4 + length;
  if (covered > effort) return std::nullopt;
  effort -= covered;
  if (get<std::uint32_t>(bytes, at) != crc32c(bytes.substr(at + 4, covered))) return std::nullopt;
  return BlobEntry{.group_offset = group,
                   .digest = bytes.substr(at + 16, kBlobDigestBytes),
                   .payload = bytes.substr(at + kBlobEntryHeaderBytes, length),
                   .at = at,
                   .bytes = std::min(blob_entry_bytes(length), bytes.size() - at)};
}

}  // namespace

std::string encode_blob_file_header(std::uint64_t index) {
  std::string bytes(kBlobFileHeaderBytes, '\0');
  layout::put_preamble(bytes, kMagic, kBlobsVersion);
  put(bytes, 16, index);
  put(bytes, 60, crc32c(std::string_view(bytes).substr(16, 44)));
  return bytes;
}

Status check_blob_file_header(std::string_view bytes) {
  if (auto ok = layout::check_preamble(bytes, kMagic, kBlobsVersion); !ok) return ok;
  if (bytes.size() < kBlobFileHeaderBytes ||
      get<std::uint32_t>(bytes, 60) != crc32c(bytes.substr(16, 44))) {
    return fail(store_errc::kCorrupt, "has a header with a wrong checksum");
  }
  return {};
}

std::size_t blob_entry_bytes(std::size_t payload_bytes) {
  return layout::padded(kBlobEntryHeaderBytes + payload_bytes);
}

void append_blob_entry(std::string& out, std::string_view digest, std::string_view payload) {
  YM_CHECK(digest.size() == kBlobDigestBytes);
  YM_CHECK(payload.size() <= 0xffffffff);
  std::size_t at = out.size();
  out.reserve(at + blob_entry_bytes(payload.size()));
  out.resize(at + 16);
  put(out, at + 4, static_cast<std::uint32_t>(payload.size()));
  out.append(digest).append(payload);
  out.resize(at + blob_entry_bytes(payload.size()));
}

void seal_blob_entry(std::string& bytes, std::size_t at, std::uint64_t group_offset) {
  std::size_t length = get<std::uint32_t>(bytes, at + 4);
  put(bytes, at + 8, group_offset);
  put(bytes, at,
      crc32c(std::string_view(bytes).substr(at + 4, kBlobEntryHeaderBytes - 4 + length)));
}

BlobScan scan_blob_file(std::string_view bytes, const std::function<void(const BlobEntry&)>& fn) {
  BlobScan scan{.end = std::min(kBlobFileHeaderBytes, bytes.size())};
  std::size_t effort = bytes.size() * kSearchEffortMax;
  for (std::size_t at = scan.end; at + kBlobEntryHeaderBytes <= bytes.size();) {
    auto entry = decode_entry(bytes, at, effort);
    if (!entry) {
      at += 8;
      continue;
    }
    fn(*entry);
    scan.skipped += at - scan.end;
    at += entry->bytes;
    scan.end = at;
    scan.last_group = entry->group_offset;
    at = layout::padded(at);
  }
  return scan;
}

}  // namespace ym
