// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/fences.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {

Result<FenceHub::Answer> FenceHub::take(std::uint32_t from, StepFence part) {
  if (from >= gone_.size()) return fail("a node that is not of this step wants to meet the others");
  auto known = std::ranges::find(answered_, part.key, &StepFence::key);
  if (known != answered_.end()) return Answer{.all = *known, .to = {from}};
  auto found = under_way_.find(part.key);
  if (found == under_way_.end()) {
    if (under_way_.size() >= kOperationsMax) return fail("too many operations are under way");
    found = under_way_.emplace(part.key, Operation{}).first;
    Operation& fresh = found->second;
    fresh.nodes = std::move(part.nodes);
    if (fresh.nodes.empty()) {
      fresh.nodes.resize(gone_.size());
      std::iota(fresh.nodes.begin(), fresh.nodes.end(), 0u);
    }
  }
  Operation& operation = found->second;
  for (std::uint32_t node : operation.nodes) {
    if (node >= gone_.size() || (gone_[node] && !operation.parts.contains(node)))
      return fail(
          fmt::format("its tasks wait for node number {}, where all tasks have ended", node));
  }
  if (std::ranges::find(operation.nodes, from) == operation.nodes.end())
    return fail(fmt::format("node number {} takes part in what is not its own", from));
  std::size_t size = part.data.size();
  if (!operation.parts.emplace(from, std::move(part.data)).second) return Answer{};
  operation.bytes += size;
  if (operation.bytes > kBytesMax)
    return fail(fmt::format("its tasks exchange more than {} bytes at once", kBytesMax));
  if (operation.parts.size() < operation.nodes.size()) return Answer{};

  Answer answer{.all = {.key = part.key}, .to = std::move(operation.nodes)};
  answer.all.data.reserve(operation.bytes);
  for (const auto& [node, data] : operation.parts) answer.all.data += data;
  under_way_.erase(found);
  answered_.push_back(answer.all);
  if (answered_.size() > kAnswersKept) answered_.pop_front();
  return answer;
}

Status FenceHub::leave(std::uint32_t node) {
  if (node >= gone_.size()) return {};
  gone_[node] = true;
  for (const auto& [key, operation] : under_way_) {
    bool awaited = std::ranges::find(operation.nodes, node) != operation.nodes.end() &&
                   !operation.parts.contains(node);
    if (awaited) return fail("other tasks of the MPI program wait for this node's");
  }
  return {};
}

}  // namespace ym::cli
