// SPDX-License-Identifier: Apache-2.0
#include "notation/licenses.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Licenses, AreAllWantedOrOneOfThem) {
  auto all = LicenseList::parse("matlab:2,ansys").value();
  EXPECT_FALSE(all.any);
  EXPECT_EQ(all.str(), "matlab:2,ansys:1");
  auto any = LicenseList::parse("matlab@lic1:2|ansys").value();
  EXPECT_TRUE(any.any);
  EXPECT_EQ(any.str(), "matlab@lic1:2|ansys:1");
  EXPECT_TRUE(LicenseList::parse("").value().terms.empty());
  EXPECT_EQ(LicenseList::parse("a:1,a:2").value().str(), "a:3");
}

TEST(Licenses, RefuseWhatIsNoNameOrNoCount) {
  for (const char* bad : {"a:x", ":2", "a,,b", "a:1,b|c", "a:-1", "a:1:2", "a b", "a:4294967295,a"})
    EXPECT_FALSE(LicenseList::parse(bad).has_value()) << bad;
}

}  // namespace
}  // namespace ym
