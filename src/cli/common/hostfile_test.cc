// SPDX-License-Identifier: Apache-2.0
#include "cli/common/hostfile.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

TEST(Hostfile, NamesTheHostOfEachTask) {
  EXPECT_EQ(*hosts_of_file("n2\nn1\nn1\n"), "n[2,1,1]");
  EXPECT_EQ(*hosts_of_file("# mine\nn3*2, n[1-2]\n\n"), "n[3,3,1-2]");
}

TEST(Hostfile, NonsenseIsRefused) {
  EXPECT_FALSE(hosts_of_file(""));
  EXPECT_FALSE(hosts_of_file("# nothing\n"));
  EXPECT_FALSE(hosts_of_file("n1*0"));
  EXPECT_FALSE(hosts_of_file("n1*x"));
  EXPECT_FALSE(hosts_of_file("n[1"));
  EXPECT_FALSE(hosts_of_file("n1*9999999"));
  EXPECT_FALSE(hosts_of_file("n[1-1000000]*2"));
}

}  // namespace
}  // namespace ym::cli
