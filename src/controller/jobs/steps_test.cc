// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/yard_for_test.h"
#include "model/errc.h"

namespace ym {
namespace {

// Three nodes of two sockets, two cores each, two threads each; job 1 has all of them.
class StepCreation : public testing::Test, protected Yard {
 protected:
  StepCreation() : Yard(three_nodes()) {
    SubmitJob submit;
    submit.spec.name = "j";
    submit.spec.time_limit_s = 60;
    submit.spec.tasks = submit.spec.min_nodes = 3;
    submit.spec.exclusive = true;
    submit_and_start(submit);
  }
  static ClusterConfig three_nodes() {
    return cluster(
        3,
        {.cpus = 8, .sockets = 2, .cores_per_socket = 2, .threads_per_core = 2, .memory_mb = 1000});
  }
  Answer ask(CreateStep create) {
    create.job = {1};
    controller.create_step({1}, create, ada(), now, out);
    return settle().replies.back().answer;
  }
  // "n1:0,1/8 n2:2,3/8": node, ranks, CPUs; or the refusal.
  std::string layout(const CreateStep& create) {
    Answer answer = ask(create);
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    const auto& created = std::get<StepCreated>(answer);
    std::string text;
    for (std::size_t i = 0; i < created.step.shares.size(); ++i) {
      const StepShare& share = created.step.shares[i];
      text += fmt::format("{}{}:", i ? " " : "", created.nodes[i].name);
      for (std::uint32_t n = 0; n < share.tasks; ++n)
        text += fmt::format("{}{}", n ? "," : "", share.rank(n));
      text += fmt::format("/{}", share.cpus);
    }
    return text;
  }
  // The same without the CPUs, of a step that shares with all others.
  std::string ranks(const char* distribution, CreateStep create) {
    create.overlap = true;
    create.binding.distribution = distribution;
    std::string text = layout(create), out_text;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '/') {
        out_text += text[at];
        continue;
      }
      while (at + 1 < text.size() && text[at + 1] != ' ') ++at;
    }
    return out_text;
  }
};

TEST_F(StepCreation, TasksAreLaidOutAsTheDistributionSays) {
  CreateStep four{.tasks = 4, .nodes = 2};
  EXPECT_EQ(ranks("", four), "n1:0,1 n2:2,3");
  EXPECT_EQ(ranks("block", four), "n1:0,1 n2:2,3");
  EXPECT_EQ(ranks("cyclic", four), "n1:0,2 n2:1,3");
  EXPECT_EQ(ranks("plane=3", {.tasks = 8, .nodes = 2}), "n1:0,1,2,6,7 n2:3,4,5");
  EXPECT_EQ(ranks("block,Pack", {.tasks = 9, .nodes = 2}), "n1:0,1,2,3,4,5,6,7 n2:8");
  EXPECT_EQ(ranks("", {.nodes = 3}), "n1:0 n2:1 n3:2");
  EXPECT_EQ(ranks("", {.tasks = 9}), "n1:0,1,2 n2:3,4,5 n3:6,7,8");
  EXPECT_NE(ranks("nonsense", four).find("no way to lay tasks out"), std::string::npos);
}

TEST_F(StepCreation, AnArbitraryLayoutFollowsTheListOfHosts) {
  CreateStep create{.tasks = 4, .node_list = "n3,n1,n3,n1"};
  EXPECT_EQ(ranks("arbitrary", create), "n3:0,2 n1:1,3");
  create.tasks = 5;
  EXPECT_EQ(ranks("arbitrary", create), "Node count specification invalid");
  create = {.tasks = 1, .node_list = "n9"};
  EXPECT_EQ(ranks("arbitrary", create), "Invalid node name specified");
}

TEST_F(StepCreation, TasksPerNodeSocketAndCoreAreLimits) {
  EXPECT_EQ(ranks("", {.tasks = 3, .tasks_per_node = 1}), "n1:0 n2:1 n3:2");
  EXPECT_EQ(ranks("", {.tasks = 3, .max_nodes = 2, .binding = {.tasks_per_socket = 1}}),
            "n1:0,1 n2:2");
  EXPECT_EQ(ranks("", {.tasks = 5, .max_nodes = 2, .binding = {.tasks_per_core = 1}}),
            "n1:0,1,2 n2:3,4");
  EXPECT_EQ(ranks("", {.tasks = 25}), "More processors requested than permitted");
}

TEST_F(StepCreation, UnusedThreadsBelongToTheStep) {
  CreateStep single{.tasks = 2, .nodes = 1, .binding = {.threads_per_core = 1}};
  EXPECT_EQ(layout(single), "n1:0,1/4");
}

TEST_F(StepCreation, AWholeStepWaitsForAllCpusOfItsNodes) {
  EXPECT_EQ(layout({.tasks = 1, .nodes = 1}), "n1:0/1");
  EXPECT_EQ(layout({.tasks = 1, .whole = true}), "n2:0/8");
  EXPECT_EQ(layout({.tasks = 3, .nodes = 3, .whole = true}), "Requested nodes are busy");
  EXPECT_EQ(layout({.tasks = 3, .nodes = 3, .overlap = true, .whole = true}),
            "n1:0/8 n2:1/8 n3:2/8");
}

TEST_F(StepCreation, AFixedNumberOfNodesMayBeTheRoomierOnes) {
  EXPECT_EQ(layout({.tasks = 6, .nodes = 1}), "n1:0,1,2,3,4,5/6");
  EXPECT_EQ(layout({.tasks = 8, .nodes = 1}), "n2:0,1,2,3,4,5,6,7/8");
}

TEST_F(StepCreation, WithoutAWishAllNodesTakePart) {
  EXPECT_EQ(ranks("", {.tasks = 2}), "n1:0 n2:1");
  EXPECT_EQ(ranks("", {.tasks = 4, .max_nodes = 2}), "n1:0,1 n2:2,3");
  EXPECT_EQ(ranks("", {.tasks = 4, .nodes = 1, .max_nodes = 3}), "n1:0,1 n2:2 n3:3");
  // Of those that are busy now it waits for.
  EXPECT_EQ(layout({.tasks = 8, .nodes = 1}), "n1:0,1,2,3,4,5,6,7/8");
  EXPECT_EQ(layout({.tasks = 3}), "Requested nodes are busy");
  EXPECT_EQ(layout({.tasks = 3, .nodes = 1, .max_nodes = 3}), "n2:0,1/2 n3:2/1");
}

TEST_F(StepCreation, WhatNeverFitsIsRefusedAtOnce) {
  EXPECT_EQ(layout({.tasks = 9, .nodes = 1}), "More processors requested than permitted");
  EXPECT_EQ(layout({.tasks = 17, .nodes = 1, .max_nodes = 2}),
            "More processors requested than permitted");
  EXPECT_EQ(layout({.tasks = 4, .nodes = 4}), "Node count specification invalid");
  EXPECT_EQ(layout({.tasks = 3, .nodes = 3, .excluded_nodes = "n2"}),
            "Node count specification invalid");
}

TEST_F(StepCreation, NamedNodesAreAmongThoseThatItGets) {
  EXPECT_EQ(ranks("", {.tasks = 2, .node_list = "n3"}), "n3:0,1");
  EXPECT_EQ(ranks("", {.tasks = 2, .node_list = "n2,n3"}), "n2:0 n3:1");
  EXPECT_EQ(ranks("", {.tasks = 2, .nodes = 2, .node_list = "n3"}), "n1:0 n3:1");
  EXPECT_EQ(ranks("", {.nodes = 2, .node_list = "n2", .excluded_nodes = "n1"}), "n2:0 n3:1");
}

TEST_F(StepCreation, NodesHaveTheFeaturesThatItAsksFor) {
  controller.update_nodes({2}, {.nodes = "n3", .features = "d,e"}, root(), now, out);
  controller.update_nodes({3}, {.nodes = "n2", .features = "e"}, root(), now, out);
  settle();
  EXPECT_EQ(ranks("", {.tasks = 1, .features = "d"}), "n3:0");
  EXPECT_EQ(ranks("", {.tasks = 2, .features = "e"}), "n2:0 n3:1");
  EXPECT_EQ(ranks("", {.tasks = 1, .features = "d*1&e*1"}), "n2:0");
  EXPECT_EQ(ranks("", {.tasks = 2, .nodes = 2, .features = "[d|e]"}), "n2:0 n3:1");
  EXPECT_EQ(ranks("", {.tasks = 1, .features = "nosuch"}),
            "Requested node configuration is not available");
  EXPECT_EQ(ranks("", {.tasks = 1, .features = "d&&"}), "Invalid feature specification");
}

TEST_F(StepCreation, OvercommitHasALimit) {
  EXPECT_EQ(ranks("", {.tasks = 100000, .overcommit = true}),
            "More processors requested than permitted");
  EXPECT_EQ(layout({.tasks = 2, .cpus_per_task = 8, .nodes = 1, .overcommit = true}), "n1:0,1/8");
}

TEST_F(StepCreation, TheSameRequestAgainGetsTheSameStep) {
  CreateStep create{.tasks = 1, .key = "k1"};
  auto first = std::get<StepCreated>(ask(create));
  auto again = std::get<StepCreated>(ask(create));
  EXPECT_EQ(first.step, again.step);
  EXPECT_EQ(first.nodes.size(), again.nodes.size());
  create.key = "k2";
  EXPECT_NE(std::get<StepCreated>(ask(create)).step.id, first.step.id);
  EXPECT_EQ(controller.state().find(JobId{1})->steps->size(), 2u);
}

// srun's words are bounded by what srun takes; this is about those who speak for themselves.
TEST_F(StepCreation, WhatIsSaidOfAStepIsKeptWithinBounds) {
  std::string much(100000, 'x');
  StepTexts texts{.submit_line = much, .std_out = much, .network = "net"};
  texts.host = texts.distribution = texts.gres.per_task = texts.gres.flags = much;
  auto created = std::get<StepCreated>(ask({.tasks = 1, .texts = Ref(texts)}));
  const StepTexts& kept = *created.step.texts;
  EXPECT_EQ(kept.submit_line.size(), kSubmitLineMax);
  EXPECT_EQ(kept.std_out.size(), 4096u);
  EXPECT_EQ(kept.network, "net");
  for (const std::string* text :
       {&kept.host, &kept.distribution, &kept.gres.per_task, &kept.gres.flags})
    EXPECT_EQ(text->size(), 1024u);
}

}  // namespace
}  // namespace ym
