// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/state_release.h"

#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kFileMax = 4096;

std::string path_in(const std::string& state_dir) { return state_dir + "/format"; }
std::string our_text() { return fmt::format("{} {}\n", kStateFormat, YM_VERSION); }

}  // namespace

// The number, a space, the release that wrote it first; what may follow is ignored.
std::optional<StateRelease> parse_state_release(std::string_view text) {
  auto words = split_words(trim(text), ' ');
  auto format = words.empty() ? std::nullopt : parse_unsigned<std::uint32_t>(words.front());
  if (!format) return std::nullopt;
  return StateRelease{.format = *format,
                      .release = words.size() > 1 ? printable(words[1]) : "unknown"};
}

Status check_state_release(const std::string& state_dir) {
  std::string path = path_in(state_dir);
  if (::access(path.c_str(), F_OK) != 0) return {};
  auto text = read_file(path, kFileMax);
  if (!text) return std::unexpected(text.error());
  auto found = parse_state_release(*text);
  if (!found) return fail(path + ": not what a slurmctld writes there");
  if (found->format <= kStateFormat) return {};
  return fail(fmt::format(
      "the state in {} was written by a later release ({}, format {}); this one ({}) reads up to "
      "format {}. Nothing was changed: start the later release, or restore a backup of this one",
      state_dir, found->release, found->format, YM_VERSION, kStateFormat));
}

Status note_state_release(const std::string& state_dir) {
  std::string path = path_in(state_dir);
  auto present = read_file(path, kFileMax);
  auto found = present ? parse_state_release(*present) : std::nullopt;
  if (found && found->format == kStateFormat) return {};
  return write_file(path, our_text(), 0600);
}

}  // namespace ym
