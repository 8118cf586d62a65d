// SPDX-License-Identifier: Apache-2.0
#include "cli/common/report.h"

#include <unistd.h>

#include <ctime>

#include "base/text.h"
#include "cli/common/local.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kIterateMax = 86400;
constexpr std::string_view kParser = "data_parser/v0.0.45";

}  // namespace

Result<std::vector<FormatField>> ReportWish::fields(std::string_view usual) const {
  if (by_name()) return parse_long_format(long_format);
  return parse_short_format(format.empty() ? usual : std::string_view(format));
}

std::string date_line(Instant now) {
  std::time_t seconds = now.unix_seconds();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[64];
  std::size_t length = std::strftime(text, sizeof text, "%a %b %d %H:%M:%S %Y\n", &parts);
  return std::string(text, length);
}

Status check_clusters(const ReportWish& wish, std::string_view cluster) {
  for (const std::string& name : wish.clusters)
    if (name != cluster && name != "all")
      return fail(
          fmt::format("'{}' can't be reached now, or it is an invalid entry for --cluster.  "
                      "This cluster is '{}'.",
                      printable(name), cluster));
  return {};
}

Status set_iterate(ReportWish& wish, std::string_view value, std::string_view refusal) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (seconds && *seconds > 0 && *seconds <= kIterateMax)
    wish.iterate_s = *seconds;
  else
    wish.refusal = fmt::format("{}{}", refusal, printable(value));
  return {};
}

std::optional<int> answer_parser(std::string_view program, Notation notation,
                                 std::string_view parser) {
  if (parser.empty()) return std::nullopt;
  if (same_ignoring_case(parser, "list")) {
    print_error(fmt::format("Possible data_parser plugins:\n{}\n", kParser));
    return 0;
  }
  // "v0.0.45+fast+complex": what follows is about the shape of other things than ours.
  std::string_view name = parser.substr(0, parser.find('+'));
  if (name == kParser || fmt::format("data_parser/{}", name) == kParser) return std::nullopt;
  complain(
      program,
      fmt::format("{} output not supported by {}",
                  notation == Notation::Json ? "application/json" : "application/x-yaml", kParser));
  return 1;
}

void write_meta(DataWriter& data, const ReportWish& wish) {
  auto version = split(YM_SLURM_VERSION, '.');
  auto part = [&](std::size_t i) { return i < version.size() ? version[i] : std::string_view(); };
  data.begin_map("meta");
  data.begin_map("plugin");
  data.text("type", "").text("name", "");
  data.text("data_parser", kParser).text("accounting_storage", "");
  data.end();
  data.begin_map("client");
  data.text("source", "").text("user", user_name(::getuid())).text("group", group_name(::getgid()));
  data.end();
  data.texts("command", wish.command);
  data.begin_map("slurm");
  data.begin_map("version");
  data.text("major", part(0)).text("micro", part(2)).text("minor", part(1));
  data.end();
  data.text("release", YM_SLURM_VERSION).text("cluster", wish.cluster);
  data.end();
  data.end();
  data.texts("errors", {}).texts("warnings", {});
}

}  // namespace ym::cli
