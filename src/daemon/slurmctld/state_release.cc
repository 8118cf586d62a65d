// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/state_release.h"

#include <unistd.h>

#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kFileMax = 4096;
constexpr const char* kName = "format";
constexpr std::string_view kBarred = "restoring";

bool has_texts(const StatePlace& place) { return place.home && place.home->shares_texts(); }
std::string path_in(const StatePlace& place) { return place.dir + "/" + kName; }
std::string our_text() { return fmt::format("{} {}\n", kStateFormat, YM_VERSION); }

Result<std::optional<std::string>> present_text(const StatePlace& place) {
  if (has_texts(place)) return place.home->shared_text(kName);
  std::string path = path_in(place);
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  auto text = read_file(path, kFileMax);
  if (!text) return std::unexpected(text.error());
  return std::optional(std::move(*text));
}

Status write_text(const StatePlace& place, const std::string& text) {
  if (has_texts(place)) return place.home->share_text(kName, text);
  return write_file(path_in(place), text, 0600);
}

}  // namespace

// The number, a space, the release that wrote it first; what may follow is ignored.
std::optional<StateRelease> parse_state_release(std::string_view text) {
  auto words = split_words(trim(text), ' ');
  auto format = words.empty() ? std::nullopt : parse_unsigned<std::uint32_t>(words.front());
  if (!format) return std::nullopt;
  return StateRelease{.format = *format,
                      .release = words.size() > 1 ? printable(words[1]) : "unknown"};
}

Status check_format(std::uint32_t format, std::string_view release, const std::string& what) {
  if (format <= kStateFormat) return {};
  return fail(fmt::format(
      "{} was written by a later release ({}, format {}); this one ({}) reads up to format {}",
      what, release.empty() ? "unknown" : printable(release), format, YM_VERSION, kStateFormat));
}

Status check_state_release(const StatePlace& place) {
  auto text = present_text(place);
  if (!text) return std::unexpected(text.error());
  if (!*text) return {};
  auto words = split_words(trim(**text), ' ');
  if (!words.empty() && words.front() == kBarred)
    return fail(
        fmt::format("a restore into {} was not finished: give the command once more, with "
                    "--force",
                    place.dir));
  auto found = parse_state_release(**text);
  if (!found) return fail(path_in(place) + ": not what a slurmctld writes there");
  Status known = check_format(found->format, found->release, "the state in " + place.dir);
  if (known) return {};
  return fail(known.error().text +
              ". Nothing was changed: start the later release, or restore a backup of this one");
}

Status note_state_release(const StatePlace& place) {
  if (Status ok = check_state_release(place); !ok) return ok;
  auto present = present_text(place);
  if (!present) return std::unexpected(present.error());
  auto found = *present ? parse_state_release(**present) : std::nullopt;
  if (found && found->format == kStateFormat) return {};
  return set_state_release(place);
}

Status set_state_release(const StatePlace& place) { return write_text(place, our_text()); }

Status bar_state(const StatePlace& place) { return write_text(place, std::string(kBarred) + "\n"); }

}  // namespace ym
