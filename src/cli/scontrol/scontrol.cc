// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/scontrol.h"

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

template <auto Member>
Status flag(ScontrolSettings& settings, std::string_view) {
  settings.*Member = true;
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
    controller_.emplace(std::move(*opened));
  }
  return &*controller_;
}

int ScontrolContext::fail_with(std::string_view text) const {
  if (!settings_.quiet) print_error(fmt::format("{}\n", text));
  return 1;
}

const std::vector<Verb>& scontrol_verbs() {
  static const std::vector<Verb> verbs = {
      {"show", "KIND [NAME]",
       "Show job, step, node, partition, reservation, licenses, config, hostnames and more",
       show_verb},
      {"update", "KEY=VALUE...", "Change a job, nodes, a partition or a reservation", update_verb},
      {"create", "PartitionName=NAME|reservation [KEY=VALUE]...",
       "Create a partition or a reservation", create_verb},
      {"delete", "PartitionName=NAME|ReservationName=NAME", "Delete a partition or a reservation",
       delete_verb},
      {"hold", "JOB...", "Keep pending jobs from starting", hold_verb},
      {"uhold", "JOB...", "The same, as a user may lift it again", uhold_verb},
      {"release", "JOB...", "Let held jobs start", release_verb},
      {"requeue", "JOB...", "Put jobs back into the queue", requeue_verb},
      {"requeuehold", "JOB...", "Put jobs back into the queue and hold them", requeuehold_verb},
      {"suspend", "JOB...", "Stop running jobs for a while", suspend_verb},
      {"resume", "JOB...", "Let suspended jobs go on", resume_verb},
      {"ping", "", "Is the controller there?", ping_verb},
      {"reconfigure", "", "Read the configuration anew", reconfigure_verb},
      {"shutdown", "[controller]", "Stop the controller and all nodes", shutdown_verb},
      {"reboot", "[ASAP] [nextstate=RESUME|DOWN] [reason=TEXT] NODES|ALL",
       "Run RebootProgram on nodes when no job is left there; ASAP drains them first", reboot_verb},
      {"cancel_reboot", "NODES", "Do not reboot nodes that have not begun to", cancel_reboot_verb},
      {"token", "[lifespan=SECONDS] [username=NAME]", "Make a token for the REST interface",
       token_verb},
      {"write", "batch_script JOB [FILE]", "Write a job's script to a file, - for standard output",
       write_verb},
      {"listpids", "[JOB[.STEP]] [NODE]", "Processes of steps on this machine", listpids_verb},
      {"listjobs", "[NODE]", "Jobs that have something alive on this machine", listjobs_verb},
      {"liststeps", "[NODE]", "Steps that are alive on this machine", liststeps_verb},
      {"completing", "", "Jobs that are ending, and the nodes that they wait for", completing_verb},
      {"wait_job", "JOB", "Wait until the job's nodes are ready", wait_job_verb},
      {"errnumstr", "NUMBER", "What an error number means", errnumstr_verb},
      {"top", "JOB...", "Put jobs before their owner's other ones", top_verb},
      {"version", "", "Show the version of Slurm that is spoken", version_verb},
  };
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

CommandPage scontrol_page() {
  std::string verbs = "Commands:\n\n";
  for (const Verb& verb : scontrol_verbs())
    verbs += fmt::format("{} {}: {}.\n\n", verb.name, verb.operands, verb.help);
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
      {{.name = "json", .help = "JSON, of listpids, listjobs and liststeps"},
       flag<&ScontrolSettings::json>},
      {{.name = "quiet", .letter = 'Q', .help = "Say nothing but what was asked for"},
       flag<&ScontrolSettings::quiet>},
      {{.name = "future",
        .letter = 'F',
        .help = "Taken, without effect: future nodes are always shown"},
       accept},
      {{.name = "hide", .help = "Taken, without effect"}, accept},
      {{.name = "local", .help = "Taken, without effect"}, accept},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept},
  };
}

int scontrol_main(const Arguments& arguments) {
  auto parsed = parse_command(scontrol_page(), scontrol_table(), arguments, Operands::Mix);
  if (parsed.exit_code) {
    // The verbs belong to the help, but are no options.
    bool helped = false;
    for (const std::string& argument : arguments)
      helped = helped || argument == "--help" || argument == "-h";
    if (helped && *parsed.exit_code == 0) {
      print("\nCommands:\n");
      for (const Verb& verb : scontrol_verbs()) {
        std::string left = fmt::format("  {} {}", verb.name, verb.operands);
        if (left.size() + 2 > 28)
          print(fmt::format("{}\n{:28}{}\n", left, "", verb.help));
        else
          print(fmt::format("{:28}{}\n", left, verb.help));
      }
    }
    return *parsed.exit_code;
  }
  ScontrolContext context(parsed.settings);
  if (parsed.operands.empty()) return run_prompt(context);
  return run_verb(context, parsed.operands);
}

}  // namespace ym::cli
