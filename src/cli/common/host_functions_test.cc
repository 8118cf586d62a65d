// SPDX-License-Identifier: Apache-2.0
#include "cli/common/host_functions.h"

#include <gtest/gtest.h>

#include "cli/common/made_up_rows.h"

namespace ym::cli {
namespace {

HostSources sources() {
  return {.nodes = []() -> Result<std::vector<NodeRow>> {
            std::vector<NodeRow> rows;
            for (std::uint32_t i = 1; i <= 4; ++i) {
              NodeRow row = made_up::node(i);
              NodeSpec spec = *row.node.spec;
              spec.features = i % 2 ? "odd,all" : "all";
              row.node.spec = Ref(std::move(spec));
              rows.push_back(std::move(row));
            }
            return rows;
          },
          .topology = []() -> Result<Topology> {
            return parse_topology_conf("t", [](const std::string&) -> Result<std::string> {
              return "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n"
                     "SwitchName=top Switches=s[1-2]\n"
                     "BlockName=b1 Nodes=n[1-3]\nBlockName=b2 Nodes=n4\n"
                     "RingName=r1 Nodes=n[3-4]\nRingName=r2 Nodes=n[1-2]\n";
            });
          }};
}

std::string resolved(std::string_view text) {
  auto list = resolve_hosts(text, sources());
  return list ? list->str() : "error: " + list.error().text;
}

TEST(HostFunctions, MeanNodes) {
  EXPECT_EQ(resolved("feature{odd}"), "n[1,3]");
  EXPECT_EQ(resolved("switch{s2}"), "n[3-4]");
  EXPECT_EQ(resolved("switch{top}"), "n[1-4]");
  EXPECT_EQ(resolved("switch{s[1-2]}"), "n[1-4]");
  EXPECT_EQ(resolved("switchwith{n2}"), "n[1-2]");
  EXPECT_EQ(resolved("block{b1,b2}"), "n[1-4]");
  EXPECT_EQ(resolved("blockwith{n3}"), "n[1-3]");
  EXPECT_EQ(resolved("ring{r1}"), "n[3-4]");
  EXPECT_EQ(resolved("ringwith{n1}"), "n[1-2]");
}

TEST(HostFunctions, OfATorusMeanItsCells) {
  TopologyTorus torus{.name = "pod", .size = {2, 2, 1}, .nodes = {"n1", "", "n3", "n2"}};
  EXPECT_EQ(hosts_of(torus).str(), "n[1,3,2]");
  HostSources given = sources();
  given.topology = [&]() -> Result<Topology> { return Topology{.name = "t", .tori = {torus}}; };
  EXPECT_EQ(resolve_hosts("torus{pod}", given)->count(), 3u);
  EXPECT_EQ(resolve_hosts("toruswith{n2}", given)->count(), 3u);
  EXPECT_EQ(resolve_hosts("torus3dwith{n2}", given)->count(), 3u);
}

TEST(HostFunctions, StandAmongOtherNames) {
  EXPECT_EQ(resolved("x[1-2],switch{s1},y"), "x[1-2],n[1-2],y");
  EXPECT_EQ(resolved("n[7-9]"), "n[7-9]");
}

TEST(HostFunctions, ThatAreWrongSaySo) {
  EXPECT_EQ(resolved("switch{s9}"), "error: there is no switch s9");
  EXPECT_EQ(resolved("switch{s1"), "error: '{' without '}'");
  EXPECT_EQ(resolved("switch{s1}x"), "error: behind '}' a ',' or the end is expected");
  EXPECT_TRUE(resolved("colour{red}").starts_with("error: there is no function colour{}"));
}

TEST(HostFunctions, AskNobodyWhereNoneIs) {
  HostSources nobody;
  auto list = resolve_hosts("n[1-3]", nobody);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->str(), "n[1-3]");
}

}  // namespace
}  // namespace ym::cli
