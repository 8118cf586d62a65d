// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/reboot.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

class RebootTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/reboot_test.XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string program(const std::string& end) {
    std::string path = folder_ + "/reboot";
    EXPECT_TRUE(write_file(path,
                           "#!/bin/sh\necho $SLURMD_NODENAME $1 >> " + folder_ + "/said\n" + end,
                           0755, Sync::No));
    return path;
  }
  // What the program has said when it has run so often, or when time is up.
  std::string said(std::size_t lines) {
    for (int tries = 0; tries < 1000; ++tries) {
      std::string text = read_file(folder_ + "/said").value_or("");
      if (split(text, '\n').size() > lines) return text;
      TimerId timer = loop_.after(Duration(10), [this] { loop_.stop(); });
      loop_.run();
      loop_.cancel(timer);
    }
    return "nothing";
  }

  std::string folder_;
  Loop loop_;
  Log log_{Log::Options{}};
  Reboot reboot_{loop_, log_, {.node = "n1", .configuration = "/etc/slurm.conf"}};
};

TEST_F(RebootTest, TheProgramGetsItsArgumentsAndKnowsTheNode) {
  reboot_.order(program("exit 0\n") + " -now", Instant{1});
  EXPECT_EQ(said(1), "n1 -now\n");
}

TEST_F(RebootTest, AWishThatWasObeyedIsNotObeyedAgainAndANewOneIs) {
  std::string path = program("exit 0\n");
  reboot_.order(path + " a", Instant{1});
  EXPECT_EQ(said(1), "n1 a\n");
  for (int tries = 0; tries < 1000 && said(1) == "n1 a\n"; ++tries) {
    reboot_.order(path + " b", Instant{1});
    reboot_.order(path + " c", Instant{2});  // once the first has ended
    TimerId timer = loop_.after(Duration(10), [this] { loop_.stop(); });
    loop_.run();
    loop_.cancel(timer);
  }
  EXPECT_EQ(said(2), "n1 a\nn1 c\n");
}

TEST_F(RebootTest, AProgramThatFailedRunsAgain) {
  std::string path = program("exit 1\n");
  reboot_.order(path, Instant{1});
  for (int tries = 0; tries < 1000 && said(1) == "n1\n"; ++tries) {
    reboot_.order(path, Instant{1});
    TimerId timer = loop_.after(Duration(10), [this] { loop_.stop(); });
    loop_.run();
    loop_.cancel(timer);
  }
  EXPECT_EQ(said(2).substr(0, 6), "n1\nn1\n");
}

TEST_F(RebootTest, WithoutAProgramNothingHappens) {
  reboot_.order("", Instant{1});
  reboot_.order("/no/such/program", Instant{2});
}

}  // namespace
}  // namespace ym
