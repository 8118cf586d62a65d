// SPDX-License-Identifier: Apache-2.0
#include "controller/jobs/step_gres.h"

#include <gtest/gtest.h>

#include "model/errc.h"
#include "model/node_gres.h"

namespace ym {
namespace {

// A job with three GPUs on node 1 and one on node 2, each of which has four.
class StepGres : public testing::Test {
 protected:
  StepGres() {
    for (std::uint32_t id : {1u, 2u}) {
      nodes_[id - 1].id = {id};
      NodeSpec spec{.name = "n", .gres = "gpu:4"};
      NodeRegistration found;
      found.gres = {{.name = "gpu", .count = 4, .files = "/dev/nvidia[0-3]"}};
      nodes_[id - 1].gres = Ref(gres_of(spec, found));
    }
    Allocation held;
    held.gres = Ref(GresShares{{.node = {1}, .name = "gpu", .count = 3, .devices = {0, 2, 3}},
                               {.node = {2}, .name = "gpu", .count = 1, .devices = {1}}});
    job_.allocation = Ref(std::move(held));
    ask_for_job(true);
  }
  void ask_for_job(bool some) {
    JobSpecials specials;
    if (some) specials.gres = Ref(GresRequest{});
    JobExtras extras;
    extras.specials = Ref(std::move(specials));
    JobSpec spec;
    spec.extras = Ref(std::move(extras));
    job_.spec = Ref(std::move(spec));
  }
  void running(GresShares shares, bool overlap) {
    Step step;
    step.overlap = overlap;
    step.gres = Ref(std::move(shares));
    job_.steps = Ref(std::vector<Step>{std::move(step)});
  }
  std::string given(GresOptions options, std::vector<std::uint32_t> tasks, bool overlap = false) {
    CreateStep create;
    create.overlap = overlap;
    if (!(options == GresOptions{})) create.gres = Ref(std::move(options));
    auto wish = step_gres_wish(job_, create);
    if (!wish) return wish.error().text;
    StepGresRoom rooms[2];
    std::vector<StepGresNode> takers;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      rooms[i] = step_gres_room(job_, nodes_[i], overlap);
      if (step_gres_tasks(*wish, rooms[i].free, rooms[i].all, tasks[i]) < tasks[i])
        return "no room";
      takers.push_back({nodes_[i].id, &rooms[i], tasks[i]});
    }
    auto shares = give_step_gres(job_, *wish, takers);
    if (!shares) return shares.error().text;
    std::string out = gres_detail_text(*shares, {1});
    return tasks.size() < 2 ? out : out + "; " + gres_detail_text(*shares, {2});
  }
  Job job_;
  Node nodes_[2];
};

TEST_F(StepGres, AStepThatAsksForNothingGetsAllOfItsNodes) {
  EXPECT_EQ(given({}, {1}), "gpu:3(IDX:0,2-3)");
  EXPECT_EQ(given({}, {1, 1}), "gpu:3(IDX:0,2-3); gpu:1(IDX:1)");
  EXPECT_EQ(given({.per_node = "none"}, {1}), "");
}

TEST_F(StepGres, OfAJobThatAskedForNothingItGetsNothing) {
  ask_for_job(false);
  EXPECT_EQ(given({}, {1}), "");
  EXPECT_EQ(given({.per_node = "gpu:2"}, {1}), "gpu:2(IDX:0,2)");
}

TEST_F(StepGres, WhatAnotherStepHasIsWaitedFor) {
  running({{.node = {1}, .name = "gpu", .count = 1, .devices = {2}}}, false);
  EXPECT_EQ(given({}, {1}), "no room");
  EXPECT_EQ(given({}, {1}, true), "gpu:3(IDX:0,2-3)") << "it overlaps";
  EXPECT_EQ(given({.per_node = "gpu:2"}, {1}), "gpu:2(IDX:0,3)");
  EXPECT_EQ(given({.per_job = "gpu:3"}, {1}), text_of(Errc::NodesBusy));
  EXPECT_EQ(given({.per_job = "gpu:4"}, {1}), text_of(Errc::InvalidGres));
  running({{.node = {1}, .name = "gpu", .count = 1, .devices = {2}}}, true);
  EXPECT_EQ(given({}, {1}), "gpu:3(IDX:0,2-3)") << "the other one overlaps";
}

TEST_F(StepGres, WhatIsForTheWholeStepIsDealtOut) {
  EXPECT_EQ(given({.per_job = "gpu:3"}, {1, 1}), "gpu:2(IDX:0,2); gpu:1(IDX:1)");
  EXPECT_EQ(given({.per_task = "gpu:1"}, {3, 1}), "gpu:3(IDX:0,2-3); gpu:1(IDX:1)");
  EXPECT_EQ(given({.per_task = "gpu:1"}, {3, 2}), "no room");
}

}  // namespace
}  // namespace ym
