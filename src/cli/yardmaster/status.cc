// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/format.h"
#include "cli/common/local.h"
#include "cli/common/paint.h"
#include "cli/common/targets.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"

namespace ym::cli {
namespace {

struct StatusSettings {
  std::string dir;
};

std::vector<Option<StatusSettings>> status_table() {
  return {
      dir_option<StatusSettings>(),
  };
}

// "2 idle, 1 mixed"
std::string tally(const std::map<std::string, std::size_t>& counts) {
  std::string out;
  for (const auto& [word, count] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, word);
  return out.empty() ? "none" : out;
}

void line(std::string label, const std::string& text) {
  label.resize(15, ' ');
  print(label + text + "\n");
}

void show_files(const LoadedConfiguration& loaded) {
  const ClusterConfig& config = loaded.config;
  line("configuration", loaded.path);
  line("state", config.state_dir);
  line("spool", config.spool_dir);
  line("logs", config.controller_log.empty() ? "syslog" : config.controller_log);
  if (!config.node_log.empty()) line("", config.node_log);
}

int show(const LoadedConfiguration& loaded) {
  line("cluster", loaded.config.cluster_name);
  auto pong = ping_quickly(loaded);
  Controller controller(loaded);
  if (!pong) {
    // Perhaps on another machine: the long way, which also knows why not.
    auto asked = controller.ask<Pong>(Ping{});
    if (asked)
      pong = *asked;
    else
      line("controller", painted("down", Ink::Bad) + ": " + asked.error().text);
  }
  if (pong)
    line("controller", fmt::format("{} on {} since {}{}", painted("up", Ink::Good), pong->host,
                                   show_time(pong->started, "?"),
                                   pong->trouble.empty() ? "" : ", trouble: " + pong->trouble));
  if (pong) {
    std::map<std::string, std::size_t> nodes, jobs;
    if (auto rows = ask_nodes(controller))
      for (const NodeRow& row : *rows) ++nodes[state_word(row.node)];
    if (auto rows = ask_active_jobs(controller))
      for (const JobRow& row : *rows) ++jobs[shown_state(row.job)];
    line("nodes", tally(nodes));
    line("jobs", tally(jobs));
  }
  show_files(loaded);
  return pong ? 0 : 1;
}

}  // namespace

CommandPage status_page() {
  return {.name = "yardmaster status",
          .summary = "show whether the cluster runs, its nodes, jobs and files",
          .usage = {"[OPTION]..."},
          .description = "Ends with 0 if the controller answers, else with 1."};
}
std::vector<OptionInfo> status_options() { return infos_of(status_table()); }

int status_main(const Arguments& arguments) {
  auto parsed = parse_command(status_page(), status_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (has_operands(status_page(), parsed.operands)) return 1;
  auto loaded = cluster_configuration(parsed.settings.dir);
  if (loaded) return show(*loaded);
  complain(kYardmaster, loaded.error().text);
  return 1;
}

}  // namespace ym::cli
