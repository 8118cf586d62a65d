// SPDX-License-Identifier: Apache-2.0
// sacct: jobs and steps, those that have ended among them, as long as the controller knows them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/controller.h"
#include "cli/common/data_writer.h"
#include "cli/common/job_view.h"
#include "cli/common/named_fields.h"
#include "cli/common/report.h"
#include "cli/common/targets.h"
#include "model/history.h"

namespace ym::cli {

inline constexpr std::string_view kUsualSacctFields =
    "jobid,jobname,partition,account,alloccpus,state,exitcode";

struct SacctSettings {
  ReportWish report;
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions, accounts, qos, names, groups;
  std::vector<std::string> constraints, reasons, wckeys, flags, associations;
  StateChoice states;
  std::string nodes;
  std::string since, until;  // as given
  std::string fields{kUsualSacctFields};
  TableLook look;
  bool all_users = false, allocations_only = false, single_elements = false, truncate = false;
  bool convert = true, expand = false;
  char unit = 0;  // --units
  bool list_fields = false, script = false, environment = false, completion = false;
  // Of the request: bounds; 0: none.
  std::uint32_t nodes_min = 0, nodes_max = 0, cpus_min = 0, cpus_max = 0, limit_min_s = 0,
                limit_max_s = 0;
};

// A job, or one of its steps.
struct SacctRow {
  const SacctSettings* settings = nullptr;
  JobView job;
  const StepRow* step = nullptr;                // null: the job itself
  const std::vector<StepRow>* steps = nullptr;  // all of the job's
  bool cut = false;                             // -T: times outside of the asked ones are cut off
  Instant since, until;
};
using SacctField = NamedField<SacctRow>;
const std::vector<SacctField>& sacct_fields();
std::vector<SacctField> tres_usage_fields();

std::string sacct_state(const SacctRow& row);  // "CANCELLED by 1000"
StepUsage used_by(const SacctRow& row);
Instant start_of(const SacctRow& row);
Instant end_of(const SacctRow& row);
Duration elapsed(const SacctRow& row);
std::uint32_t cpus_of(const SacctRow& row);

void write_account_job(DataWriter& data, const SacctRow& job);

CommandPage sacct_page();
std::vector<Option<SacctSettings>> sacct_table();
// The question that the settings make at that moment for that user; an error if a time cannot be
// read.
Result<QueryHistory> sacct_question(const SacctSettings& settings, Instant now, std::uint32_t uid);
// Everything that is printed for these rows.
Result<std::string> render_history(const SacctSettings& settings, const QueryHistory& question,
                                   const std::vector<HistoryRow>& rows, Instant now);
int sacct_main(const Arguments& arguments);

}  // namespace ym::cli
