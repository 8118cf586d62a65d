// SPDX-License-Identifier: Apache-2.0
// The bytes of a blob file (FORMAT.md). DO NOT CHANGE the layout without raising kBlobsVersion.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

inline constexpr std::uint32_t kBlobsVersion = 1;
inline constexpr std::size_t kBlobFileHeaderBytes = 64;
inline constexpr std::size_t kBlobEntryHeaderBytes = 48;
inline constexpr std::size_t kBlobDigestBytes = 32;

std::string encode_blob_file_header(std::uint64_t index);
// kFuture, or kCorrupt; entries are readable without the header.
Status check_blob_file_header(std::string_view bytes);

std::size_t blob_entry_bytes(std::size_t payload_bytes);
// Appends an entry that lacks its group's offset and its checksum; seal_blob_entry() adds them.
void append_blob_entry(std::string& out, std::string_view digest, std::string_view payload);
void seal_blob_entry(std::string& bytes, std::size_t at, std::uint64_t group_offset);

struct BlobEntry {
  std::uint64_t group_offset = 0;  // where in the file the write began that this entry came with
  std::string_view digest;
  std::string_view payload;
  std::size_t at = 0;     // of the entry in the file
  std::size_t bytes = 0;  // header and padding included
};
struct BlobScan {
  std::size_t end = 0;           // behind the last sound entry
  std::uint64_t skipped = 0;     // bytes between sound entries that make no entry
  std::uint64_t last_group = 0;  // group_offset of the last entry, 0 if there is none
};
// Every sound entry of a file, damaged stretches skipped.
BlobScan scan_blob_file(std::string_view bytes, const std::function<void(const BlobEntry&)>& fn);

}  // namespace ym
