// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/yardmaster.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/manual.h"

namespace ym::cli {
namespace {

constexpr std::size_t kNameColumn = 12;

std::string overview() {
  std::string out =
      "Usage: yardmaster COMMAND [OPTION]...\n"
      "The front door of Yardmaster: a cluster on this machine, and a look at any.\n\n";
  for (const YardmasterVerb& verb : yardmaster_verbs()) {
    std::string name = verb.name;
    name.resize(kNameColumn, ' ');
    out += fmt::format("  {}{}\n", name, verb.summary);
  }
  out +=
      "\n`yardmaster COMMAND --help` tells the options. Jobs are the business of sbatch, srun,\n"
      "squeue, scancel, sinfo and scontrol.\n";
  return out;
}

// One page for all verbs.
std::string manual() {
  CommandPage page{
      .name = kYardmaster,
      .summary = "start, stop and examine a cluster",
      .usage = {},
      .description =
          "Starts a cluster on this machine, without root and without a configuration, "
          "and examines any cluster.\n"};
  std::vector<OptionInfo> options;
  for (const YardmasterVerb& verb : yardmaster_verbs()) {
    CommandPage own = verb.page();
    page.usage.push_back(fmt::format("{} {}", verb.name, own.usage.front()));
    page.description += fmt::format("\n{}: {}\n\n{}\n", verb.name, verb.summary, own.description);
    for (OptionInfo& info : verb.options()) {
      bool known = false;
      for (const OptionInfo& other : options)
        known = known || std::string_view(other.name) == info.name;
      if (!known) options.push_back(std::move(info));
    }
  }
  return manual_page(page, options);
}

}  // namespace

const std::vector<YardmasterVerb>& yardmaster_verbs() {
  static const std::vector<YardmasterVerb> verbs = {
      {"up", "start your own cluster on this machine", up_main, up_page, up_options},
      {"down", "stop it", down_main, down_page, down_options},
      {"explain", "why a job waits, when it starts, and what would start sooner", explain_main,
       explain_page, explain_options},
      {"what-if", "when a job would start if it asked for something else", what_if_main,
       what_if_page, what_if_options},
      {"sim", "replay a workload under another policy or configuration", sim_main, sim_page_of_help,
       sim_options},
      {"status", "what runs, and where its files are", status_main, status_page, status_options},
      {"doctor", "find what is wrong and how to mend it", doctor_main, doctor_page, doctor_options},
      {"ping", "ask nodes whether they are there", ping_main, ping_page, ping_options},
      {"metrics", "print what sdiag knows, for programs that watch clusters", metrics_main,
       metrics_page, metrics_options},
      {"events", "print or follow the cluster's log of events", events_main, events_page,
       events_options},
      {"backup", "write the controller's whole state into a file", backup_main, backup_page,
       backup_options},
      {"restore", "start again from such a file", restore_main, restore_page, restore_options},
      {"completion", "print what makes bash, zsh or fish complete the commands", completion_main,
       completion_page, completion_options},
  };
  return verbs;
}

bool has_operands(const CommandPage& page, const std::vector<std::string>& operands) {
  if (operands.empty()) return false;
  remark(page.name, with_hint(page.name, fmt::format("unexpected argument '{}'",
                                                     printable(operands.front()))));
  return true;
}

int yardmaster_main(const Arguments& arguments) {
  std::string word = arguments.empty() ? "--help" : arguments.front();
  if (word == "--help" || word == "-h" || word == "help") {
    print(overview());
    return arguments.empty() ? 1 : 0;
  }
  if (word == "--version" || word == "-V") {
    print("yardmaster " YM_VERSION " (slurm " YM_SLURM_VERSION ")\n");
    return 0;
  }
  if (word == "--man" && arguments.size() > 1) {
    auto page = file_page(arguments[1]);
    if (!page) return remark(kYardmaster, page.error().text), 1;
    print(*page);
    return 0;
  }
  if (word == "--man") {
    print(manual());
    return 0;
  }
  std::vector<std::string_view> names;
  for (const YardmasterVerb& verb : yardmaster_verbs()) {
    if (word == verb.name) return verb.run(Arguments(arguments.begin() + 1, arguments.end()));
    names.push_back(verb.name);
  }
  std::string_view meant = nearest(word, names);
  std::string hint = meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
  remark(kYardmaster,
         with_hint(kYardmaster, fmt::format("no command '{}'{}", printable(word), hint)));
  return 1;
}

}  // namespace ym::cli
