// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/scontrol.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/report.h"
#include "cli/scontrol/keys.h"

namespace ym::cli {
namespace {

template <auto Member, bool Value = true>
Status flag(ScontrolSettings& settings, std::string_view) {
  settings.*Member = Value;
  return {};
}
template <Notation Value>
Status notation(ScontrolSettings& settings, std::string_view value) {
  settings.notation = Value;
  settings.parser = value;
  return {};
}
Status accept(ScontrolSettings&, std::string_view) { return {}; }

}  // namespace

int run_verb(ScontrolContext& context, const Words& words) {
  const Verb* verb = find_verb(scontrol_verbs(), words[0]);
  if (!verb) {
    std::vector<std::string_view> names;
    for (const Verb& one : scontrol_verbs()) names.push_back(one.name);
    std::string_view meant = nearest(words[0], names);
    print_error(fmt::format("invalid keyword: {}{}\n", printable(words[0]),
                            meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
    return 1;
  }
  return verb->run(context, Words(words.begin() + 1, words.end()));
}

Result<Controller*> ScontrolContext::controller() {
  if (!controller_) {
    auto opened = Controller::open();
    if (!opened) return std::unexpected(opened.error());
    const std::string& ours = opened->config().cluster_name;
    if (!settings_.cluster.empty() && settings_.cluster != ours)
      return fail(
          fmt::format("scontrol: error: '{}' can't be reached now, or it is an invalid entry for "
                      "--cluster.  This cluster is '{}'.",
                      printable(settings_.cluster), ours));
    controller_.emplace(std::move(*opened));
  }
  return &*controller_;
}

int ScontrolContext::fail_with(std::string_view text) const {
  if (!settings_.quiet) print_error(fmt::format("{}\n", text));
  return 1;
}

namespace {

std::vector<Verb> verbs_of_jobs() {
  return {
      {"show", "KIND [NAME]",
       "Show job, step, node, partition, reservation, licenses, config, hostnames and more",
       show_verb},
      {"update", "KEY=VALUE...", "Change a job, a step, nodes, a partition or a reservation",
       update_verb},
      {"create", "NodeName=NODES|PartitionName=NAME|reservation [KEY=VALUE]...",
       "Create nodes, a partition or a reservation", create_verb},
      {"delete", "NodeName=NODES|PartitionName=NAME|ReservationName=NAME",
       "Delete nodes that were created so, a partition or a reservation", delete_verb},
      {"hold", "JOB...", "Keep pending jobs from starting", hold_verb},
      {"uhold", "JOB...", "The same, as a user may lift it again", uhold_verb},
      {"release", "JOB...", "Let held jobs start", release_verb},
      {"requeue", "[Incomplete] JOB...",
       "Put jobs back into the queue; Incomplete: not those that have completed", requeue_verb},
      {"requeuehold", "[Incomplete] [State=SpecialExit] JOB...",
       "Put jobs back into the queue and hold them", requeuehold_verb},
      {"suspend", "JOB...", "Stop running jobs for a while", suspend_verb},
      {"resume", "JOB...", "Let suspended jobs go on", resume_verb},
  };
}

std::vector<Verb> verbs_of_daemons() {
  return {
      {"ping", "", "Is the controller there?", ping_verb},
      {"reconfigure", "[NODES]", "Read the configuration anew", reconfigure_verb},
      {"notify", "JOB TEXT...",
       "Say something on the standard error of the job's salloc, srun or batch script",
       notify_verb},
      {"setdebug", "LEVEL [nodes=NODES]",
       "How much slurmctld, or slurmd of these nodes, logs: quiet to debug5, 0 to 9",
       setdebug_verb},
      {"setdebugflags", "[+|-]FLAG... [nodes=NODES]",
       "Which parts of the controller log more; kept and shown by show config", setdebugflags_verb},
      {"schedloglevel", "0|1|disable|enable", "Taken: the scheduler has no log of its own",
       schedloglevel_verb},
      {"fsdampeningfactor", "FACTOR", "Refused: fair-share is not computed",
       fsdampeningfactor_verb},
      {"power", "up [force]|down [asap|force] [reason=TEXT] NODES",
       "Switch nodes on or off; asap drains them first, force does it whatever runs there or was "
       "ordered before",
       power_verb},
      {"pidinfo", "PID", "Which job a process of this machine belongs to, and until when",
       pidinfo_verb},
      {"cluster", "NAME", "The cluster that the following commands are for", cluster_verb},
      {"takeover", "[INDEX]", "Let a standby lead: the next, or this one", takeover_verb},
      {"abort", "", "Stop the controller alone, at once", abort_verb},
      {"help", "", "Show these commands", help_verb},
      {"shutdown", "[controller]", "Stop the controller and all nodes", shutdown_verb},
      {"reboot", "[ASAP] [force] [nextstate=RESUME|DOWN] [reason=TEXT] NODES|ALL",
       "Run RebootProgram on nodes when no job is left there; ASAP drains them first, force does "
       "it "
       "at once",
       reboot_verb},
      {"cancel_reboot", "NODES", "Do not reboot nodes that have not begun to", cancel_reboot_verb},
      {"token", "[lifespan=SECONDS] [username=NAME|join=NODE]",
       "Make a token for the REST interface, or one with which a new node joins (slurmd --join)",
       token_verb},
      {"certificates", "", "The certificates that the cluster has issued, and those revoked",
       certificates_verb},
      {"revoke", "NODE|serial=SERIAL",
       "Believe a node's certificates, or this one, no more, anywhere; the node comes back with a "
       "join token",
       revoke_verb},
      {"write", "batch_script JOB [FILE] | config [FILE]",
       "Write a job's script, or the configuration as it is; - for standard output", write_verb},
  };
}

std::vector<Verb> verbs_of_questions() {
  return {
      {"listpids", "[JOB[.STEP]] [NODE]", "Processes of steps on this machine", listpids_verb},
      {"listjobs", "[NODE]", "Jobs that have something alive on this machine", listjobs_verb},
      {"liststeps", "[NODE]", "Steps that are alive on this machine", liststeps_verb},
      {"completing", "", "Jobs that are ending, and the nodes that they wait for", completing_verb},
      {"wait_job", "JOB", "Wait until the job's nodes are ready", wait_job_verb},
      {"errnumstr", "NUMBER", "What an error number means", errnumstr_verb},
      {"top", "JOB...", "Put jobs before their owner's other ones", top_verb},
      {"version", "", "Show the version of Slurm that is spoken", version_verb},
  };
}

}  // namespace

// In the order in which a shortened word is taken for one of them.
const std::vector<Verb>& scontrol_verbs() {
  static const std::vector<Verb> verbs = [] {
    std::vector<Verb> all = verbs_of_jobs();
    for (const auto& some : {verbs_of_daemons(), verbs_of_questions()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return verbs;
}

const Verb* find_verb(const std::vector<Verb>& verbs, std::string_view name) {
  const Verb* found = nullptr;
  for (const Verb& verb : verbs) {
    if (same_ignoring_case(verb.name, name)) return &verb;
    if (!name.empty() && starts_with_ignoring_case(verb.name, name) && !found) found = &verb;
  }
  return found;
}

namespace {

constexpr std::size_t kHelpColumn = 28, kHelpWidth = 80;

// A line as wide as a terminal, or several.
std::string wrapped(std::string_view left, std::string_view help) {
  std::string out(left);
  std::size_t column = left.size();
  if (column + 2 > kHelpColumn) {
    out += "\n";
    column = 0;
  }
  out.append(kHelpColumn - column, ' ');
  column = kHelpColumn;
  for (std::string_view word : split_words(help, ' ')) {
    if (column + word.size() >= kHelpWidth) {
      out += "\n" + std::string(kHelpColumn, ' ');
      column = kHelpColumn;
    }
    if (column > kHelpColumn) out += ' ';
    out += word;
    column += word.size() + 1;
  }
  return out + "\n";
}

std::string verbs_text() {
  std::string out;
  for (const Verb& verb : scontrol_verbs())
    out += wrapped(fmt::format("  {} {}", verb.name, verb.operands), verb.help);
  return out;
}

std::string keys_text(std::string_view title, KeyKind kind) {
  std::string out = fmt::format("{}:\n\n", title);
  for (const KeyInfo& key : keys_of(kind)) {
    std::string also = key.alias.empty() ? "" : fmt::format(" (or {})", key.alias);
    std::string value = key.value.empty() ? "" : fmt::format("={}", key.value);
    out += fmt::format("{}{}{}: {}.\n\n", key.name, value, also, key.help);
  }
  return out;
}

}  // namespace

int help_verb(ScontrolContext&, const Words&) {
  print(verbs_text());
  return 0;
}

CommandPage scontrol_page() {
  std::string verbs = "Commands:\n\n";
  for (const Verb& verb : scontrol_verbs())
    verbs += fmt::format("{} {}: {}.\n\n", verb.name, verb.operands, verb.help);
  verbs += "Kinds of things to show: " + shown_kinds() +
           ".\n\n"
           "Lists of nodes may have functions: feature{NAME}, switch{NAME}, switchwith{NODE}, "
           "and the latter two also for block, ring and torus, as topology.yaml or topology.conf "
           "says.\n\n"
           "The prompt also takes all, hide, details, oneliner, quiet, verbose, exit, quit and "
           "!!.\n\n";
  verbs += keys_text("Keys of update job", KeyKind::Job);
  verbs += keys_text("Keys of update step", KeyKind::Step);
  verbs += keys_text("Keys of update node", KeyKind::Node);
  verbs += keys_text("Keys of create node", KeyKind::NewNode);
  verbs += keys_text("Keys of create and update partition", KeyKind::Partition);
  verbs += keys_text("Keys of create and update reservation", KeyKind::Reservation);
  return {.name = "scontrol",
          .summary = "look at and change the cluster's state",
          .usage = {"[OPTION]... COMMAND [ARGUMENT]..."},
          .description =
              "Without a command on the line, commands are read from standard input. Commands and "
              "their\n"
              "keywords may be shortened and are read in any case.\n\n" +
              verbs};
}

std::vector<Option<ScontrolSettings>> scontrol_table() {
  return {
      {{.name = "all", .letter = 'a', .help = "Hidden partitions, too", .variable = "SCONTROL_ALL"},
       flag<&ScontrolSettings::all>},
      {{.name = "details", .letter = 'd', .help = "Show more"}, flag<&ScontrolSettings::details>},
      {{.name = "oneliner", .letter = 'o', .help = "One line for each record"},
       flag<&ScontrolSettings::one_line>},
      {{.name = "json",
        .takes = Takes::Maybe,
        .argument = "PARSER",
        .help = "What show, listpids, listjobs and liststeps say, as JSON"},
       notation<Notation::Json>},
      {{.name = "yaml", .takes = Takes::Maybe, .argument = "PARSER", .help = "The same as YAML"},
       notation<Notation::Yaml>},
      {{.name = "clusters",
        .letter = 'M',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "The cluster that is meant; this one is all there is",
        .variable = "SLURM_CLUSTERS"},
       [](ScontrolSettings& settings, std::string_view value) -> Status {
         settings.cluster = value;
         return {};
       }},
      {{.name = "quiet", .letter = 'Q', .help = "Say nothing but what was asked for"},
       flag<&ScontrolSettings::quiet>},
      {{.name = "future",
        .letter = 'F',
        .help = "Nodes in state FUTURE, too",
        .variable = "SCONTROL_FUTURE"},
       flag<&ScontrolSettings::future>},
      {{.name = "federation", .help = "Taken, without effect: the cluster is in none"}, accept},
      {{.name = "sibling", .help = "Taken, without effect"}, accept},
      {{.name = "uid",
        .letter = 'u',
        .takes = Takes::Value,
        .argument = "USER",
        .help = "Taken, without effect: who calls is who asks"},
       accept},
      {{.name = "hide", .help = "No hidden partitions; this is usual"},
       flag<&ScontrolSettings::all, false>},
      {{.name = "local", .help = "Taken, without effect"}, accept},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept},
  };
}

int scontrol_main(const Arguments& given) {
  // "setdebugflags -Steps": what follows the verb is no option.
  Arguments arguments = given;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (same_ignoring_case(arguments[i], "setdebugflags")) {
      arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, "--");
      break;
    }
  auto parsed = parse_command(scontrol_page(), scontrol_table(), arguments, Operands::Mix);
  if (parsed.exit_code) {
    // The verbs belong to the help, but are no options.
    bool helped = false;
    for (const std::string& argument : arguments)
      helped = helped || argument == "--help" || argument == "-h";
    if (helped && *parsed.exit_code == 0) print("\nCommands:\n" + verbs_text());
    return *parsed.exit_code;
  }
  if (const auto& wish = parsed.settings; wish.notation)
    if (auto code = answer_parser("scontrol", *wish.notation, wish.parser)) return *code;
  ScontrolContext context(parsed.settings);
  if (parsed.operands.empty()) return run_prompt(context);
  return run_verb(context, parsed.operands);
}

}  // namespace ym::cli
