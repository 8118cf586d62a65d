// SPDX-License-Identifier: Apache-2.0
// Whose job it is, what it is called, who is told about it.
#include "cli/options/setters.h"

namespace ym::cli {
namespace {

// Bits as Slurm numbers them.
struct MailType {
  std::string_view name;
  std::uint32_t bits;
};
constexpr MailType kMailTypes[] = {
    {"NONE", 0},
    {"BEGIN", 0x1},
    {"END", 0x2},
    {"FAIL", 0x4},
    {"REQUEUE", 0x8},
    {"TIME_LIMIT", 0x10},
    {"TIME_LIMIT_90", 0x20},
    {"TIME_LIMIT_80", 0x40},
    {"TIME_LIMIT_50", 0x80},
    {"STAGE_OUT", 0x100},
    {"ARRAY_TASKS", 0x200},
    {"INVALID_DEPEND", 0x400},
    {"ALL", 0x50f},
};

Status set_mail_type(JobOptions& options, std::string_view value) {
  std::uint32_t bits = 0;
  for (std::string_view word : split_words(value, ',')) {
    const MailType* found = nullptr;
    for (const MailType& type : kMailTypes)
      if (same_ignoring_case(word, type.name)) found = &type;
    if (!found) return fail(fmt::format("'{}' is not a type of mail", printable(word)));
    bits |= found->bits;
  }
  options.extras.mail_types = bits;
  return {};
}

}  // namespace

void add_identity_options(std::vector<JobOption>& table) {
  const std::vector<JobOption> rows = {
      {.option = {.info = {.name = "account",
                           .letter = 'A',
                           .takes = Takes::Value,
                           .argument = "NAME",
                           .help = "Charge the job to this account",
                           .variable = "ACCOUNT"},
                  .set = set_text<&JobSpec::account>}},
      {.option = {.info = {.name = "job-name",
                           .letter = 'J',
                           .takes = Takes::Value,
                           .argument = "NAME",
                           .help = "Name of the job",
                           .variable = "JOB_NAME"},
                  .set = set_text<&JobSpec::name>},
       .srun_variable = "SLURM_JOB_NAME"},
      {.option = {.info = {.name = "comment",
                           .takes = Takes::Value,
                           .argument = "TEXT",
                           .help = "Any text that is kept with the job"},
                  .set = set_text<&JobExtras::comment>}},
      {.option = {.info = {.name = "extra",
                           .takes = Takes::Value,
                           .argument = "TEXT",
                           .help = "Any text that is kept with the job for other programs"},
                  .set = set_text<&JobExtras::extra>}},
      {.option = {.info = {.name = "qos",
                           .letter = 'q',
                           .takes = Takes::Value,
                           .argument = "NAME",
                           .help = "Quality of service",
                           .variable = "QOS"},
                  .set = set_text<&JobSpec::qos>}},
      {.option = {.info = {.name = "wckey",
                           .takes = Takes::Value,
                           .argument = "KEY",
                           .help = "Key under which the job's use is counted",
                           .variable = "WCKEY"},
                  .set = set_text<&JobExtras::wckey>}},
      {.option = {.info = {.name = "mail-type",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help =
                               "Send mail at BEGIN, END, FAIL, REQUEUE, TIME_LIMIT, ALL or NONE"},
                  .set = set_mail_type}},
      {.option = {.info = {.name = "mail-user",
                           .takes = Takes::Value,
                           .argument = "ADDRESS",
                           .help = "Who gets the mail"},
                  .set = set_text<&JobExtras::mail_user>}},
  };
  table.insert(table.end(), rows.begin(), rows.end());
}

}  // namespace ym::cli
