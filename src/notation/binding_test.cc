// SPDX-License-Identifier: Apache-2.0
#include "notation/binding.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(CpuBind, KnowsItsWords) {
  EXPECT_EQ(CpuBind::parse("cores")->kind, CpuBindKind::Cores);
  EXPECT_EQ(CpuBind::parse("socket")->kind, CpuBindKind::Sockets);
  EXPECT_EQ(CpuBind::parse("verbose,threads")->kind, CpuBindKind::Threads);
  EXPECT_TRUE(CpuBind::parse("v,none")->verbose);
  EXPECT_FALSE(CpuBind::parse("quiet,none")->verbose);
  EXPECT_EQ(CpuBind::parse("verbose")->kind, CpuBindKind::Auto);
  EXPECT_TRUE(CpuBind::parse("help")->help);
  EXPECT_EQ(CpuBind::parse("").value(), CpuBind{});
}

TEST(CpuBind, AMapGivesEachTaskItsCpuAndStartsAgain) {
  auto bind = CpuBind::parse("verbose,map_cpu:0*2,3,0x10,verbose").value();
  EXPECT_TRUE(bind.verbose);
  EXPECT_EQ(bind.kind, CpuBindKind::Map);
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t task = 0; task < 6; ++task) cpus.push_back(bind.list.of(task).front());
  EXPECT_EQ(cpus, (std::vector<std::uint32_t>{0, 0, 3, 16, 0, 0}));
}

TEST(CpuBind, MasksAreHexadecimalWithOrWithoutPrefix) {
  auto bind = CpuBind::parse("mask_cpu:0x3,f0*2").value();
  EXPECT_EQ(bind.list.of(0), (CpuNumbers{0, 1}));
  EXPECT_EQ(bind.list.of(2), (CpuNumbers{4, 5, 6, 7}));
  EXPECT_EQ(bind.str(), "quiet,mask_cpu:0x3,0xf0*2");
}

TEST(CpuBind, NonsenseIsRefused) {
  for (const char* text :
       {"core,thread", "map_cpu", "map_cpu:", "map_cpu:a", "map_cpu:0*0", "map_cpu:0*", "cores:1",
        "mask_cpu:", "mask_cpu:0", "mask_cpu:xyz", "bogus", ",", "map_cpu:0,", "map_cpu:99999",
        "map_cpu:0*99999999999", "map_mem:0"}) {
    auto bind = CpuBind::parse(text);
    ASSERT_FALSE(bind) << text;
    EXPECT_TRUE(bind.error().text.ends_with("; see --cpu-bind=help")) << text;
  }
}

TEST(MemBind, KnowsItsWords) {
  EXPECT_EQ(MemBind::parse("local")->kind, MemBindKind::Local);
  auto map = MemBind::parse("verbose,prefer,map_mem:0,1").value();
  EXPECT_TRUE(map.verbose && map.prefer);
  EXPECT_EQ(map.list.of(3), CpuNumbers{1});
  EXPECT_EQ(map.str(), "verbose,prefer,map_mem:0,1");
  EXPECT_TRUE(MemBind::parse("sort,local")->sort);
  EXPECT_FALSE(MemBind::parse("cores"));
  EXPECT_FALSE(MemBind::parse("mask_mem:zz"));
}

TEST(Hint, IsOneOfFour) {
  EXPECT_EQ(*parse_hint("nomultithread"), Hint::NoMultithread);
  EXPECT_EQ(*parse_hint("memory_bound"), Hint::MemoryBound);
  EXPECT_EQ(parse_hint("fast").error().text, "\"fast\" is no hint; see --hint=help");
}

TEST(Binding, WhatIsPrintedIsReadAgain) {
  for (const char* text : {"verbose,map_cpu:0,7*3", "mask_ldom:0x1,0x2", "rank", "none", "verbose",
                           "ldoms", "help", "rank_ldom", "map_ldom:1"}) {
    auto bind = CpuBind::parse(text);
    ASSERT_TRUE(bind) << text;
    EXPECT_EQ(CpuBind::parse(bind->str()), bind) << text;
  }
}

}  // namespace
}  // namespace ym
