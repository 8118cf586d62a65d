// SPDX-License-Identifier: Apache-2.0
// A backup that somebody hands us. What the reader takes must read the same in other pieces.
#include <cstdlib>
#include <string>

#include "wire/backup.h"
#include "wire/codec.h"

namespace {

std::string read(std::string_view bytes, std::size_t step) {
  std::string got;
  ym::wire::BackupReader reader(
      [&](ym::wire::BackupKind kind, std::string_view payload) -> ym::Status {
        got += static_cast<char>(kind);
        got += payload;
        if (kind == ym::wire::BackupKind::Head)
          static_cast<void>(ym::wire::decode<ym::BackupHead>(payload));
        if (kind == ym::wire::BackupKind::File) {
          auto file = ym::wire::decode<ym::BackupFile>(payload);
          if (file) static_cast<void>(ym::wire::is_safe_backup_name(file->name));
        }
        return {};
      });
  for (std::size_t at = 0; at < bytes.size(); at += step)
    if (auto ok = reader.feed(bytes.substr(at, step)); !ok) return ok.error().text;
  return reader.finish() ? got : "unfinished";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (read(bytes, size + 1) != read(bytes, 7)) std::abort();
  return 0;
}
