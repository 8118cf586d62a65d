// SPDX-License-Identifier: Apache-2.0
// NodeName, NodeSet and DownNodes lines.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "model/config.h"
#include "notation/hostlist.h"

namespace ym {

inline constexpr std::uint64_t kConfigNodesMax = 1'000'000;

class NodeLines {
 public:
  explicit NodeLines(Findings& findings) : findings_(findings) {}

  // The assignments of the line from number `from` on, which is NodeName.
  void add(const ConfigLine& line, std::size_t from);
  void add_node_set(const ConfigLine& line, std::size_t from);
  void add_down_nodes(const ConfigLine& line, std::size_t from);

  // Call once, after the last line: finds duplicates, resolves node sets and down nodes, gives
  // nodes without a Port the one of slurmd. Fills nodes and down_nodes.
  void finish(ClusterConfig& config);

  // REQUIRES: finish. The nodes that a Nodes= value names: ALL, node names and node sets, each
  // once; in the file's order where that is possible. Unknown ones are reported at `place`.
  Hostlist resolve(std::string_view key, std::string_view text, Place place) const;

 private:
  struct NodeSet {
    std::string name, feature, nodes;
    Place place;
    Hostlist members;
  };
  struct Down {
    Fields fields;
    Place place;
  };

  NodeSpec common_spec(const Fields& fields, Place place, std::string_view names);
  void spread(std::string_view key, const Fields& fields, std::size_t first, Place place);
  void spread_ports(const Fields& fields, std::size_t first, Place place);
  void find_duplicates();
  void resolve_node_sets();
  void resolve_down_nodes(ClusterConfig& config);
  void check_gres(std::string_view types);
  void report_unknown(std::string_view key, const Hostlist& unknown, Place place) const;

  Findings& findings_;
  Fields defaults_, down_defaults_;
  std::vector<NodeSpec> nodes_;
  std::vector<Place> places_;  // of each node
  std::vector<NodeSet> node_sets_;
  std::vector<Down> down_;
  Hostlist all_, known_;              // in the file's order, and sorted
  std::vector<std::string> guesses_;  // names to compare a mistyped one with
};

}  // namespace ym
