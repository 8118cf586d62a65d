// SPDX-License-Identifier: Apache-2.0
// How the job behaves in the queue.
#include "cli/options/setters.h"

namespace ym::cli {
namespace {

constexpr std::int64_t kNiceMax = 2147483645;

Status set_nice(JobOptions& options, std::string_view value) {
  std::int64_t nice = 100;
  if (!value.empty()) {
    auto number = parse_i64(value);
    if (!number && value.find_first_not_of("+-0123456789") != std::string_view::npos)
      return fail("not a number");
    if (!number || *number > kNiceMax || *number < -kNiceMax)
      return fail(kWholeText, "Invalid --nice value, out of range (+/- 2147483645)");
    nice = *number;
  }
  options.spec.nice = static_cast<std::int32_t>(nice);
  return {};
}

Status set_priority(JobOptions& options, std::string_view value) {
  if (same_ignoring_case(value, "TOP")) {
    options.priority = kNoPriority - 1;
    return {};
  }
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number >= kNoPriority) return fail("not a priority");
  options.priority = *number;
  return {};
}

Status set_kill_on_invalid(JobOptions& options, std::string_view value) {
  auto word = one_of(value, {"yes", "no"});
  if (!word) return std::unexpected(word.error());
  options.spec.kill_on_invalid_dependency = *word == "yes";
  return {};
}

// expedite counts where SlurmctldParameters=enable_expedited_requeue allows it. 25.11's manual
// writes "expedited", its release notes "expedite".
Status set_requeue(JobOptions& options, std::string_view value) {
  bool word = !value.empty() && options.source != OptionSource::Environment;
  if (word)
    if (auto known = one_of(value, {"expedite", "expedited"}); !known)
      return std::unexpected(known.error());
  options.specials.expedite = word;
  options.spec.requeue = true;
  return {};
}

Status set_no_kill(JobOptions& options, std::string_view value) {
  if (!value.empty() && options.source != OptionSource::Environment) {
    if (auto word = one_of(value, {"off"}); !word) return std::unexpected(word.error());
  }
  options.spec.no_kill = !same_ignoring_case(value, "off") && value != "0";
  return {};
}

// A variable gives the number of -v at once.
Status add_verbose(JobOptions& options, std::string_view value) {
  if (options.source == OptionSource::Environment)
    options.verbose = parse_unsigned<std::uint8_t>(value).value_or(0);
  else
    ++options.verbose;
  return {};
}

constexpr std::uint32_t kImmediateUsual = 1;

Status set_immediate(JobOptions& options, std::string_view value) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (!value.empty() && (!seconds || *seconds == 0 || *seconds > 0xffff)) return bad_number();
  options.immediate_s = value.empty() ? kImmediateUsual : *seconds;
  return {};
}

}  // namespace

namespace {

void add_waiting_options(std::vector<JobOption>& table) {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "array",
                           .letter = 'a',
                           .takes = Takes::Value,
                           .argument = "INDICES",
                           .help = "Many jobs alike: 0-15, 1,3,5-7, 0-100:4, 1-50%5",
                           .variable = "ARRAY_INX"},
                  .set = set_text<&JobOptions::array>},
       .commands = kSbatch},
      {.option = {.info = {.name = "dependency",
                           .letter = 'd',
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Wait: afterok:ID, afterany:ID, singleton and others"},
                  .set = set_text<&JobOptions::dependency>},
       .srun_variable = "SLURM_DEPENDENCY"},
      {.option = {.info = {.name = "kill-on-invalid-dep",
                           .takes = Takes::Value,
                           .argument = "yes|no",
                           .help = "End the job if its dependency can never be met"},
                  .set = set_kill_on_invalid},
       .commands = kSbatch},
      {.option = {.info = {.name = "hold",
                           .letter = 'H',
                           .help = "Do not start before it is released"},
                  .set = set_flag<&JobOptions::hold>}},
      {.option = {.info = {.name = "nice",
                           .takes = Takes::Maybe,
                           .argument = "N",
                           .help = "Lower the priority by N, 100 if not given"},
                  .set = set_nice}},
      {.option = {.info = {.name = "priority",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "The job's priority"},
                  .set = set_priority}},
      {.option = {.info = {.name = "requeue",
                           .takes = Takes::Maybe,
                           .argument = "expedite",
                           .help = "Run again if a node is lost; expedite: before all others",
                           .variable = "REQUEUE"},
                  .set = set_requeue},
       .commands = kSbatch},
  };
  table.insert(table.end(), std::begin(kRows), std::end(kRows));
}

}  // namespace

void add_queue_options(std::vector<JobOption>& table) {
  add_waiting_options(table);
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "no-requeue",
                           .help = "Never run again",
                           .variable = "NO_REQUEUE"},
                  .set = set_flag<&JobSpec::requeue, false>},
       .commands = kSbatch},
      {.option = {.info = {.name = "no-kill",
                           .letter = 'k',
                           .takes = Takes::Maybe,
                           .argument = "off",
                           .help = "Go on if a node is lost",
                           .variable = "NO_KILL"},
                  .set = set_no_kill}},
      {.option = {.info = {.name = "test-only", .help = "Check the request, submit nothing"},
                  .set = set_flag<&JobOptions::test_only>},
       .commands = kSbatch | kSrun},
      {.option = {.info = {.name = "wait",
                           .letter = 'W',
                           .help = "Wait for the job's end and return its exit code",
                           .variable = "WAIT"},
                  .set = set_flag<&JobOptions::wait>},
       .commands = kSbatch},
      {.option = {.info = {.name = "immediate",
                           .letter = 'I',
                           .takes = Takes::Maybe,
                           .argument = "SECONDS",
                           .help = "Give up if the job cannot start at once, or so soon",
                           .variable = "IMMEDIATE"},
                  .set = set_immediate},
       .commands = kSalloc | kSrun},
      {.option = {.info = {.name = "quiet", .letter = 'Q', .help = "Say nothing but errors"},
                  .set = set_flag<&JobOptions::quiet>}},
      {.option = {.info = {.name = "verbose",
                           .letter = 'v',
                           .help = "Say more; may be repeated",
                           .variable = "DEBUG"},
                  .set = add_verbose}},
  };
  table.insert(table.end(), std::begin(kRows), std::end(kRows));
}

}  // namespace ym::cli
