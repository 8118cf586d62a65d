// SPDX-License-Identifier: Apache-2.0
#include "notation/gres.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

using Terms = std::vector<GresTerm>;

TEST(Gres, IsANameATypeAndACount) {
  EXPECT_EQ(*parse_gres("gpu"), (Terms{{.name = "gpu"}}));
  EXPECT_EQ(*parse_gres("gpu:2"), (Terms{{.name = "gpu", .count = 2}}));
  EXPECT_EQ(*parse_gres("gpu:a100"), (Terms{{.name = "gpu", .type = "a100"}}));
  EXPECT_EQ(*parse_gres("gres/gpu:a100=4,bw:1K"),
            (Terms{{.name = "gpu", .type = "a100", .count = 4}, {.name = "bw", .count = 1024}}));
  EXPECT_TRUE(parse_gres("")->empty());
}

TEST(Gres, CountsTwiceWhatStandsTwice) {
  EXPECT_EQ(*parse_gres("gpu:1,gpu:2"), (Terms{{.name = "gpu", .count = 3}}));
}

TEST(Gres, OfNodesMayBeForEveryoneAndShowItsSockets) {
  EXPECT_EQ(*parse_node_gres("bw:lustre:no_consume:4G,gpu:a100:2(S:0-1)"),
            (Terms{{.name = "bw", .type = "lustre", .count = 4ULL << 30, .no_consume = true},
                   {.name = "gpu", .type = "a100", .count = 2}}));
  EXPECT_EQ(print_gres(*parse_node_gres("t:no_consume:3")), "t:no_consume:3");
}

TEST(Gres, RefusesWhatIsNone) {
  for (const char* wrong : {"gpu:", ":2", "gpu:a:b:2", "gpu:2:2", "gpu,", "a b",
                            "gpu:a:99999999999P", "gres", "gres:2"})
    EXPECT_FALSE(parse_gres(wrong)) << wrong;
}

TEST(Gres, FilesAreExpandedWithTheirZeros) {
  EXPECT_EQ(*expand_files("/dev/nvidia[0-1,3],/dev/x"),
            (std::vector<std::string>{"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia3", "/dev/x"}));
  EXPECT_EQ(*expand_files("/d/c[08-10]n"),
            (std::vector<std::string>{"/d/c08n", "/d/c09n", "/d/c10n"}));
  for (const char* wrong : {"/d[", "/d]", "/d[2-1]", "/d[0-5000]", "/d[x]", "/d[0][1]"})
    EXPECT_FALSE(expand_files(wrong)) << wrong;
}

}  // namespace
}  // namespace ym
