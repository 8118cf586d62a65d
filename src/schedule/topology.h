// SPDX-License-Identifier: Apache-2.0
// Nodes in groups, and groups in groups: switches of a tree, blocks and aggregated blocks. A job
// gets nodes of the lowest group that has enough, and among its leaves of as few as possible, so
// that its messages go short ways and large groups stay whole for large jobs.
//
// Rings and tori are leaves without anything above them. Within a ring a job gets an arc, within a
// torus one of the boxes that the site allows (topology_windows.cc).
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ref.h"
#include "model/ids.h"
#include "model/topology.h"

namespace ym {

struct State;
struct NodeShare;
struct Candidate;
struct NodesWanted;

struct NodeGroups {
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Group {
    std::string name;
    std::uint32_t parent = kNone;  // its number
    std::uint32_t level = 0;       // 0: a leaf
    std::uint32_t nodes = 0;       // in all, below it
    bool operator==(const Group&) const = default;
  };
  TopologyKind kind = TopologyKind::Flat;
  std::vector<Group> groups;        // the lowest first
  std::vector<std::uint32_t> leaf;  // of each node, by its id; kNone: behind none
  bool only_on_request = false;     // TopologyParam=TopoOptional
  // Of each leaf; of a ring in its order, and there none (0) for a node that is not known.
  std::vector<std::vector<NodeId>> members;
  struct Box {
    std::uint32_t torus = 0;  // its leaf
    std::vector<NodeId> nodes;
    bool operator==(const Box&) const = default;
  };
  std::vector<Box> boxes;  // of the tori, the smallest first

  std::uint32_t leaf_of(NodeId node) const {
    return node.value < leaf.size() ? leaf[node.value] : kNone;
  }
  bool operator==(const NodeGroups&) const = default;
};

// The groups of a topology, for the nodes of that state. O(nodes + switches).
NodeGroups make_groups(const Topology& topology, const State& state);

// By the partitions' name for it; "": of those that name none. Made anew when the configuration or
// the set of nodes changes.
using Topologies = std::map<std::string, Ref<NodeGroups>, std::less<>>;

// What a job asks of the groups.
struct GroupWish {
  std::uint32_t leaves_max = 0;       // --switches; 0: no limit
  std::uint32_t segment = 0;          // --segment: nodes come in so many of one leaf; 0: no wish
  bool segments_together = false;     // --consolidate-segments
  std::vector<NodeId> required = {};  // of which none may be missing; heeded in rings and tori
  bool segments_apart = false;        // --spread-segments: a leaf has one at most
};

// Which candidates a job takes, as places in `candidates`, which are sorted by taste (the ones to
// be taken first stand first); empty: they do not suffice. The caller makes the allocation of them.
// O(candidates log candidates + groups that they are in).
std::vector<std::uint32_t> arrange(const NodeGroups& groups, const std::vector<Candidate>& sorted,
                                   const NodesWanted& wanted, const GroupWish& wish);

// How much a choice of nodes breaks up, the less the better: leaves beyond those that so many nodes
// need, and leaves, or in a torus boxes, that were all free and are not any more, yet are not used
// up by it either. O(nodes of the leaves that are touched).
std::uint32_t fragmentation(const NodeGroups& groups, const std::vector<NodeId>& chosen,
                            const std::function<bool(NodeId)>& is_free);

// The nodes of all leaves that these are in, and themselves; ascending.
std::vector<NodeId> blocks_around(const NodeGroups& groups, const std::vector<NodeShare>& shares);

}  // namespace ym
