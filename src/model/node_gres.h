// SPDX-License-Identifier: Apache-2.0
// What a node has of generic resources, and who holds what of it. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/gres.h"
#include "model/job.h"
#include "model/node.h"

namespace ym {

// shard and mps: parts of the GPUs.
bool is_shared_gres(std::string_view name);

// slurm.conf says how many there are, the registration which: with their files, types and cores.
// What is found beyond the configured number does not count. Nothing of it is in use.
GresKinds gres_of(const NodeSpec& spec, const NodeRegistration& registration);

// Of what was found, what slurm.conf knows of: not more than it says, and with its types where the
// node has none.
std::vector<GresItem> trim_gres(const NodeSpec& spec, std::vector<GresItem> found);

// What of slurm.conf the node does not have, in Slurm's words; empty if nothing is missing.
std::string gres_shortcoming(const NodeSpec& spec, const NodeRegistration& registration);

// Marks what the share says as held, or as given back. A kind that is no longer there is passed
// over both times, so that the two cancel out.
void hold_gres(GresKinds& kinds, const GresShare& share);
void release_gres(GresKinds& kinds, const GresShare& share);
// Of the list, those of one node.
GresShares gres_on(const GresShares& shares, NodeId node);

// --- for people ---
// 4294967296 is 4G.
std::string print_gres_count(std::uint64_t count);
// "gpu:a100:2(S:0-1),tool:3": what there is; as configured until the node has registered.
std::string gres_text(const Node& node);
// "gpu:a100:1(IDX:0),shard:2(2/4,0/4),tool:0"
std::string gres_used_text(const Node& node);
// "gpu:a100:1(IDX:0),tool(CNT:2)": what a job has on one node.
std::string gres_detail_text(const GresShares& shares, NodeId node);
// "gpu:a100:3,tool:2": on all of them.
std::string gres_total_text(const GresShares& shares);
// "gres/gpu=3,gres/gpu:a100=3", as TRES= shows it; with a comma before it if it is not empty.
std::string gres_tres_text(const GresShares& shares);
std::string gres_tres_text(const GresKinds& kinds, bool used);

}  // namespace ym
