// SPDX-License-Identifier: Apache-2.0
// Lines of arguments, separated by newlines, for each command; whatever comes is a request or an
// error.
#include <cstdint>

#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/targets.h"
#include "cli/options/components.h"
#include "cli/options/job_options.h"

namespace ym::cli {
namespace {

int try_input(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<std::string> arguments;
  for (std::string_view word : split(text, '\n')) arguments.emplace_back(word);
  JobCommand commands[] = {kSbatch, kSalloc, kSrun};
  JobCommand command = commands[data[0] % 3];
  auto components = complete_components(command, split_components(command, arguments), 1);
  if (components.empty()) __builtin_trap();
  auto table = job_option_table(command);
  OptionSet set(infos_of(table));
  auto line = set.parse(arguments, data[0] & 8 ? Operands::Mix : Operands::EndOptions);
  if (!line) return 0;
  JobOptions options;
  if (!apply_given(set, table, line->options, options)) return 0;
  FixedOffset zone;
  SubmissionContext context{
      .command = command, .now = {1'700'000'000'000}, .zone = &zone, .work_dir = "/"};
  auto made = make_submission(options, context);
  if (made && (made->spec.tasks == 0 || made->spec.min_nodes == 0)) __builtin_trap();
  for (const std::string& operand : line->operands) {
    (void)parse_targets(operand);
    (void)parse_states(operand);
  }
  return 0;
}

}  // namespace
}  // namespace ym::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ym::cli::try_input(data, size);
}
