// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/book_files.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "net/key.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kBookMax = 64u << 20;
constexpr std::string_view kName = "book";

std::string path_of(const std::string& folder, std::uint64_t epoch) {
  std::string path = fmt::format("{}/{}", folder, kName);
  return epoch == 0 ? path : path + fmt::format("-{:010}", epoch);
}

// By epoch, the newest last.
std::map<std::uint64_t, std::string> books_in(const std::string& folder) {
  std::map<std::uint64_t, std::string> found;
  std::error_code trouble;
  for (const auto& entry : std::filesystem::directory_iterator(folder, trouble))
    if (auto epoch = book_epoch(entry.path().filename().string()))
      found.emplace(*epoch, entry.path().string());
  return found;
}

}  // namespace

std::optional<std::uint64_t> book_epoch(std::string_view name) {
  if (!name.starts_with(kName)) return std::nullopt;
  name.remove_prefix(kName.size());
  if (name.empty()) return 0;
  if (name.size() != 11 || name.front() != '-') return std::nullopt;
  return parse_u64(name.substr(1));
}

Result<TrustBook> BookFiles::read() const {
  auto books = books_in(folder_);
  if (books.empty()) return TrustBook();
  const std::string& path = books.rbegin()->second;
  auto text = read_secret(path, kBookMax);
  if (!text) return std::unexpected(text.error());
  auto book = TrustBook::parse(*text);
  if (!book) return fail(fmt::format("{}: {}", path, book.error().text));
  return book;
}

Status BookFiles::save(const TrustBook& book) {
  if (Status wrote = write_file(path_of(folder_, epoch_), book.text(), 0600); !wrote) return wrote;
  if (Status synced = sync_folder(folder_); !synced) return synced;
  if (Status ours = confirm_(); !ours) return ours;
  // Those of former epochs are read no more, once ours is there; without epochs ours is the one
  // that would not be read.
  if (removed_) return {};
  if (Status removed = remove_others(); !removed) return removed;
  removed_ = true;
  return {};
}

Status BookFiles::remove_others() {
  for (const auto& [epoch, path] : books_in(folder_)) {
    bool older = epoch_ == 0 ? epoch != 0 : epoch < epoch_;
    if (older && ::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(errno_text(path));
  }
  return sync_folder(folder_);
}

}  // namespace ym
