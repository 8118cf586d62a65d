// SPDX-License-Identifier: Apache-2.0
#include "cli/sacct/sacct.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Settings = SacctSettings;
using Table = std::vector<Option<Settings>>;

template <auto Member>
constexpr auto list = set_list<Settings, Member>;
template <auto Member, bool Value = true>
constexpr auto flag = set_flag<Settings, Member, Value>;
template <auto Member>
Status text(Settings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}
template <auto Member, bool Value = true>
Status look(Settings& settings, std::string_view) {
  settings.look.*Member = Value;
  return {};
}

Status set_jobs(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) return std::unexpected(targets.error());
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

Status set_states(Settings& settings, std::string_view value) {
  auto states = parse_states(value);
  if (!states) return std::unexpected(states.error());
  settings.states = std::move(*states);
  return {};
}

Status set_nodes(Settings& settings, std::string_view value) {
  auto hosts = Hostlist::parse(value);
  if (!hosts) return std::unexpected(hosts.error());
  settings.nodes = hosts->str();
  return {};
}

Status set_unit(Settings& settings, std::string_view value) {
  if (value.size() != 1 || std::string_view("KMGTP").find(value[0]) == std::string_view::npos)
    return fail("a unit is one of K, M, G, T and P");
  settings.unit = value[0];
  return {};
}

// "4" or "2-8".
template <auto Least, auto Most>
Status set_range(Settings& settings, std::string_view value) {
  auto dash = value.find('-');
  auto least = parse_unsigned<std::uint32_t>(value.substr(0, dash));
  auto most = dash == value.npos ? least : parse_unsigned<std::uint32_t>(value.substr(dash + 1));
  if (!least || !most || *most < *least) return fail("a number or a range of numbers is wanted");
  settings.*Least = *least;
  settings.*Most = *most;
  return {};
}

template <auto Member>
Status set_limit(Settings& settings, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit) return std::unexpected(limit.error());
  settings.*Member = static_cast<std::uint32_t>(limit->minutes() * 60);
  return {};
}

Status set_brief(Settings& settings, std::string_view) {
  settings.fields = "jobid,state,exitcode";
  return {};
}

Status set_long(Settings& settings, std::string_view) {
  settings.fields =
      "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,"
      "maxrssnode,maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,"
      "mincputask,avecpu,ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,"
      "reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,maxdiskreadnode,"
      "maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,"
      "reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,"
      "tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutmax,"
      "tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutave,tresusageouttot";
  return {};
}

Table choice_rows() {
  return {
      {{.name = "jobs",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "IDS",
        .help = "Only these jobs and steps, whenever they were"},
       set_jobs},
      {{.name = "allusers", .letter = 'a', .help = "Jobs of all users; this is usual for root"},
       flag<&Settings::all_users>},
      {{.name = "user",
        .letter = 'u',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these users"},
       list<&Settings::users>},
      {{.name = "uid",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "The same as --user",
        .hidden = true},
       list<&Settings::users>},
      {{.name = "group",
        .letter = 'g',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these groups"},
       list<&Settings::groups>},
      {{.name = "gid",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "The same as --group",
        .hidden = true},
       list<&Settings::groups>},
      {{.name = "accounts",
        .letter = 'A',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these accounts"},
       list<&Settings::accounts>},
      {{.name = "partition",
        .letter = 'r',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these partitions"},
       list<&Settings::partitions>},
      {{.name = "qos",
        .letter = 'q',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these QOS"},
       list<&Settings::qos>},
      {{.name = "name",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these names"},
       list<&Settings::names>},
      {{.name = "nodelist",
        .letter = 'N',
        .takes = Takes::Value,
        .argument = "HOSTS",
        .help = "Only jobs on these nodes"},
       set_nodes},
  };
}

Table time_rows() {
  return {
      {{.name = "state",
        .letter = 's',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these states"},
       set_states},
      {{.name = "starttime",
        .letter = 'S',
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only what was there from then on; midnight unless told"},
       text<&Settings::since>},
      {{.name = "endtime",
        .letter = 'E',
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only what was there until then; now unless told"},
       text<&Settings::until>},
      {{.name = "truncate", .letter = 'T', .help = "Cut times off that lie outside of these"},
       flag<&Settings::truncate>},
      {{.name = "nnodes",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "N[-M]",
        .help = "Only jobs of so many nodes"},
       set_range<&Settings::nodes_min, &Settings::nodes_max>},
      {{.name = "ncpus",
        .letter = 'I',
        .takes = Takes::Value,
        .argument = "N[-M]",
        .help = "Only jobs of so many CPUs"},
       set_range<&Settings::cpus_min, &Settings::cpus_max>},
      {{.name = "timelimit-min",
        .letter = 'k',
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only jobs with this time limit, or a longer one with -K"},
       set_limit<&Settings::limit_min_s>},
      {{.name = "timelimit-max",
        .letter = 'K',
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only jobs whose time limit is not longer"},
       set_limit<&Settings::limit_max_s>},
      {{.name = "allocations", .letter = 'X', .help = "Jobs only, without their steps"},
       flag<&Settings::allocations_only>},
      {{.name = "array", .help = "A line for each waiting element of an array"},
       flag<&Settings::single_elements>},
      {{.name = "duplicates", .letter = 'D', .help = "Taken, without effect"}, accept<Settings>},
  };
}

// What a job wished for, or why it waited.
Table wish_rows() {
  return {
      {{.name = "constraints",
        .letter = 'C',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs that asked for all of these features"},
       list<&Settings::constraints>},
      {{.name = "reason",
        .letter = 'R',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs that wait for one of these reasons"},
       list<&Settings::reasons>},
      {{.name = "wckeys",
        .letter = 'W',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs with one of these workload characterization keys"},
       list<&Settings::wckeys>},
      {{.name = "flags",
        .letter = 'F',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs with one of these flags, as the field Flags shows them"},
       list<&Settings::flags>},
      {{.name = "associations",
        .letter = 'x',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these associations; there are none, so it shows none"},
       list<&Settings::associations>},
      {{.name = "whole-hetjob",
        .takes = Takes::Maybe,
        .argument = "yes|no",
        .help = "Taken, without effect"},
       accept<Settings>},
      {{.name = "use-local-uid", .help = "Taken, without effect"}, accept<Settings>},
  };
}

Table look_rows() {
  return {
      {{.name = "format",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "FIELDS",
        .help = "These fields; NAME%WIDTH sets a width, a negative one is left-justified",
        .variable = "SACCT_FORMAT"},
       text<&Settings::fields>},
      {{.name = "brief", .letter = 'b', .help = "Job, state and exit code"}, set_brief},
      {{.name = "long", .letter = 'l', .help = "Many fields"}, set_long},
      {{.name = "helpformat", .letter = 'e', .help = "List the fields that there are"},
       flag<&Settings::list_fields>},
      {{.name = "noheader", .letter = 'n', .help = "Without the heading"},
       look<&TableLook::header, false>},
      {{.name = "parsable", .letter = 'p', .help = "Fields separated by |, one at the end, too"},
       look<&TableLook::last_bar>},
      {{.name = "parsable2", .letter = 'P', .help = "Fields separated by |"},
       look<&TableLook::bars>},
      {{.name = "delimiter",
        .takes = Takes::Value,
        .argument = "TEXT",
        .help = "What separates fields with -p and -P"},
       [](Settings& s, std::string_view value) -> Status {
         s.look.delimiter = value;
         return {};
       }},
      {{.name = "noconvert", .help = "Sizes in KiB, not in larger units"},
       flag<&Settings::convert, false>},
      {{.name = "units",
        .takes = Takes::Value,
        .argument = "UNIT",
        .help = "Sizes in this unit: K, M, G, T or P"},
       set_unit},
      {{.name = "batch-script", .letter = 'B', .help = "The job's script instead of the table"},
       flag<&Settings::script>},
      {{.name = "env-vars",
        .help = "The job's environment instead of the table: NONE, none is kept; wants --jobs"},
       flag<&Settings::environment>},
      {{.name = "completion",
        .letter = 'c',
        .help = "What a job completion plugin has kept: there is none (JobCompType)"},
       flag<&Settings::completion>},
      {{.name = "json", .takes = Takes::Maybe, .argument = "PARSER", .help = "Everything, as JSON"},
       wish_notation<Settings, Notation::Json>},
      {{.name = "yaml", .takes = Takes::Maybe, .argument = "PARSER", .help = "Everything, as YAML"},
       wish_notation<Settings, Notation::Yaml>},
      {{.name = "clusters",
        .letter = 'M',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only these clusters; this one is all there is",
        .variable = "SLURM_CLUSTERS"},
       [](Settings& s, std::string_view value) -> Status {
         s.report.clusters.clear();
         for (std::string_view word : split_words(value, ',')) s.report.clusters.emplace_back(word);
         return {};
       }},
      {{.name = "allclusters", .letter = 'L', .help = "Taken, without effect"}, accept<Settings>},
      {{.name = "federation", .help = "Taken, without effect"}, accept<Settings>},
      {{.name = "local", .help = "Taken, without effect"}, accept<Settings>},
      {{.name = "expand-patterns", .help = "Fill in the patterns of StdOut, StdErr and StdIn"},
       flag<&Settings::expand>},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept<Settings>},
  };
}

}  // namespace

CommandPage sacct_page() {
  return {.name = "sacct",
          .summary = "show jobs and steps, those that have ended among them",
          .usage = {"[OPTION]..."},
          .description =
              "Shows jobs and their steps, with what they used, as long as the controller\n"
              "knows them: for MinJobAge after their end. Without -a or -u only the caller's own\n"
              "jobs are shown, unless that is root; without -j or -S those that were there since\n"
              "midnight. Of a job's steps the last 32 are known."};
}

std::vector<Option<SacctSettings>> sacct_table() {
  Table table = choice_rows();
  for (auto& row : time_rows()) table.push_back(row);
  for (auto& row : wish_rows()) table.push_back(row);
  for (auto& row : look_rows()) table.push_back(row);
  return table;
}

}  // namespace ym::cli
