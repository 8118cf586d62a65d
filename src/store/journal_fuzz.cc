// SPDX-License-Identifier: Apache-2.0
// Any bytes as a segment: recovery refuses or recovers, accept_loss always gets going, and what is
// written then stays. An even first byte: the rest is the file. An odd one: a sound segment,
// overwritten with the rest at some offset, so that the search behind the checksums is reached.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/disk_memory.h"
#include "store/errc.h"
#include "store/journal.h"

namespace {

const std::string kDir = "d";

std::string sound_segment() {
  std::string bytes = ym::encode_segment_header(
      {.index = 1, .first_seq = 1, .durable_through = 2, .cluster_id = 0});
  for (std::uint32_t seq = 1; seq <= 12; ++seq) {
    ym::append_record(bytes, seq, seq < 3 ? seq - 1 : (seq - 3) % 5, std::string(seq * 7, 'r'));
  }
  bytes.resize(2048);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string bytes(input.substr(0, 0));
  if (size > 0 && data[0] % 2 == 0) bytes = input.substr(1);
  if (size > 3 && data[0] % 2 == 1) {
    bytes = sound_segment();
    std::size_t at = (data[1] + 256U * data[2]) % bytes.size();
    bytes.replace(at, size - 3, input.substr(3));
  }
  ym::DiskMemory disk;
  disk.put_file(kDir + "/" + ym::segment_name(1), bytes);
  ym::JournalOptions options{.segment_bytes = 512};
  auto first = ym::Journal::open(disk, kDir, options, {});
  if (!first) {
    auto code = first.error().code;
    if (code == ym::store_errc::kFuture || code == ym::store_errc::kWrongOwner) return 0;
    YM_CHECK(code == ym::store_errc::kCorrupt);
    options.accept_loss = true;
    first = ym::Journal::open(disk, kDir, options, {});
  }
  YM_CHECK(first.has_value());
  std::uint64_t last = first->last_seq;
  if (last > ym::kSeqMax - 10) return 0;
  std::string_view payload = "after";
  YM_CHECK(first->journal->append({&payload, 1}).value() == last + 1);
  YM_CHECK(first->journal->commit().has_value());
  first = ym::fail("closed");
  options.accept_loss = false;
  auto second = ym::Journal::open(disk, kDir, options, {});
  YM_CHECK(second.has_value());
  YM_CHECK(second->last_seq == last + 1);
  return 0;
}
