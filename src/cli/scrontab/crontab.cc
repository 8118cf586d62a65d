// SPDX-License-Identifier: Apache-2.0
// The text of a crontab: lines of times and commands, #SCRON lines with sbatch's options for the
// next of them, NAME=value for all that follow.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/world.h"
#include "cli/options/job_options.h"
#include "cli/sbatch/script.h"
#include "cli/scrontab/scrontab.h"
#include "notation/cron.h"

namespace ym::cli {
namespace {

constexpr std::string_view kOptions = "#SCRON";

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string_view::npos;
}

std::unexpected<Error> wrong(std::uint32_t line, std::string_view what) {
  return fail(fmt::format("line {}: {}", line, what));
}

// Puts the line into the entry that is being gathered; true if it ends it.
Result<bool> take_line(std::string_view line, CrontabEntry& entry) {
  line = trim(line);
  if (line.starts_with(kOptions)) {
    auto words = shell_words(line.substr(kOptions.size()));
    if (!words) return wrong(entry.line, words.error().text);
    entry.options.insert(entry.options.end(), words->begin(), words->end());
    return false;
  }
  if (line.empty() || line.starts_with('#')) return false;
  auto equals = line.find('=');
  if (equals != line.npos && is_name(trim(line.substr(0, equals)))) {
    std::string_view value = trim(line.substr(equals + 1));
    bool quoted = value.size() >= 2 && value.front() == value.back() &&
                  (value.front() == '"' || value.front() == '\'');
    if (quoted) value = value.substr(1, value.size() - 2);
    entry.variables.push_back(fmt::format("{}={}", trim(line.substr(0, equals)), value));
    return false;
  }
  auto parsed = parse_cron_line(line);
  if (!parsed) return wrong(entry.line, parsed.error().text);
  entry.time = parsed->spec;
  entry.command = parsed->command;
  return true;
}

}  // namespace

Result<std::vector<CrontabEntry>> parse_crontab(std::string_view text) {
  if (text.size() > kCrontabTextMax) return fail("the crontab is too long");
  if (text.find('\0') != text.npos) return fail("the crontab has NUL bytes");
  std::vector<CrontabEntry> out;
  CrontabEntry entry;
  std::string pending;  // of a line that goes on
  for (std::string_view line : split(text, '\n')) {
    ++entry.line;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.ends_with('\\')) {
      pending += line.substr(0, line.size() - 1);
      continue;
    }
    pending += line;
    auto ends = take_line(pending, entry);
    pending.clear();
    if (!ends) return std::unexpected(ends.error());
    if (!*ends) continue;
    if (out.size() >= kCrontabEntriesMax) return fail("the crontab has too many lines");
    out.push_back(entry);
    entry.options.clear();
  }
  if (!pending.empty()) return wrong(entry.line, "a line that goes on ends here");
  return out;
}

Result<SubmitJob> crontab_job(const CrontabEntry& entry, const std::string& home,
                              const std::string& user) {
  const auto& [table, set] = known_job_options(kSbatch);
  auto given = set.parse(entry.options, Operands::Mix);
  if (!given) return wrong(entry.line, given.error().text);
  if (!given->operands.empty())
    return wrong(entry.line, fmt::format("'{}' is not an option", printable(given->operands[0])));
  JobOptions options;
  if (Status done = apply_given(set, table, given->options, options); !done)
    return wrong(entry.line, done.error().text);
  SubmissionContext context = submission_context(kSbatch, {});
  context.line.clear();  // nobody typed one
  context.work_dir = home;
  context.environment = {"HOME=" + home, "USER=" + user, "LOGNAME=" + user, "SHELL=/bin/sh",
                         "PATH=/usr/local/bin:/usr/bin:/bin"};
  context.environment.insert(context.environment.end(), entry.variables.begin(),
                             entry.variables.end());
  if (options.spec.name.empty()) options.spec.name = entry.command;
  options.spec.command = entry.command;
  options.specials.cron = entry.time;
  auto request = make_submission(options, context);
  if (!request) return wrong(entry.line, request.error().text);
  request->script =
      fmt::format("#!/bin/sh\n# This job was created by scrontab.\n\n{}\n", entry.command);
  return request;
}

Result<UpdateCrontab> crontab_request(std::string_view text, const std::string& home,
                                      const std::string& user) {
  auto entries = parse_crontab(text);
  if (!entries) return std::unexpected(entries.error());
  UpdateCrontab out{.text = std::string(text)};
  for (const CrontabEntry& entry : *entries) {
    auto job = crontab_job(entry, home, user);
    if (!job) return std::unexpected(job.error());
    out.jobs.push_back(std::move(*job));
    out.lines.push_back(entry.line);
  }
  return out;
}

}  // namespace ym::cli
