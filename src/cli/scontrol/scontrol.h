// SPDX-License-Identifier: Apache-2.0
// scontrol: verbs, one file each. A verb gets its words and says what the exit code is.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/controller.h"
#include "cli/common/data_writer.h"
#include "model/job_messages.h"
#include "model/node_messages.h"
#include "model/step_messages.h"
#include "notation/hostlist.h"

namespace ym::cli {

struct ScontrolSettings {
  bool one_line = false, details = false, all = false, quiet = false, future = false;
  std::optional<Notation> notation;  // --json, --yaml
  std::string parser;                // the value of these
  std::string cluster;               // -M
  std::string user;                  // -u: whose name counts; root's word only
  std::uint32_t verbose = 0;
};

// Connects when a verb first needs it: `show hostnames` works without any cluster.
class ScontrolContext {
 public:
  explicit ScontrolContext(ScontrolSettings settings) : settings_(settings) {}
  const ScontrolSettings& settings() const { return settings_; }
  ScontrolSettings& settings() { return settings_; }
  Result<Controller*> controller();
  // "scontrol: error: …" (nothing if quiet); 1.
  int fail_with(std::string_view text) const;

 private:
  ScontrolSettings settings_;
  std::optional<Controller> controller_;
};

using Words = std::vector<std::string>;

struct Verb {
  std::string_view name;
  std::string_view operands;
  std::string_view help;
  int (*run)(ScontrolContext& context, const Words& words);
};
const std::vector<Verb>& scontrol_verbs();
// The verb of that name, or the only one that begins with it; null if there is none.
const Verb* find_verb(const std::vector<Verb>& verbs, std::string_view name);

// Runs one command; its exit code.
int run_verb(ScontrolContext& context, const Words& words);
// Commands from standard input, until it ends; the exit code of the last.
int run_prompt(ScontrolContext& context);

// --- verbs ---
int show_verb(ScontrolContext& context, const Words& words);
int update_verb(ScontrolContext& context, const Words& words);
int create_verb(ScontrolContext& context, const Words& words);
int delete_verb(ScontrolContext& context, const Words& words);
int hold_verb(ScontrolContext& context, const Words& words);
int uhold_verb(ScontrolContext& context, const Words& words);
int release_verb(ScontrolContext& context, const Words& words);
int requeue_verb(ScontrolContext& context, const Words& words);
int requeuehold_verb(ScontrolContext& context, const Words& words);
int suspend_verb(ScontrolContext& context, const Words& words);
int resume_verb(ScontrolContext& context, const Words& words);
int ping_verb(ScontrolContext& context, const Words& words);
int reconfigure_verb(ScontrolContext& context, const Words& words);
int shutdown_verb(ScontrolContext& context, const Words& words);
int reboot_verb(ScontrolContext& context, const Words& words);
int cancel_reboot_verb(ScontrolContext& context, const Words& words);
int token_verb(ScontrolContext& context, const Words& words);
int certificates_verb(ScontrolContext& context, const Words& words);
int revoke_verb(ScontrolContext& context, const Words& words);
int join_token(ScontrolContext& context, const std::string& node, std::uint32_t lifespan_s);
int write_verb(ScontrolContext& context, const Words& words);
int listpids_verb(ScontrolContext& context, const Words& words);
int listjobs_verb(ScontrolContext& context, const Words& words);
int liststeps_verb(ScontrolContext& context, const Words& words);
int completing_verb(ScontrolContext& context, const Words& words);
int wait_job_verb(ScontrolContext& context, const Words& words);
int errnumstr_verb(ScontrolContext& context, const Words& words);
int top_verb(ScontrolContext& context, const Words& words);
int version_verb(ScontrolContext& context, const Words& words);
int notify_verb(ScontrolContext& context, const Words& words);
int setdebug_verb(ScontrolContext& context, const Words& words);
int setdebugflags_verb(ScontrolContext& context, const Words& words);
int schedloglevel_verb(ScontrolContext& context, const Words& words);
int fsdampeningfactor_verb(ScontrolContext& context, const Words& words);
int power_verb(ScontrolContext& context, const Words& words);
int pidinfo_verb(ScontrolContext& context, const Words& words);
int takeover_verb(ScontrolContext& context, const Words& words);
int abort_verb(ScontrolContext& context, const Words& words);
int cluster_verb(ScontrolContext& context, const Words& words);
int help_verb(ScontrolContext& context, const Words& words);

// --- kinds of things that `show` shows ---
int show_jobs(ScontrolContext& context, const Words& words);
int show_steps(ScontrolContext& context, const Words& words);
int show_nodes(ScontrolContext& context, const Words& words);
int show_partitions(ScontrolContext& context, const Words& words);
int show_config(ScontrolContext& context, const Words& words);
int show_hostnames(ScontrolContext& context, const Words& words);
int show_hostlist(ScontrolContext& context, const Words& words);
int show_daemons(ScontrolContext& context, const Words& words);
int show_topology(ScontrolContext& context, const Words& words);
int show_topoconf(ScontrolContext& context, const Words& words);
int show_slurmd(ScontrolContext& context, const Words& words);
int show_assoc_mgr(ScontrolContext& context, const Words& words);
int show_frontend(ScontrolContext& context, const Words& words);
int show_aliases(ScontrolContext& context, const Words& words);
// What this cluster has none of: says nothing, as Slurm does.
int show_nothing(ScontrolContext& context, const Words& words);
int show_hostlist_sorted(ScontrolContext& context, const Words& words);

// Records as people and scripts read them; `one_line` puts each on one.
std::string job_record(const JobRow& row, Instant now, const ScontrolSettings& settings);
// PID JOBID STEPID LOCALID GLOBALID
std::string pids_text(const StepsHere& here);
std::string step_record(const StepRow& row, bool one_line);
std::string node_record(const NodeRow& row, const ScontrolSettings& settings);
// `largest_bills`: PriorityFlags=MAX_TRES.
std::string partition_record(const PartitionRow& row, const ScontrolSettings& settings,
                             bool largest_bills = false);
std::string config_text(const ConfigAnswer& answer, Instant now);

// The node of this machine whose slurmd is meant where none is named; empty if there is none.
std::string local_node(const Controller& controller);

// "jobs, steps, nodes …": what `show` knows.
std::string shown_kinds();

// What is said of a job, "7" or "7_[1-3]", that refused something: of elements of arrays in another
// order of words.
std::string refusal_of(std::string_view job, std::string_view text);

// Joins the lines of a record: indented lines, or one.
std::string record_text(const std::vector<std::string>& lines, bool one_line);
// A line for each wish for generic resources; `whole`: what the one for all of it is called.
void add_gres_lines(std::vector<std::string>& lines, const GresOptions& wish,
                    std::string_view whole);

// "Key=value" words of update, create and delete. Keys in any case; values as they are.
struct Assignment {
  std::string key, value;
  char sign = '=';  // '+' and '-' for += and -=
};
Result<std::vector<Assignment>> parse_assignments(const Words& words);
// What `update job` changes, and of which jobs: those of a list of ids, or those of a name.
struct JobUpdate {
  std::string job, name, user;
  JobPatch patch;
  std::size_t changes = 0;
};
// Errors are whole lines for people; so are those of the others.
Result<JobUpdate> job_update(const std::vector<Assignment>& assignments, Instant now);
Result<UpdateStep> step_update(const std::vector<Assignment>& assignments);
Result<UpdatePartition> partition_update(const std::vector<Assignment>& assignments);
Result<RebootNodes> reboot_wish(const Words& words);
Result<UpdateNodes> node_update(const std::vector<Assignment>& assignments);
// The nodes that `create NodeName=… CPUs=…` describes.
Result<CreateNodes> new_nodes(const Words& words);

// Several answers of the controller in one list.
template <class Answer, class Row, class Question>
Status fetch_rows(Controller& controller, const Question& question, std::vector<Row>& rows) {
  return controller.ask_many<Answer>(
      question,
      [&rows](Answer&& some) {
        for (Row& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
}

// The list with its hostlist functions resolved (common/host_functions.h). Names that the
// controller must know are asked for; others need nobody.
Result<Hostlist> hosts_of(ScontrolContext& context, std::string_view text);
// The same for each "Nodes=switch{s1}" and its like among the words of an update.
Status resolve_hosts_of(std::vector<Assignment>& assignments, ScontrolContext& context);

CommandPage scontrol_page();
std::vector<Option<ScontrolSettings>> scontrol_table();
int scontrol_main(const Arguments& arguments);

}  // namespace ym::cli
