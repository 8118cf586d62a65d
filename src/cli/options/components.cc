// SPDX-License-Identifier: Apache-2.0
#include "cli/options/components.h"

#include <algorithm>

#include "cli/common/command.h"

namespace ym::cli {
namespace {

using Words = std::vector<std::string>;

// Slurm's manual, "Heterogeneous Job Support": options that later components take over.
constexpr std::string_view kHandedOn[] = {
    "account",
    "acctg-freq",
    "begin",
    "bell",
    "chdir",
    "clusters",
    "comment",
    "cluster-constraint",
    "deadline",
    "delay-boot",
    "dependency",
    "distribution",
    "epilog",
    "error",
    "exclude",
    "export",
    "export-file",
    "gid",
    "get-user-env",
    "hold",
    "ignore-pbs",
    "immediate",
    "input",
    "job-name",
    "kill-on-bad-exit",
    "label",
    "mcs-label",
    "mpi",
    "msg-timeout",
    "nice",
    "no-allocate",
    "no-bell",
    "no-kill",
    "no-requeue",
    "open-mode",
    "output",
    "overcommit",
    "parsable",
    "priority",
    "prolog",
    "propagate",
    "pty",
    "qos",
    "quiet",
    "quit-on-interrupt",
    "reboot",
    "requeue",
    "reservation",
    "slurmd-debug",
    "task-epilog",
    "task-prolog",
    "test-only",
    "time",
    "time-min",
    "uid",
    "unbuffered",
    "verbose",
    "wait",
    "wait-all-nodes",
    "wckey",
};

// What the next component begins with.
Words handed_on_words(const OptionSet& set, const Words& words) {
  Words out;
  auto line = set.parse(words, Operands::EndOptions);
  if (!line) return out;
  for (const GivenOption& given : line->options) {
    const OptionInfo& info = set.options()[given.option];
    if (!handed_on(info.name)) continue;
    std::string word = "--" + std::string(info.name);
    bool has_value =
        info.takes == Takes::Value || (info.takes == Takes::Maybe && !given.value.empty());
    if (has_value) word += "=" + given.value;
    out.push_back(std::move(word));
  }
  return out;
}

std::vector<Words> split_at_colons(const Words& arguments) {
  std::vector<Words> out(1);
  for (const std::string& word : arguments) {
    if (word == ":")
      out.emplace_back();
    else
      out.back().push_back(word);
  }
  return out;
}

}  // namespace

bool handed_on(std::string_view option) {
  return std::ranges::find(kHandedOn, option) != std::end(kHandedOn);
}

std::vector<Words> split_components(JobCommand command, const Words& arguments) {
  if (std::ranges::find(arguments, ":") == arguments.end()) return {arguments};
  if (command == kSrun) return split_at_colons(arguments);
  const OptionSet& set = known_job_options(command).set;
  std::vector<Words> out;
  Words rest = arguments;
  for (;;) {
    auto line = set.parse(rest, Operands::EndOptions);
    bool more = line && !line->operands.empty() && line->operands.front() == ":";
    if (!more) break;
    auto colon = rest.end() - static_cast<std::ptrdiff_t>(line->operands.size());
    out.emplace_back(rest.begin(), colon);
    rest.erase(rest.begin(), colon + 1);
  }
  out.push_back(std::move(rest));
  return out;
}

std::vector<Words> complete_components(JobCommand command, std::vector<Words> components,
                                       std::size_t count) {
  components.resize(std::max({components.size(), count, std::size_t{1}}));
  if (components.size() == 1) return components;
  const OptionSet& set = known_job_options(command).set;
  for (std::size_t i = 1; i < components.size(); ++i) {
    Words before = handed_on_words(set, components[i - 1]);
    components[i].insert(components[i].begin(), before.begin(), before.end());
  }
  return components;
}

Result<SubmitJob> make_submission(const std::vector<JobOptions>& components,
                                  const SubmissionContext& context) {
  auto request = make_submission(components.front(), context);
  if (!request) return request;
  for (std::size_t i = 1; i < components.size(); ++i) {
    auto other = make_submission(components[i], context);
    if (!other) return other;
    request->het.push_back(std::move(other->spec));
  }
  return request;
}

}  // namespace ym::cli
