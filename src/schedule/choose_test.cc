// SPDX-License-Identifier: Apache-2.0
#include "schedule/choose.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.h"
#include "schedule/booking.h"
#include "schedule/placement.h"

namespace ym {
namespace {

// Six nodes n1 to n6 that take two tasks each; the even ones are fast.
class ChooseTest : public testing::Test {
 protected:
  ChooseTest() {
    for (std::uint32_t i = 0; i < 6; ++i)
      specs_[i] = {.name = fmt::format("n{}", i + 1), .features = i % 2 ? "fast,x" : "slow,x"};
  }
  std::vector<std::uint32_t> chosen(const JobSpec& spec, std::vector<std::uint32_t> without = {}) {
    std::vector<Candidate> candidates;
    for (std::uint32_t i = 0; i < 6; ++i)
      if (std::ranges::find(without, i + 1) == without.end())
        candidates.push_back(
            {.free = {.node = {i + 1}, .cpus = 2, .spec = &specs_[i]}, .capacity = 2});
    std::vector<std::uint32_t> numbers;
    for (const Candidate& one : choose(spec, candidates, {}))
      numbers.push_back(one.free.node.value);
    std::ranges::sort(numbers);
    return numbers;
  }
  static JobSpec asking(const char* features, std::uint32_t nodes) {
    JobSpec spec{.tasks = nodes, .min_nodes = nodes};
    spec.extras = Ref(JobExtras{.features = features});
    return spec;
  }
  NodeSpec specs_[6];
};
using Numbers = std::vector<std::uint32_t>;

TEST_F(ChooseTest, CountedFeaturesAreTheActiveOnes) {
  Node slow_now{.id = {2}, .spec = Ref(specs_[1])};
  slow_now.features_chosen = true;
  slow_now.active_features = "slow,x";
  Node fast{.id = {4}, .spec = Ref(specs_[3])};
  JobSpec spec = asking("[fast*1]", 1);
  for (Free (*view)(const Node&) : {+[](const Node& node) { return free_now(node); },
                                    +[](const Node& node) { return free_when_empty(node); }}) {
    auto chosen = choose(spec, {{.free = view(slow_now), .capacity = 2}}, {});
    EXPECT_TRUE(chosen.empty());
    chosen = choose(
        spec, {{.free = view(slow_now), .capacity = 2}, {.free = view(fast), .capacity = 2}}, {});
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_EQ(chosen[0].free.node, NodeId{4});
  }
}

TEST_F(ChooseTest, ContiguousNodesAreNeighbours) {
  JobSpec spec{.tasks = 3, .min_nodes = 3, .contiguous = true};
  EXPECT_EQ(chosen(spec), (Numbers{1, 2, 3}));
  EXPECT_EQ(chosen(spec, {2}), (Numbers{3, 4, 5}));
  EXPECT_EQ(chosen(spec, {2, 4}), Numbers{});
  EXPECT_EQ(chosen({.tasks = 5, .contiguous = true}, {2}), (Numbers{3, 4, 5}));
}

TEST_F(ChooseTest, ASpreadJobGetsAsManyNodesAsItHasTasks) {
  JobSpec spec{.tasks = 4};
  EXPECT_EQ(chosen(spec).size(), 2u);
  spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.spread = true})});
  EXPECT_EQ(chosen(spec).size(), 4u);
  spec.max_nodes = 3;
  EXPECT_EQ(chosen(spec).size(), 3u);
}

TEST_F(ChooseTest, ARangeOfNodesIsTakenAsFarAsThereAreNodesAndTasks) {
  JobSpec spec{.tasks = 2, .min_nodes = 2, .max_nodes = 4};
  EXPECT_EQ(chosen(spec).size(), 4u);
  EXPECT_EQ(chosen(spec, {1, 2, 3}).size(), 3u);
  EXPECT_EQ(chosen(spec, {1, 2, 3, 4, 5}), Numbers{});
  EXPECT_EQ(chosen({.tasks = 3, .min_nodes = 1, .max_nodes = 6}).size(), 3u);
  spec.contiguous = true;
  EXPECT_EQ(chosen(spec, {3}), (Numbers{4, 5, 6}));
  spec.contiguous = false;
  spec.extras = Ref(JobExtras{.features = "fast"});
  EXPECT_EQ(chosen(spec), (Numbers{2, 4, 6}));
  spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.use_min_nodes = true})});
  EXPECT_EQ(chosen(spec).size(), 2u);
}

TEST_F(ChooseTest, AListOfNodeCountsAllowsNoneBetweenThem) {
  JobSpec spec{.tasks = 2, .min_nodes = 2, .max_nodes = 5};
  spec.extras = Ref(JobExtras{.specials = Ref(JobSpecials{.node_counts = "2,5"})});
  EXPECT_EQ(chosen(spec).size(), 5u);
  EXPECT_EQ(chosen(spec, {1, 2}).size(), 2u);
  spec.tasks = 7;
  EXPECT_EQ(chosen(spec, {1, 2}), Numbers{}) << "two nodes have not enough, four it does not want";
}

TEST_F(ChooseTest, RequiredNodesAreAmongThem) {
  JobSpec spec{.tasks = 3, .min_nodes = 3};
  spec.extras = Ref(JobExtras{.required_nodes = "n[5-6]"});
  EXPECT_EQ(chosen(spec), (Numbers{1, 5, 6}));
  EXPECT_EQ(chosen(spec, {6}), Numbers{});
}

TEST_F(ChooseTest, ConstraintsCountNodesAndChooseOneForAll) {
  EXPECT_EQ(chosen(asking("fast", 2)), (Numbers{2, 4}));
  EXPECT_EQ(chosen(asking("[fast*1&slow*3]", 1)).size(), 4u);
  EXPECT_EQ(chosen(asking("[fast*4&slow*1]", 1)), Numbers{});
  EXPECT_EQ(chosen(asking("[fast|slow]", 3), {2}), (Numbers{1, 3, 5}));
  EXPECT_EQ(chosen(asking("fast*2&x*2", 2)), (Numbers{2, 4})) << "a node counts for both";
  EXPECT_EQ(chosen(asking("fast*2", 3)).size(), 3u);
}

TEST(Forecast, ALimitGivesAnEndAndNoneGivesNone) {
  EXPECT_EQ(latest_end({.time_limit_s = 5}, {1000}), Instant{6000});
  EXPECT_EQ(latest_end({.time_limit_s = JobSpec::kUnlimited}, {1000}), kNever);
}

}  // namespace
}  // namespace ym
