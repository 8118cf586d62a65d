// SPDX-License-Identifier: Apache-2.0
#include "controller/jobs/step_gres.h"

#include <algorithm>
#include <tuple>

#include "model/errc.h"
#include "model/gres_request.h"
#include "model/node_gres.h"
#include "schedule/gres.h"

namespace ym {
namespace {

// Parts of several GPUs will do for a step: the job has them anyway.
constexpr bool kMany = true;

// For each wish of the request and each node, what the step gets of the wishes for all its nodes.
Result<std::vector<GresDeal>> deals_for(const GresRequest& request,
                                        const std::vector<StepGresNode>& nodes) {
  std::vector<GresDeal> deals(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) deals[i].tasks = nodes[i].tasks;
  for (const GresWish& wish : request.wishes) {
    std::vector<std::uint64_t> parts(nodes.size(), 0);
    if (wish.per == GresPer::Job) {
      std::vector<std::uint64_t> free, all;
      for (const StepGresNode& one : nodes) {
        free.push_back(gres_free(one.room->free, wish.name, wish.type, kMany));
        all.push_back(gres_free(one.room->all, wish.name, wish.type, kMany));
      }
      parts = deal_out(wish.count, free);
      if (parts.empty())
        return refuse(deal_out(wish.count, all).empty() ? Errc::InvalidGres : Errc::NodesBusy);
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) deals[i].job_amounts.push_back(parts[i]);
  }
  return deals;
}

}  // namespace

Result<StepGresWish> step_gres_wish(const Job& job, const CreateStep& create) {
  const GresOptions& options = *create.gres;
  if (options.per_node == kNoGres) return StepGresWish{};
  auto request = understand(options);
  if (!request) return std::unexpected(request.error());
  request->many_per_shared = kMany;
  StepGresWish wish{.request = std::move(*request)};
  wish.all = wish.request.wishes.empty() && job.spec->extras->specials->gres;
  return wish;
}

StepGresRoom step_gres_room(const Job& job, const Node& node, bool overlap) {
  if (!job.allocation->gres || !node.gres) return {};
  GresShares taken;
  for (const Step& step : *job.steps)
    if (!overlap && !step.overlap)
      for (GresShare& share : gres_on(*step.gres, node.id)) taken.push_back(std::move(share));
  return {.all = gres_of_job(*node.gres, *job.allocation->gres, {}, node.id),
          .free = gres_of_job(*node.gres, *job.allocation->gres, taken, node.id)};
}

std::uint32_t step_gres_tasks(const StepGresWish& wish, const GresKinds& kinds,
                              const GresKinds& all, std::uint32_t tasks) {
  if (wish.all) return kinds == all ? tasks : 0;
  if (wish.request.wishes.empty()) return tasks;
  // What is asked for by the step as a whole is dealt out when its nodes are known.
  GresRequest by_node = wish.request;
  std::erase_if(by_node.wishes, [](const GresWish& one) { return one.per == GresPer::Job; });
  GresDeal deal{.tasks = tasks, .sockets = 1, .job_amounts = {}};
  return static_cast<std::uint32_t>(gres_tasks(by_node, kinds, deal));
}

Result<GresShares> give_step_gres(const Job& job, const StepGresWish& wish,
                                  const std::vector<StepGresNode>& nodes) {
  GresShares shares;
  if (wish.all) {
    for (const GresShare& share : *job.allocation->gres)
      if (std::ranges::find(nodes, share.node, &StepGresNode::node) != nodes.end())
        shares.push_back(share);
    return shares;
  }
  if (wish.request.wishes.empty()) return shares;
  auto deals = deals_for(wish.request, nodes);
  if (!deals) return std::unexpected(deals.error());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    GresKinds kinds = nodes[i].room->free;
    auto taken = take_gres(wish.request, kinds, (*deals)[i], nodes[i].node);
    if (!taken) return refuse(Errc::NodesBusy);
    std::ranges::move(*taken, std::back_inserter(shares));
  }
  std::ranges::sort(shares, {}, [](const GresShare& one) {
    return std::tuple(one.node, std::string_view(one.name), std::string_view(one.type));
  });
  return shares;
}

}  // namespace ym
