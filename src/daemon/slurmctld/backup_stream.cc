// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/backup_stream.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/format.h"
#include "daemon/slurmctld/book_files.h"
#include "daemon/slurmctld/state_release.h"
#include "daemon/slurmctld/trust.h"
#include "os/clock.h"
#include "os/files.h"
#include "store/errc.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

namespace fs = std::filesystem;

// Pieces are filled up to that, so that a reader far away is not asked for each script.
constexpr std::size_t kPiece = 4u << 20;
constexpr std::size_t kFileMax = 1u << 20, kFilesMax = 1000;
constexpr std::string_view kTrustFolder = "tls";

// Folders that the log and the scripts live in, or lived in before, and who leads.
bool is_of_the_log(std::string_view name) {
  std::string_view first = name.substr(0, name.find('/'));
  return first == "log" || first == "blobs" || first == "format" || first == "leader" ||
         first.starts_with("log.") || first.ends_with(".lock") || first.ends_with(".tmp");
}

bool is_book(const fs::path& name) {
  return name.parent_path() == kTrustFolder && book_epoch(name.filename().string());
}

std::set<std::string> blobs_of(const State& state) {
  std::set<std::string> wanted;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    for (const std::string& id : {job.spec->script_blob, job.spec->environment_blob})
      if (!id.empty()) wanted.insert(id);
  });
  return wanted;
}

Result<std::vector<BackupFile>> texts_of(LogHome& home) {
  std::vector<BackupFile> files;
  for (const char* name : {kAuthorityKey, kAuthorityCertificate, kAuthorityBook}) {
    auto text = home.shared_text(name);
    if (!text) return std::unexpected(text.error());
    if (*text) files.push_back({.name = fmt::format("{}/{}", kTrustFolder, name), .bytes = **text});
  }
  return files;
}

Result<std::vector<BackupFile>> files_in(const fs::path& root) {
  std::vector<BackupFile> files;
  std::error_code error;
  fs::recursive_directory_iterator at(root, error), end;
  bool has_book = false;
  for (; !error && at != end; at.increment(error)) {
    fs::path relative = at->path().lexically_relative(root);
    std::string name = relative.string();
    if (at->is_directory(error) && is_of_the_log(name)) at.disable_recursion_pending();
    if (!at->is_regular_file(error) || at->is_symlink(error) || is_of_the_log(name)) continue;
    has_book = has_book || is_book(relative);
    if (is_book(relative)) continue;
    if (files.size() >= kFilesMax) return fail("there are too many files in " + root.string());
    auto bytes = read_file(at->path().string(), kFileMax);
    if (!bytes) return std::unexpected(bytes.error());
    auto mode = static_cast<std::uint32_t>(at->status(error).permissions()) & 0700;
    files.push_back({.name = std::move(name), .mode = mode, .bytes = std::move(*bytes)});
  }
  if (!has_book) return files;
  // Of the books of several epochs, the one that counts.
  auto book = BookFiles((root / kTrustFolder).string(), 0, {}).read();
  if (!book) return std::unexpected(book.error());
  files.push_back(
      {.name = fmt::format("{}/{}", kTrustFolder, kAuthorityBook), .bytes = book->text()});
  return files;
}

}  // namespace

Result<std::size_t> write_backup(const BackupParts& parts, const TakeBackup& take) {
  wire::BackupWriter writer;
  BackupHead head{.cluster = parts.state.cluster_name,
                  .seq = parts.state.seq,
                  .time = wall_clock(),
                  .release = YM_VERSION,
                  .format = kStateFormat};
  std::string bytes =
      wire::BackupWriter::preamble() + writer.record(wire::BackupKind::Head, wire::encode(head));
  auto add = [&](wire::BackupKind kind, std::string_view payload) -> Status {
    bytes += writer.record(kind, payload);
    return bytes.size() < kPiece ? Status() : take(std::exchange(bytes, {}), false);
  };
  std::size_t missing = 0;
  for (const std::string& id : blobs_of(parts.state)) {
    auto payload = parts.blob(id);
    bool gone = !payload && payload.error().code == store_errc::kNotFound;
    if (!payload && !gone) return std::unexpected(payload.error());
    if (gone) ++missing;
    if (gone) continue;
    if (Status ok = add(wire::BackupKind::Blob, *payload); !ok) return std::unexpected(ok.error());
  }
  Status added;
  wire::write_snapshot(parts.state, [&](std::string_view chunk) {
    added = add(wire::BackupKind::Chunk, chunk);
    return added.has_value();
  });
  if (!added) return std::unexpected(added.error());
  for (const BackupFile& file : parts.files)
    if (Status ok = add(wire::BackupKind::File, wire::encode(file)); !ok)
      return std::unexpected(ok.error());
  if (Status ok = take(bytes + writer.end(), true); !ok) return std::unexpected(ok.error());
  return missing;
}

Result<std::vector<BackupFile>> files_beside(LogHome* home, const std::string& state_dir) {
  return home && home->shares_texts() ? texts_of(*home) : files_in(state_dir);
}

}  // namespace ym
