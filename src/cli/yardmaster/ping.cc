// SPDX-License-Identifier: Apache-2.0
// Which slurmd answer: asked down the tree, without the controller.
#include <algorithm>

#include "base/format.h"
#include "cli/common/tree_call.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"
#include "notation/hostlist.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

struct PingSettings {
  std::string dir;
  bool verbose = false;
};

std::vector<Option<PingSettings>> ping_table() {
  return {
      dir_option<PingSettings>(),
      {{.name = "verbose", .letter = 'v', .help = "Say why a node does not answer"},
       [](PingSettings& s, std::string_view) -> Status {
         s.verbose = true;
         return {};
       }},
  };
}

// slurm.conf's nodes, or those of them that the words name.
Result<std::vector<NodeAddress>> nodes_to_ask(const ClusterConfig& config,
                                              const std::vector<std::string>& words) {
  std::vector<NodeAddress> all;
  for (const NodeSpec& node : config.nodes) {
    NodeAddress one;
    one.name = node.name;
    one.address = !node.address.empty() ? node.address : node.hostname;
    one.port = node.port ? node.port : config.node_port;
    all.push_back(std::move(one));
  }
  if (words.empty()) return all;
  std::vector<NodeAddress> chosen;
  for (const std::string& word : words) {
    auto list = Hostlist::parse(word);
    if (!list) return std::unexpected(list.error());
    if (list->count() > kTreeNodesMax) return fail(fmt::format("{}: too many nodes", word));
    for (const std::string& name : list->uniq().names()) {
      auto at = std::ranges::find(all, name, &NodeAddress::name);
      if (at == all.end()) return fail(fmt::format("slurm.conf has no node {}", name));
      if (std::ranges::find(chosen, name, &NodeAddress::name) == chosen.end())
        chosen.push_back(*at);
    }
  }
  return chosen;
}

int show_answers(Controller& controller, const std::vector<NodeAddress>& nodes, bool verbose) {
  Duration begin = monotonic_clock();
  std::vector<TreeAnswer> rows =
      call_tree(controller, wire::message_number<Ping>, wire::encode(Ping{}), nodes,
                controller.config().message_timeout);
  Duration took = monotonic_clock() - begin;
  std::vector<std::string> silent;
  for (const TreeAnswer& row : rows) {
    if (row.error.empty()) continue;
    silent.push_back(row.node);
    if (verbose) complain(kYardmaster, fmt::format("{}: {}", row.node, row.error));
  }
  std::string tail =
      silent.empty() ? "" : fmt::format("; no answer: {}", Hostlist::of(silent).str());
  print(fmt::format("{} of {} nodes answer, {} ms{}\n", rows.size() - silent.size(), rows.size(),
                    took.count(), tail));
  return silent.empty() ? 0 : 1;
}

}  // namespace

CommandPage ping_page() {
  return {
      .name = "yardmaster ping",
      .summary = "ask nodes whether they are there",
      .usage = {"[OPTION]... [NODES]..."},
      .description =
          "Asks slurmd of all nodes of slurm.conf, or of those named, down a tree of them "
          "(TreeWidth), and tells\n"
          "who does not answer within MessageTimeout. The controller is not needed. Ends with 0 "
          "if all answer,\nelse with 1."};
}
std::vector<OptionInfo> ping_options() { return infos_of(ping_table()); }

int ping_main(const Arguments& arguments) {
  auto parsed = parse_command(ping_page(), ping_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto loaded = cluster_configuration(parsed.settings.dir);
  auto nodes = loaded ? nodes_to_ask(loaded->config, parsed.operands)
                      : Result<std::vector<NodeAddress>>(std::unexpected(loaded.error()));
  if (!nodes) {
    complain(kYardmaster, nodes.error().text);
    return 1;
  }
  Controller controller(std::move(*loaded));
  return show_answers(controller, *nodes, parsed.settings.verbose);
}

}  // namespace ym::cli
