// SPDX-License-Identifier: Apache-2.0
// Verbs and kinds that need few words.
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/scontrol/data.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym::cli {

int completing_verb(ScontrolContext& context, const Words&) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::vector<JobRow> jobs;
  QueryJobs question{.filter = {.all_states = true}};
  if (Status asked = fetch_rows<JobRows>(**controller, question, jobs); !asked)
    return context.fail_with(fmt::format("slurm_load_jobs error: {}", asked.error().text));
  auto nodes = (*controller)->ask<NodeRows>(QueryNodes{});
  if (!nodes)
    return context.fail_with(fmt::format("slurm_load_nodes error: {}", nodes.error().text));
  for (const JobRow& row : jobs) {
    if (!row.job.completing()) continue;
    std::vector<std::string> waited_for, down;
    for (NodeId id : row.job.nodes_left)
      for (const NodeRow& node : nodes->rows)
        if (node.node.id == id)
          (node.node.condition == NodeCondition::Down ? down : waited_for)
              .push_back(node.node.spec->name);
    print(fmt::format("JobId={} Nodes(COMPLETING)={} Nodes(DOWN)={} \n", row.job.id.value,
                      Hostlist::of(waited_for).str(), Hostlist::of(down).str()));
  }
  return 0;
}

int wait_job_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:wait_job");
  auto targets = parse_targets(words[0]);
  if (!targets || targets->size() != 1)
    return context.fail_with(fmt::format("Invalid job_id {}", printable(words[0])));
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto rows = (*controller)->ask<JobRows>(WatchJob{.job = targets->front().job});
  bool ready = rows && !rows->rows.empty() && rows->rows[0].job.state == JobState::Running;
  if (!ready)
    return context.fail_with(
        fmt::format("scontrol: Problem running job {}", targets->front().job.value));
  print_error(fmt::format("scontrol: Nodes {} are ready for job {}\n", rows->rows[0].nodes,
                          targets->front().job.value));
  return 0;
}

int errnumstr_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:errnumstr");
  auto number = parse_unsigned<std::uint32_t>(words[0]);
  if (!number) return context.fail_with("numeric arguments required for keyword:errnumstr");
  constexpr std::uint32_t kFirstOfSlurm = 1000;
  std::string text = *number < kFirstOfSlurm ? std::strerror(static_cast<int>(*number))
                                             : std::string(text_of(static_cast<Errc>(*number)));
  print(text + "\n");
  return 0;
}

// Which daemons the configuration wants on this machine.
int show_daemons(ScontrolContext& context, const Words&) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::array<char, 256> buffer{};
  ::gethostname(buffer.data(), buffer.size() - 1);
  std::string host = buffer.data();
  std::string brief = host.substr(0, host.find('.'));
  auto is_here = [&](const std::string& name) {
    return name == host || name == brief || name == "localhost";
  };
  auto config = (*controller)->whole_config();
  if (!config) return context.fail_with(config.error().text);
  bool controls = (*config)->controllers.empty(), works = false;
  for (const ControllerHost& one : (*config)->controllers) controls = controls || is_here(one.name);
  for (const NodeSpec& node : (*config)->nodes) works = works || is_here(node.hostname);
  std::string out;
  if (controls) out += "slurmctld";
  if (works) out += out.empty() ? "slurmd" : " slurmd";
  print(out + "\n");
  return 0;
}

int show_aliases(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string wanted = words.empty() ? host.data() : words[0];
  std::string names;
  auto config = (*controller)->whole_config();
  if (!config) return context.fail_with(config.error().text);
  for (const NodeSpec& node : (*config)->nodes)
    if (node.hostname == wanted || (words.empty() && node.hostname == "localhost"))
      names += (names.empty() ? "" : " ") + node.name;
  if (!names.empty()) print(names + "\n");
  return 0;
}

int show_nothing(ScontrolContext& context, const Words&) {
  if (!context.settings().notation) return 0;
  return print_data(context, {"show"}, [](DataWriter&) {});
}

// There is no accounting database whose users and associations could be cached.
int show_assoc_mgr(ScontrolContext&, const Words&) {
  print(
      "Current Association Manager state\n\nNo users currently cached in Slurm.\n\n"
      "No associations currently cached in Slurm.\n\nNo QOS currently cached in Slurm.\n\n");
  return 0;
}

int show_frontend(ScontrolContext& context, const Words&) {
  return context.fail_with("invalid entity:frontend for keyword:show ");
}

}  // namespace ym::cli
