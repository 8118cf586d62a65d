// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/hostfile.h"
#include "cli/common/local.h"
#include "cli/common/signals.h"
#include "cli/scancel/scancel.h"
#include "notation/hostlist.h"
#include "os/files.h"

namespace ym::cli {
namespace {

using Settings = ScancelSettings;

template <auto Member>
Status add_list(Settings& settings, std::string_view value) {
  append_list(settings.*Member, value);
  return {};
}
template <auto Member>
Status set_text(Settings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}
template <auto Member>
Status flag(Settings& settings, std::string_view) {
  settings.*Member = true;
  return {};
}

// What Slurm says of a bad word, as it says it; the exit code is 1.
Status refused(Settings& settings, std::string text) {
  if (settings.refusal.empty()) settings.refusal = std::move(text);
  return {};
}

Status set_states(Settings& settings, std::string_view value) {
  auto states = parse_states(value);
  if (!states)
    return refused(settings,
                   fmt::format("Invalid job state specified: {}\nValid job states are PENDING, "
                               "RUNNING, and SUSPENDED",
                               printable(value)));
  settings.states = std::move(*states);
  return {};
}

Status set_signal(Settings& settings, std::string_view value) {
  auto signal = parse_signal(value);
  if (!signal || *signal == 0)
    return refused(settings, fmt::format("Unknown job signal: {}", printable(value)));
  settings.signal = *signal;
  return {};
}

// A number or a name that this machine knows.
Status add_users(Settings& settings, std::string_view value) {
  for (std::string_view name : split_words(value, ',')) {
    if (!parse_unsigned<std::uint32_t>(name) && !local_user(name))
      return refused(settings,
                     fmt::format("scancel: error: Invalid user name: {}", printable(name)));
    settings.users.emplace_back(name);
  }
  return {};
}

// A list, or the name of a file with one: that has a slash.
Status set_nodes(Settings& settings, std::string_view value) {
  std::string text(value);
  if (value.find('/') != std::string_view::npos) {
    auto file = read_file(text, kHostfileMax);
    if (!file) return std::unexpected(file.error());
    auto names = hosts_of_file(*file);
    if (!names) return std::unexpected(names.error());
    text = std::move(*names);
  }
  auto hosts = Hostlist::parse(text);
  if (!hosts) return std::unexpected(hosts.error());
  settings.nodes = hosts->str();
  return {};
}

Status set_me(Settings& settings, std::string_view) {
  settings.users.push_back(fmt::format("{}", ::getuid()));
  return {};
}

Status add_verbose(Settings& settings, std::string_view) {
  ++settings.verbose;
  return {};
}

Status accept(Settings&, std::string_view) { return {}; }

Status set_admin_comment(Settings& settings, std::string_view value) {
  settings.admin_comment = value;
  return {};
}

// There are no federations, so that no job has siblings.
Status refuse_sibling(Settings& settings, std::string_view value) {
  return refused(settings,
                 fmt::format("scancel: error: Invalid sibling cluster: {}", printable(value)));
}

}  // namespace

CommandPage scancel_page() {
  return {.name = "scancel",
          .summary = "end jobs and steps, or send them signals",
          .usage = {"[OPTION]... [JOB[_ELEMENT][.STEP]]..."},
          .description =
              "Of several conditions all must hold. A job that is not known any more is passed "
              "over in\n"
              "silence: it is gone, as was wanted."};
}

namespace {

std::vector<Option<ScancelSettings>> signal_rows() {
  return {
      {{.name = "signal",
        .letter = 's',
        .takes = Takes::Value,
        .argument = "SIGNAL",
        .help = "Send this signal instead of ending the job"},
       set_signal},
      {{.name = "batch",
        .letter = 'b',
        .help = "Signal the batch shell only",
        .variable = "SCANCEL_BATCH"},
       flag<&Settings::batch>},
      {{.name = "cron",
        .letter = 'c',
        .help = "Jobs of crontabs (scrontab), too: their lines are switched off",
        .variable = "SCANCEL_CRON"},
       flag<&Settings::cron>},
      {{.name = "full",
        .letter = 'f',
        .help = "Signal the batch shell and all steps",
        .variable = "SCANCEL_FULL"},
       flag<&Settings::full>},
      {{.name = "user",
        .letter = 'u',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs of this user",
        .variable = "SCANCEL_USER"},
       add_users},
      {{.name = "me", .help = "Only my jobs"}, set_me},
      {{.name = "name",
        .letter = 'n',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs of this name",
        .variable = "SCANCEL_NAME"},
       add_list<&Settings::names>},
      {{.name = "jobname",
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "The same as --name",
        .hidden = true},
       add_list<&Settings::names>},
      {{.name = "partition",
        .letter = 'p',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs in this partition",
        .variable = "SCANCEL_PARTITION"},
       add_list<&Settings::partitions>},
  };
}

}  // namespace

namespace {

std::vector<Option<ScancelSettings>> choice_rows() {
  return {
      {{.name = "account",
        .letter = 'A',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs of this account",
        .variable = "SCANCEL_ACCOUNT"},
       add_list<&Settings::accounts>},
      {{.name = "qos",
        .letter = 'q',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs of this QOS",
        .variable = "SCANCEL_QOS"},
       add_list<&Settings::qos>},
      {{.name = "state",
        .letter = 't',
        .takes = Takes::Value,
        .argument = "STATE",
        .help = "Only jobs in this state: PENDING, RUNNING or SUSPENDED",
        .variable = "SCANCEL_STATE"},
       set_states},
      {{.name = "nodelist",
        .letter = 'w',
        .takes = Takes::Value,
        .argument = "HOSTS",
        .help = "Only jobs on these nodes"},
       set_nodes},
      {{.name = "reservation",
        .letter = 'R',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Only jobs that ask for this reservation",
        .variable = "SCANCEL_RESERVATION"},
       set_text<&Settings::reservation>},
      {{.name = "wckey",
        .takes = Takes::Value,
        .argument = "KEY",
        .help = "Only jobs with this wckey",
        .variable = "SCANCEL_WCKEY"},
       set_text<&Settings::wckey>},
  };
}

std::vector<Option<ScancelSettings>> way_rows() {
  return {
      {{.name = "clusters",
        .letter = 'M',
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "The cluster that is meant; only this one is known",
        .variable = "SLURM_CLUSTERS"},
       set_text<&Settings::cluster>},
      {{.name = "interactive",
        .letter = 'i',
        .help = "Ask before each job or step",
        .variable = "SCANCEL_INTERACTIVE"},
       flag<&Settings::interactive>},
      {{.name = "hurry",
        .letter = 'H',
        .help = "Taken, without effect: nothing is staged out",
        .variable = "SCANCEL_HURRY"},
       flag<&Settings::hurry>},
      {{.name = "ctld",
        .help = "Taken, without effect: signals always go by the controller",
        .variable = "SCANCEL_CTLD"},
       accept},
      {{.name = "admin-comment",
        .takes = Takes::Value,
        .argument = "TEXT",
        .help = "Leave this AdminComment with the jobs; for administrators"},
       set_admin_comment},
      {{.name = "sibling",
        .takes = Takes::Value,
        .argument = "CLUSTER",
        .help = "Refused: there are no federations"},
       refuse_sibling},
      {{.name = "quiet", .letter = 'Q', .help = "No complaint about jobs that are over"},
       flag<&Settings::quiet>},
      {{.name = "verbose",
        .letter = 'v',
        .help = "Say what is done",
        .variable = "SCANCEL_VERBOSE"},
       add_verbose},
  };
}

}  // namespace

std::vector<Option<ScancelSettings>> scancel_table() {
  std::vector<Option<ScancelSettings>> table = signal_rows();
  for (const auto& row : choice_rows()) table.push_back(row);
  for (const auto& row : way_rows()) table.push_back(row);
  return table;
}

}  // namespace ym::cli
