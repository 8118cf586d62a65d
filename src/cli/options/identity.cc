// SPDX-License-Identifier: Apache-2.0
// Whose job it is, what it is called, who is told about it.
#include "cli/options/mail_types.h"
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

Status not_a_mail_type(std::string_view word) {
  std::vector<std::string_view> names;
  for (const MailType& type : kMailTypes) names.push_back(type.name);
  if (std::string_view meant = nearest(to_upper(word), names); !meant.empty())
    return fail(fmt::format("did you mean '{}'?", meant));
  return fail(fmt::format("'{}' is not a type of mail", printable(word)));
}

Status set_mail_type(JobOptions& options, std::string_view value) {
  auto bits = parse_mail_types(value);
  if (!bits) return std::unexpected(bits.error());
  options.extras.mail_types = *bits;
  return {};
}

std::span<const JobOption> name_rows() {
  static constexpr JobOption kRows[] = {
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
  };
  return kRows;
}

std::span<const JobOption> people_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "mail-type",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Send mail at BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, "
                                   "STAGE_OUT, TIME_LIMIT, TIME_LIMIT_90, _80, _50, ALL or NONE; "
                                   "ARRAY_TASKS: for each task"},
                  .set = set_mail_type}},
      {.option = {.info = {.name = "mail-user",
                           .takes = Takes::Value,
                           .argument = "ADDRESS",
                           .help = "Who gets the mail"},
                  .set = set_text<&JobExtras::mail_user>}},
      {.option = {.info = {.name = "mcs-label",
                           .takes = Takes::Value,
                           .argument = "LABEL",
                           .help =
                               "Security label, as MCSPlugin allows it; nodes are shared within "
                               "it with --exclusive=mcs"},
                  .set = set_text<&JobSpecials::mcs_label>}},
      {.option = {.info = {.name = "uid",
                           .takes = Takes::Value,
                           .argument = "USER",
                           .help = "The job is this user's; for root only"},
                  .set = set_text<&JobOptions::uid>}},
      {.option = {.info = {.name = "gid",
                           .takes = Takes::Value,
                           .argument = "GROUP",
                           .help = "The job runs in this group; for root only"},
                  .set = set_text<&JobOptions::gid>}},
      {.option = {.info = {.name = "clusters",
                           .letter = 'M',
                           .takes = Takes::Value,
                           .argument = "NAMES",
                           .help = "Clusters of which one gets the job; ours has to be among them",
                           .variable = "CLUSTERS"},
                  .set = set_text<&JobOptions::clusters>},
       .other_variable = "SLURM_CLUSTERS"},
      {.option = {.info = {.name = "cluster-constraint",
                           .takes = Takes::Value,
                           .argument = "[!]FEATURES",
                           .help = "Of a federation's clusters; kept with the job"},
                  .set = set_text<&JobSpecials::cluster_features>}},
  };
  return kRows;
}

}  // namespace

Result<std::uint32_t> parse_mail_types(std::string_view value) {
  std::uint32_t bits = 0;
  for (std::string_view word : split_words(value, ',')) {
    const MailType* found = nullptr;
    for (const MailType& type : kMailTypes)
      if (same_ignoring_case(word, type.name)) found = &type;
    if (!found) return std::unexpected(not_a_mail_type(word).error());
    bits |= found->bits;
  }
  return bits;
}

std::string print_mail_types(std::uint32_t types) {
  constexpr std::uint32_t kOrder[] = {0x200, 0x400, 0x1,  0x2,  0x4, 0x8,
                                      0x100, 0x80,  0x40, 0x20, 0x10};
  std::string out;
  for (std::uint32_t bit : kOrder) {
    if (!(types & bit)) continue;
    for (const MailType& type : kMailTypes)
      if (type.bits == bit) out += fmt::format("{}{}", out.empty() ? "" : ",", type.name);
  }
  return out;
}

void add_identity_options(std::vector<JobOption>& table) {
  table.insert(table.end(), name_rows().begin(), name_rows().end());
  table.insert(table.end(), people_rows().begin(), people_rows().end());
}

}  // namespace ym::cli
