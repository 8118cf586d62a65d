// SPDX-License-Identifier: Apache-2.0
// The front door for people. Each verb has an option table of its own.
#pragma once
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/completion.h"

namespace ym::cli {

int yardmaster_main(const Arguments& arguments);

struct YardmasterVerb {
  const char* name;
  const char* summary;
  int (*run)(const Arguments& arguments);
  // Help and the manual page are made of these.
  CommandPage (*page)();
  std::vector<OptionInfo> (*options)();
};
const std::vector<YardmasterVerb>& yardmaster_verbs();

// The program's name in messages.
inline constexpr const char* kYardmaster = "yardmaster";

// --dir of the verbs that are about any cluster.
template <class Settings>
Option<Settings> dir_option() {
  return {{.name = "dir",
           .takes = Takes::Value,
           .argument = "DIR",
           .help = "Where the cluster lives; usually the one that all commands find"},
          [](Settings& s, std::string_view v) -> Status {
            s.dir = v;
            return {};
          }};
}

int up_main(const Arguments& arguments);
int down_main(const Arguments& arguments);
int status_main(const Arguments& arguments);
int doctor_main(const Arguments& arguments);
int events_main(const Arguments& arguments);
int ping_main(const Arguments& arguments);
int metrics_main(const Arguments& arguments);
int completion_main(const Arguments& arguments);
CommandPage completion_page();
std::vector<OptionInfo> completion_options();
// The commands that shells complete.
std::vector<CompletedCommand> completed_commands();
int backup_main(const Arguments& arguments);
int restore_main(const Arguments& arguments);
CommandPage backup_page(), restore_page();
std::vector<OptionInfo> backup_options(), restore_options();
int explain_main(const Arguments& arguments);
int sim_main(const Arguments& arguments);
int what_if_main(const Arguments& arguments);
CommandPage what_if_page();
std::vector<OptionInfo> what_if_options();
CommandPage sim_page_of_help();
std::vector<OptionInfo> sim_options();
CommandPage up_page(), down_page(), status_page(), doctor_page(), events_page(), ping_page(),
    metrics_page(), explain_page();
std::vector<OptionInfo> up_options(), down_options(), status_options(), doctor_options(),
    events_options(), ping_options(), metrics_options(), explain_options();

// Complains about operands, for verbs that take none; true if there are any.
bool has_operands(const CommandPage& page, const std::vector<std::string>& operands);

}  // namespace ym::cli
