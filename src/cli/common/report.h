// SPDX-License-Identifier: Apache-2.0
// What squeue and sinfo share: options about the look of a table, the notations it may be printed
// in, and the loop of --iterate.
#pragma once
#include <poll.h>

#include <optional>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/columns.h"
#include "cli/common/command.h"
#include "cli/common/controller.h"
#include "cli/common/data_writer.h"

namespace ym::cli {

// How a report is to look. A report's settings have it as `report`.
struct ReportWish {
  std::string format, long_format, sort;  // of the two formats the one given last
  bool header = true, longer = false;
  std::uint32_t iterate_s = 0;
  std::optional<Notation> notation;   // --json, --yaml
  std::string parser;                 // the value of these
  std::vector<std::string> clusters;  // --clusters
  // What was wrong with the line, in Slurm's words; told when all of it has been read.
  std::string refusal;

  // Known once the controller is found.
  std::string cluster;
  std::vector<std::string> command;  // the whole line, for --json

  bool by_name() const { return !long_format.empty(); }
  // As -o or -O say it, or else `usual`.
  Result<std::vector<FormatField>> fields(std::string_view usual) const;
};

// "Mon Nov 16 03:59:05 2026", as it stands above a table.
std::string date_line(Instant now);
// Whether the clusters of -M are this one; the error is Slurm's.
Status check_clusters(const ReportWish& wish, std::string_view cluster);
Status set_iterate(ReportWish& wish, std::string_view value, std::string_view refusal);

// What --json=PARSER has to say before anything is asked: the list of parsers, which is all that
// was wanted (0), or that there is none of that name (1). Nothing if there is one, or none was
// named.
std::optional<int> answer_parser(std::string_view program, Notation notation,
                                 std::string_view parser);

// "meta", "errors" and "warnings" behind what a report has to say.
void write_meta(DataWriter& data, const ReportWish& wish);

// --- the options ---

template <class Settings>
using OptionTable = std::vector<Option<Settings>>;

template <class Settings, auto Member, bool Value = true>
Status set_flag(Settings& settings, std::string_view) {
  settings.*Member = Value;
  return {};
}
template <class Settings, auto Member>
Status set_list(Settings& settings, std::string_view value) {
  (settings.*Member).clear();
  for (std::string_view word : split_words(value, ',')) (settings.*Member).emplace_back(word);
  return {};
}
template <class Settings, auto Member, bool Value = true>
Status wish_flag(Settings& settings, std::string_view) {
  settings.report.*Member = Value;
  return {};
}
template <class Settings, Notation Value>
Status wish_notation(Settings& settings, std::string_view value) {
  settings.report.notation = Value;
  settings.report.parser = value;
  return {};
}
template <class Settings>
Status accept(Settings&, std::string_view) {
  return {};
}

// --format, --Format, --sort; `prefix` is that of the environment variables.
template <class Settings>
OptionTable<Settings> format_rows(std::string_view prefix, std::string_view letters,
                                  std::string_view names) {
  return {
      {{.name = "format",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = letters,
        .variable = "_FORMAT",
        .variable_prefix = prefix},
       [](Settings& s, std::string_view value) -> Status {
         s.report.format = value;
         s.report.long_format.clear();
         return {};
       }},
      {{.name = "Format",
        .letter = 'O',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = names,
        .variable = "_FORMAT2",
        .variable_prefix = prefix},
       [](Settings& s, std::string_view value) -> Status {
         s.report.long_format = value;
         s.report.format.clear();
         return {};
       }},
      {{.name = "sort",
        .letter = 'S',
        .takes = Takes::Value,
        .argument = "KEYS",
        .help = "Order of the lines, by letters of --format or names of --Format; -X: "
                "descending",
        .variable = "_SORT",
        .variable_prefix = prefix},
       [](Settings& s, std::string_view value) -> Status {
         s.report.sort = value;
         return {};
       }},
  };
}

template <class Settings>
OptionTable<Settings> look_rows() {
  return {
      {{.name = "noheader", .letter = 'h', .help = "No line of headers"},
       wish_flag<Settings, &ReportWish::header, false>},
      {{.name = "long", .letter = 'l', .help = "More columns"},
       wish_flag<Settings, &ReportWish::longer>},
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
      {{.name = "federation", .help = "Taken, without effect"}, accept<Settings>},
      {{.name = "local", .help = "Taken, without effect"}, accept<Settings>},
      {{.name = "noconvert", .help = "Taken, without effect: units are never rounded"},
       accept<Settings>},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept<Settings>},
  };
}

// --- the loop ---

template <class Settings>
struct Report {
  CommandPage page;
  OptionTable<Settings> table;
  // Looks at what was given before anybody is asked; may complain about what it passes over.
  Status (*check)(Settings&, const std::vector<std::string>& operands);
  int (*show)(const Settings&, Controller&);
};

template <class Settings>
int run_report(const Report<Settings>& report, const Arguments& arguments) {
  const std::string& name = report.page.name;
  auto parsed = parse_command(report.page, report.table, arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  Settings& settings = parsed.settings;
  auto refuse = [&](std::string_view text) {
    complain(name, text);
    return 1;
  };
  if (!settings.report.refusal.empty()) return refuse(settings.report.refusal);
  if (Status fine = report.check(settings, parsed.operands); !fine)
    return refuse(fine.error().text);
  if (settings.report.notation)
    if (auto code = answer_parser(name, *settings.report.notation, settings.report.parser))
      return *code;
  auto controller = Controller::open();
  if (!controller) return refuse(controller.error().text);
  settings.report.cluster = controller->config().cluster_name;
  settings.report.command = arguments;
  settings.report.command.insert(settings.report.command.begin(), name);
  if (Status ours = check_clusters(settings.report, settings.report.cluster); !ours)
    return refuse(ours.error().text);
  for (;;) {
    int code = report.show(settings, *controller);
    if (!settings.report.iterate_s) return code;
    print("\n");
    ::poll(nullptr, 0, static_cast<int>(settings.report.iterate_s * 1000));
  }
}

// All rows of an answer of many frames.
template <class Answer, class Row, class Question>
Status fetch_report(Controller& controller, const Question& question, std::vector<Row>& rows) {
  return controller.ask_many<Answer>(
      question,
      [&rows](Answer&& some) {
        for (Row& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
}

}  // namespace ym::cli
