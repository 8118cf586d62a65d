// SPDX-License-Identifier: Apache-2.0
#include "cli/strigger/strigger.h"

#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

using Settings = StriggerSettings;

constexpr std::int32_t kOffsetMax = 32768;  // Slurm's, in seconds

template <TriggerVerb Verb>
Status set_verb(Settings& settings, std::string_view) {
  settings.several_verbs |= settings.verb != TriggerVerb::None && settings.verb != Verb;
  settings.verb = Verb;
  return {};
}
template <TriggerEvent Event>
Status add_event(Settings& settings, std::string_view) {
  settings.events.push_back(Event);
  return {};
}
template <auto Member>
Status set_flag_of(Settings& settings, std::string_view) {
  settings.*Member = true;
  return {};
}
template <auto Member>
Status set_text_of(Settings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}
template <auto Member>
Status set_number_of(Settings& settings, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0) return fail("a positive number is wanted");
  settings.*Member = *number;
  return {};
}

Status set_node(Settings& settings, std::string_view value) {
  auto hosts = Hostlist::parse(value);
  if (!hosts) return std::unexpected(hosts.error());
  settings.node = hosts->str();
  settings.any_node = true;
  return {};
}

Status set_offset(Settings& settings, std::string_view value) {
  bool before = value.starts_with('-');
  auto number = parse_unsigned<std::uint32_t>(value.substr(before ? 1 : 0));
  if (!number || *number > kOffsetMax)
    return fail(fmt::format("a number of seconds from -{0} to {0} is wanted", kOffsetMax));
  settings.offset_s = static_cast<std::int32_t>(*number) * (before ? -1 : 1);
  return {};
}

Status set_flags(Settings& settings, std::string_view value) {
  for (std::string_view word : split_words(value, ','))
    if (!same_ignoring_case(word, "perm"))
      return fail(fmt::format("\"{}\" is no flag; perm is", printable(word)));
  settings.permanent = true;
  return {};
}

bool of_job(TriggerEvent event) {
  return event == TriggerEvent::JobTime || event == TriggerEvent::JobFini;
}
bool of_node(TriggerEvent event) { return event <= TriggerEvent::NodeIdle; }

const char* type_name(TriggerEvent event) {
  switch (event) {
    case TriggerEvent::NodeUp: return "up";
    case TriggerEvent::NodeDown: return "down";
    case TriggerEvent::NodeDrained: return "drained";
    case TriggerEvent::NodeDraining: return "draining";
    case TriggerEvent::NodeResumed: return "resume";
    case TriggerEvent::NodeFail: return "fail";
    case TriggerEvent::NodeIdle: return "idle";
    case TriggerEvent::JobTime: return "time";
    case TriggerEvent::JobFini: return "fini";
    case TriggerEvent::Reconfig: return "reconfig";
    case TriggerEvent::ControllerRestarted: return "primary_slurmctld_resumed_operation";
    case TriggerEvent::PrimaryFailed: return "primary_slurmctld_failure";
    case TriggerEvent::PrimaryLeads: return "primary_slurmctld_resumed_control";
    case TriggerEvent::BackupLeads: return "backup_slurmctld_assumed_control";
  }
  return "unknown";
}

using Table = std::vector<Option<Settings>>;

Table verb_rows() {
  return {
      {{.name = "set", .help = "Set a trigger"}, set_verb<TriggerVerb::Set>},
      {{.name = "get", .help = "Show triggers"}, set_verb<TriggerVerb::Get>},
      {{.name = "clear", .help = "Take triggers back"}, set_verb<TriggerVerb::Clear>},
      {{.name = "id",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "ID",
        .help = "The trigger with this number"},
       set_number_of<&Settings::id>},
      {{.name = "jobid",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "JOB",
        .help = "Triggers of this job"},
       set_number_of<&Settings::job>},
      {{.name = "node",
        .letter = 'n',
        .takes = Takes::Maybe,
        .argument = "HOSTS",
        .help = "Triggers of these nodes; without a list of any node"},
       set_node},
      {{.name = "user",
        .takes = Takes::Value,
        .argument = "USER",
        .help = "Triggers of this user, to show or to take back"},
       set_text_of<&Settings::user>},
      {{.name = "program",
        .letter = 'p',
        .takes = Takes::Value,
        .argument = "PATH",
        .help = "What is run; arguments may follow the path, and the node or job comes last"},
       set_text_of<&Settings::program>},
      {{.name = "offset",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "So long after the event; before it if negative"},
       set_offset},
      {{.name = "flags",
        .takes = Takes::Value,
        .argument = "perm",
        .help = "The trigger stays when it has been pulled"},
       set_flags},
  };
}

Table event_rows() {
  using E = TriggerEvent;
  return {
      {{.name = "up", .letter = 'u', .help = "A node comes back from DOWN"}, add_event<E::NodeUp>},
      {{.name = "down", .letter = 'd', .help = "A node goes DOWN"}, add_event<E::NodeDown>},
      {{.name = "drained", .letter = 'D', .help = "A node is drained and empty"},
       add_event<E::NodeDrained>},
      {{.name = "draining", .help = "A node is to be drained"}, add_event<E::NodeDraining>},
      {{.name = "resume", .letter = 'R', .help = "A drained node is in service again"},
       add_event<E::NodeResumed>},
      {{.name = "fail", .letter = 'F', .help = "A node is expected to fail"},
       add_event<E::NodeFail>},
      {{.name = "idle", .letter = 'I', .help = "A node has been idle for --offset"},
       add_event<E::NodeIdle>},
      {{.name = "fini", .letter = 'f', .help = "The job has ended"}, add_event<E::JobFini>},
      {{.name = "time", .letter = 't', .help = "The job's time limit ends, or with --offset will"},
       add_event<E::JobTime>},
      {{.name = "reconfig", .letter = 'r', .help = "The configuration has changed"},
       add_event<E::Reconfig>},
      {{.name = "primary_slurmctld_resumed_operation",
        .letter = 'A',
        .help = "The controller works again"},
       add_event<E::ControllerRestarted>},
      {{.name = "primary_slurmctld_failure",
        .letter = 'a',
        .help = "The first SlurmctldHost has failed; the backup that leads runs the program"},
       add_event<E::PrimaryFailed>},
      {{.name = "primary_slurmctld_resumed_control",
        .letter = 'b',
        .help = "The first SlurmctldHost leads again"},
       add_event<E::PrimaryLeads>},
      {{.name = "backup_slurmctld_assumed_control", .letter = 'C', .help = "A backup leads"},
       add_event<E::BackupLeads>},
  };
}

// Events of parts that are not there: such a trigger can be set nowhere.
template <char Letter>
Status refuse_event(Settings& settings, std::string_view) {
  settings.unsupported = std::string("-") + Letter;
  return {};
}

Table other_rows() {
  return {
      {{.name = "backup_slurmctld_failure", .letter = 'B', .help = "Refused: not watched"},
       refuse_event<'B'>},
      {{.name = "backup_slurmctld_resumed_operation",
        .letter = 'c',
        .help = "Refused: not watched"},
       refuse_event<'c'>},
      {{.name = "primary_slurmctld_acct_buffer_full", .letter = 'e', .help = "Refused: none"},
       refuse_event<'e'>},
      {{.name = "primary_slurmdbd_failure", .letter = 'g', .help = "Refused: no slurmdbd"},
       refuse_event<'g'>},
      {{.name = "primary_slurmdbd_resumed_operation", .letter = 'G', .help = "Refused: none"},
       refuse_event<'G'>},
      {{.name = "primary_database_failure", .letter = 'h', .help = "Refused: no database"},
       refuse_event<'h'>},
      {{.name = "primary_database_resumed_operation", .letter = 'H', .help = "Refused: none"},
       refuse_event<'H'>},
      {{.name = "burst_buffer", .help = "Refused: there are no burst buffers"}, refuse_event<'x'>},
      {{.name = "noheader", .letter = 'N', .help = "Without the heading"},
       [](Settings& s, std::string_view) -> Status {
         s.header = false;
         return {};
       }},
      {{.name = "quiet", .letter = 'Q', .help = "Do not say that there was nothing to take back"},
       set_flag_of<&Settings::quiet>},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"},
       [](Settings&, std::string_view) -> Status { return {}; }},
      {{.name = "clusters",
        .letter = 'M',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "The cluster that is meant; this one is all there is",
        .variable = "SLURM_CLUSTERS"},
       [](Settings& s, std::string_view value) -> Status {
         s.cluster = value;
         return {};
       }},
  };
}

int refuse(std::string_view text) {
  complain("strigger", text);
  return 1;
}
int refuse_call(std::string_view call, const Error& error) {
  print_error(fmt::format("{}: {}\n", call, error.text));
  return 1;
}

// The program will run where the controller does; that it is not here either is a slip.
Status check_program(std::string_view line) {
  std::string path(line.substr(0, line.find(' ')));
  struct ::stat file{};
  if (::stat(path.c_str(), &file) != 0) return fail("Invalid --program value, file not found");
  if (!S_ISREG(file.st_mode)) return fail("Invalid --program value, not regular file");
  return {};
}

int set_triggers(const Settings& settings, Controller& controller) {
  for (const Trigger& trigger : wanted_triggers(settings)) {
    auto added = controller.ask<TriggerAdded>(SetTrigger{trigger}, Asking::Keyed);
    if (added) continue;
    if (settings.quiet && is(added.error(), Errc::TriggerDup)) continue;
    return refuse_call("slurm_set_trigger", added.error());
  }
  return 0;
}

int get_triggers(const Settings& settings, Controller& controller) {
  auto rows = controller.ask<TriggerRows>(
      QueryTriggers{.trigger = {settings.id}, .job = {settings.job}, .user = settings.user});
  if (!rows) return refuse_call("slurm_get_triggers", rows.error());
  print(render_triggers(settings, rows->rows));
  return 0;
}

int clear_triggers(const Settings& settings, Controller& controller) {
  auto done = controller.ask<Done>(
      ClearTriggers{.trigger = {settings.id}, .job = {settings.job}, .user = settings.user},
      Asking::Keyed);
  if (done || (settings.quiet && is(done.error(), Errc::InvalidTrigger))) return 0;
  return refuse_call("slurm_clear_trigger", done.error());
}

}  // namespace

Status check_line(const Settings& settings) {
  bool narrowed = settings.id || settings.job || !settings.user.empty();
  if (settings.verb == TriggerVerb::None || settings.several_verbs)
    return fail("You must use exactly one of the following options: --set, --get or --clear");
  switch (settings.verb) {
    case TriggerVerb::None:
    case TriggerVerb::Get: return {};
    case TriggerVerb::Clear:
      if (!narrowed) return fail("You must specify a --id, --jobid, or --user to clear");
      return {};
    case TriggerVerb::Set: break;
  }
  if (!settings.unsupported.empty())
    return fail(fmt::format("nothing here ever causes the event {}", settings.unsupported));
  if (settings.events.empty())
    return fail(
        "You must specify a trigger (--down, --up, --reconfig, --time, --fini, --drained, --idle, "
        "...)");
  if (settings.program.empty()) return fail("program to be executed not specified (--program)");
  if (!settings.program.starts_with('/')) return fail("The --program value must start with \"/\"");
  for (TriggerEvent event : settings.events) {
    if (of_job(event) && !settings.job) return fail("You must specify a --jobid value");
    if (!of_job(event) && settings.job) return fail("--jobid goes with --time and --fini only");
    if (!of_node(event) && settings.any_node) return fail("--node goes with events of nodes only");
    if (event != TriggerEvent::JobTime && settings.offset_s < 0)
      return fail("a negative --offset goes with --time only");
  }
  return {};
}

std::vector<Trigger> wanted_triggers(const Settings& settings) {
  std::vector<Trigger> out;
  for (TriggerEvent event : settings.events)
    out.push_back({.event = event,
                   .job = {settings.job},
                   .nodes = settings.node,
                   .offset_s = settings.offset_s,
                   .permanent = settings.permanent,
                   .program = settings.program});
  return out;
}

std::string render_triggers(const Settings& settings, const std::vector<Trigger>& rows) {
  std::string out;
  if (settings.header && !rows.empty())
    out = fmt::format("{:>7} {:<9} {:>7} {:<35} {:>6} {:<8} {:<5} {}\n", "TRIG_ID", "RES_TYPE",
                      "RES_ID", "TYPE", "OFFSET", "USER", "FLAGS", "PROGRAM");
  for (const Trigger& one : rows) {
    bool chosen = settings.events.empty();
    for (TriggerEvent event : settings.events) chosen = chosen || event == one.event;
    if (!chosen) continue;
    bool nodes = of_node(one.event) || one.event == TriggerEvent::Reconfig;
    std::string about = of_job(one.event)   ? fmt::format("{}", one.job.value)
                        : one.nodes.empty() ? "*"
                                            : one.nodes;
    const char* kind = of_job(one.event) ? "job" : nodes ? "node" : "slurmctld";
    out += fmt::format("{:>7} {:<9} {:>7} {:<35} {:>6} {:<8} {:<5} {}\n", one.id.value, kind, about,
                       type_name(one.event), one.offset_s, printable(one.user_name),
                       one.permanent ? "PERM" : "", printable(one.program));
  }
  return out;
}

CommandPage strigger_page() {
  return {
      .name = "strigger",
      .summary = "run programs when something has happened",
      .usage = {"--set EVENT... --program=PATH [OPTION]...", "--get [OPTION]...",
                "--clear --id=ID | --jobid=JOB | --user=USER"},
      .description =
          "A trigger waits for an event of a job, a node or the controller. Then the controller\n"
          "runs its program as the user who set it, for at most five minutes, with the nodes or\n"
          "the job as the last argument. It is gone after that, unless it is permanent.\n"
          "\nJobs' owners set triggers of their jobs; administrators set all of them."};
}

std::vector<Option<StriggerSettings>> strigger_table() {
  Table table = verb_rows();
  for (auto& row : event_rows()) table.push_back(row);
  for (auto& row : other_rows()) table.push_back(row);
  return table;
}

int strigger_main(const Arguments& arguments) {
  auto parsed = parse_command(strigger_page(), strigger_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  const Settings& settings = parsed.settings;
  Status fine = check_line(settings);
  if (fine && settings.verb == TriggerVerb::Set) fine = check_program(settings.program);
  if (!fine) return refuse(fine.error().text);
  if (!parsed.operands.empty())
    return refuse(fmt::format("Unrecognized option: {}", printable(parsed.operands[0])));
  auto controller = Controller::open();
  if (!controller) return refuse(controller.error().text);
  if (const std::string& ours = controller->config().cluster_name;
      !settings.cluster.empty() && settings.cluster != ours)
    return refuse(
        fmt::format("'{}' can't be reached now, or it is an invalid entry for --cluster.  "
                    "This cluster is '{}'.",
                    printable(settings.cluster), ours));
  switch (settings.verb) {
    case TriggerVerb::Set: return set_triggers(settings, *controller);
    case TriggerVerb::Clear: return clear_triggers(settings, *controller);
    default: return get_triggers(settings, *controller);
  }
}

}  // namespace ym::cli
