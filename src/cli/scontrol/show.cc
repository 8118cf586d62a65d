// SPDX-License-Identifier: Apache-2.0
// `scontrol show KIND [NAME]`, and the kinds that need few words.
#include "base/format.h"
#include "base/text.h"
#include "cli/common/host_functions.h"
#include "cli/common/local.h"
#include "cli/scontrol/data.h"
#include "cli/scontrol/keys.h"
#include "cli/scontrol/reservation.h"
#include "model/gres_request.h"
#include "notation/hostlist.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

const std::vector<Verb>& kinds() {
  static const std::vector<Verb> all = {
      {"jobs", "", "", show_jobs},
      {"steps", "", "", show_steps},
      {"nodes", "", "", show_nodes},
      {"partitions", "", "", show_partitions},
      {"config", "", "", show_config},
      {"hostnames", "", "", show_hostnames},
      {"hostlist", "", "", show_hostlist},
      {"hostlistsorted", "", "", show_hostlist_sorted},
      {"reservations", "", "", show_reservations},
      {"licenses", "", "", show_licenses},
      {"daemons", "", "", show_daemons},
      {"topology", "", "", show_topology},
      {"topoconf", "", "", show_topoconf},
      {"aliases", "", "", show_aliases},
      {"federation", "", "", show_nothing},
      {"burstbuffer", "", "", show_nothing},
      {"bbstat", "", "", show_nothing},
      {"dwstat", "", "", show_nothing},
      {"assoc_mgr", "", "", show_assoc_mgr},
      {"frontend", "", "", show_frontend},
      {"slurmd", "", "", show_slurmd},
  };
  return all;
}

// The list that is meant: the word, or SLURM_JOB_NODELIST.
Result<Hostlist> given_hosts(ScontrolContext& context, const Words& words) {
  std::string text =
      words.empty() ? environment_variable("SLURM_JOB_NODELIST").value_or("") : words[0];
  if (words.empty() && text.empty()) text = environment_variable("SLURM_NODELIST").value_or("");
  // The names may stand in a file, or come from standard input, one on each line.
  if (text.starts_with('/') || text == "-") {
    auto file = read_file(text == "-" ? "/dev/stdin" : text);
    if (!file) return fail(file.error().text);
    text = std::move(*file);
    for (char& c : text)
      if (c == '\n') c = ',';
    while (text.ends_with(',')) text.pop_back();
  }
  if (text.empty()) return fail("scontrol: error: host list is empty");
  auto list = hosts_of(context, text);
  if (!list)
    return fail(fmt::format("Invalid hostlist: {}: {}", printable(text), list.error().text));
  return list;
}

}  // namespace

std::string shown_kinds() {
  std::vector<std::string> names;
  for (const Verb& kind : kinds()) names.emplace_back(kind.name);
  return join(names, ", ");
}

std::string record_text(const std::vector<std::string>& lines, bool one_line) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += one_line ? " " : "\n   ";
    out += lines[i];
  }
  return out + (one_line ? "\n" : "\n\n");
}

void add_gres_lines(std::vector<std::string>& lines, const GresOptions& wish,
                    std::string_view whole) {
  auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) lines.push_back(fmt::format("{}={}", key, value));
  };
  auto prefixed = [](const std::string& text) {
    return text.empty() || text.starts_with("gres/") ? text : "gres/" + text;
  };
  add("CpusPerTres", shown_gres(wish.cpus_per));
  add("MemPerTres", shown_gres(wish.memory_per));
  add("TresBind", prefixed(wish.bind));
  add("TresFreq", prefixed(wish.freq));
  add(whole, shown_gres(wish.per_job));
  add("TresPerNode", shown_gres(wish.per_node));
  add("TresPerSocket", shown_gres(wish.per_socket));
  add("TresPerTask", shown_gres(wish.per_task));
}

Result<Hostlist> hosts_of(ScontrolContext& context, std::string_view text) {
  if (!has_host_function(text)) return resolve_hosts(text, {});
  auto controller = context.controller();
  if (!controller) return std::unexpected(controller.error());
  return resolve_hosts(text, sources_of(**controller));
}

Status resolve_hosts_of(std::vector<Assignment>& assignments, ScontrolContext& context) {
  for (Assignment& one : assignments) {
    bool names_nodes = is_key(one.key, "Nodes", "NodeList") ||
                       is_key(one.key, "NodeName", "Node") ||
                       is_key(one.key, "ReqNodeList", "ExcNodeList");
    if (!names_nodes || !has_host_function(one.value)) continue;
    auto hosts = hosts_of(context, one.value);
    if (!hosts) return fail(fmt::format("Invalid node name: {}", hosts.error().text));
    one.value = hosts->str();
  }
  return {};
}

int show_verb(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("too few arguments for keyword:show");
  std::string kind = words[0];
  Words rest(words.begin() + 1, words.end());
  // "show job=7" means "show job 7".
  if (auto equals = kind.find('='); equals != std::string::npos) {
    rest.insert(rest.begin(), kind.substr(equals + 1));
    kind.resize(equals);
  }
  // The keys of update name the same things.
  for (std::string_view key : {"StepId", "JobId", "NodeName", "PartitionName", "ReservationName"})
    if (names_key(kind, key)) kind = key.substr(0, key.find_first_of("IN", 1));
  const Verb* found = find_verb(kinds(), kind);
  if (!found) {
    std::vector<std::string_view> names;
    for (const Verb& one : kinds()) names.push_back(one.name);
    std::string_view meant = nearest(kind, names);
    return context.fail_with(
        fmt::format("invalid entity:{} for keyword:show {}", printable(kind),
                    meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  // show assoc_mgr takes a list of wishes.
  if (rest.size() > 1 && found->name != "assoc_mgr")
    return context.fail_with("too many arguments for keyword:show");
  return found->run(context, rest);
}

int show_hostnames(ScontrolContext& context, const Words& words) {
  auto hosts = given_hosts(context, words);
  if (!hosts) return context.fail_with(hosts.error().text);
  std::string out;
  hosts->for_each([&out](std::string_view name) {
    out += name;
    out += '\n';
  });
  print(out);
  return 0;
}

int show_hostlist(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("Hostlist is NULL");
  auto hosts = given_hosts(context, words);
  if (!hosts) return context.fail_with(hosts.error().text);
  print(hosts->str() + "\n");
  return 0;
}

int show_hostlist_sorted(ScontrolContext& context, const Words& words) {
  if (words.empty()) return context.fail_with("Hostlist is NULL");
  auto hosts = given_hosts(context, words);
  if (!hosts) return context.fail_with(hosts.error().text);
  print(hosts->sorted().str() + "\n");
  return 0;
}

std::string config_text(const ConfigAnswer& answer, Instant now) {
  std::string out = fmt::format("Configuration data as of {}\n", show_time(now, "Unknown"));
  for (const KeyValue& entry : answer.values)
    out += fmt::format("{:<23} = {}\n", entry.key, entry.value);
  return out;
}

int show_config(ScontrolContext& context, const Words&) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  auto answer = (*controller)->ask<ConfigAnswer>(QueryConfig{});
  if (!answer)
    return context.fail_with(fmt::format("slurm_load_ctl_conf error: {}", answer.error().text));
  if (context.settings().notation)
    return print_data(context, {"show", "config"}, [&](DataWriter& data) {
      data.begin_map("config");
      for (const KeyValue& entry : answer->values) data.text(entry.key, entry.value);
      data.end();
    });
  print(config_text(*answer, wall_clock()) + "\n");
  static_cast<void>(ping_verb(context, {}));
  return 0;
}

}  // namespace ym::cli
