// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/revoked.h"

#include <fcntl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

// Then it is written anew, with those that count.
constexpr std::size_t kRowsMax = 4 * agent::kTombstonesMax;

std::string row_of(Sluid sluid, Instant at) {
  return fmt::format("{} {}\n", sluid.value, at.unix_seconds());
}

std::vector<std::pair<Sluid, Instant>> read_rows(const std::string& path, Instant now) {
  auto text = read_file(path);
  return revoked_rows(text ? *text : std::string(), now);
}

}  // namespace

std::vector<std::pair<Sluid, Instant>> revoked_rows(std::string_view text, Instant now) {
  std::vector<std::pair<Sluid, Instant>> rows;
  for (std::string_view line : split(text, '\n')) {
    auto words = split(line, ' ');
    if (words.size() != 2) continue;
    auto sluid = parse_unsigned<std::uint64_t>(words[0]);
    auto seconds = parse_unsigned<std::uint32_t>(words[1]);
    if (!sluid || !seconds) continue;
    Instant at = Instant::from_unix_seconds(*seconds);
    if (now - at < RevokedList::kRemember) rows.emplace_back(Sluid{*sluid}, at);
  }
  if (rows.size() > agent::kTombstonesMax)
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(agent::kTombstonesMax));
  return rows;
}

std::vector<Sluid> RevokedList::load(Instant now) {
  auto rows = read_rows(path_, now);
  write(rows);
  std::vector<Sluid> sluids;
  for (const auto& [sluid, at] : rows) sluids.push_back(sluid);
  return sluids;
}

void RevokedList::write(const std::vector<std::pair<Sluid, Instant>>& rows) {
  std::string text;
  for (const auto& [sluid, at] : rows) text += row_of(sluid, at);
  static_cast<void>(write_file(path_, text, 0600));
  file_ = Fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  rows_ = rows.size();
}

void RevokedList::note(Sluid sluid, Instant now) {
  if (rows_ >= kRowsMax) write(read_rows(path_, now));
  std::string row = row_of(sluid, now);
  // If it cannot be written, it is remembered for as long as we live.
  [[maybe_unused]] ssize_t wrote = file_ ? ::write(file_.get(), row.data(), row.size()) : -1;
  ++rows_;
}

}  // namespace ym
