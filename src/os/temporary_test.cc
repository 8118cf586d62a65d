// SPDX-License-Identifier: Apache-2.0
#include "os/temporary.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/files.h"

namespace ym {
namespace {

TEST(Temporary, AFileIsNewOursAloneAndWhole) {
  std::string prefix = testing::TempDir() + "temporary-test-";
  auto one = write_temporary(prefix, "words"), other = write_temporary(prefix, "words");
  ASSERT_TRUE(one && other);
  EXPECT_NE(*one, *other);
  EXPECT_EQ(read_file(*one).value(), "words");
  struct stat found{};
  ASSERT_EQ(::stat(one->c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  ::unlink(one->c_str());
  ::unlink(other->c_str());
}

TEST(Temporary, WhereNothingCanBeWrittenItSaysSo) {
  auto made = write_temporary("/nowhere/at-all/x-", "words");
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().text.ends_with("cannot be written"));
}

}  // namespace
}  // namespace ym
