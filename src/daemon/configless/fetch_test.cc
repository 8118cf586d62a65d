// SPDX-License-Identifier: Apache-2.0
#include "daemon/configless/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "os/files.h"

namespace ym {
namespace {

using testing::HasSubstr;

class FetchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-fetch-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    ::setenv("SLURM_KEY_FILE", (dir_ + "/slurm.key").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("SLURM_KEY_FILE");
    std::filesystem::remove_all(dir_);
  }
  std::string dir_;
};

TEST_F(FetchTest, SeveralServersMayBeNamed) {
  auto servers = parse_conf_servers("one,two:7000");
  ASSERT_TRUE(servers) << servers.error().text;
  ASSERT_EQ(servers->size(), 2u);
  EXPECT_EQ(servers->at(0), (Address{.host = "one", .port = kControllerPort}));
  EXPECT_EQ(servers->at(1), (Address{.host = "two", .port = 7000}));
  EXPECT_FALSE(parse_conf_servers(""));
  EXPECT_FALSE(parse_conf_servers("one,two:seven"));
  EXPECT_FALSE(parse_conf_servers("one,two:0"));
  EXPECT_FALSE(parse_conf_servers("one,/run/slurm.sock"));
}

TEST_F(FetchTest, TheFolderHoldsWhatWasSentAndNothingOlder) {
  std::string folder = dir_ + "/conf";
  auto path = keep_files(
      {.files = {{.name = "slurm.conf", .text = "first"}, {.name = "gres.conf", .text = "g"}}},
      folder);
  ASSERT_TRUE(path) << path.error().text;
  EXPECT_EQ(*path, folder + "/slurm.conf");
  ASSERT_TRUE(write_file(folder + "/slurm.key", "ours", 0600));
  ASSERT_TRUE(keep_files(
      {.files = {{.name = "slurm.conf", .text = "second"}, {.name = "topology.yaml", .text = "t"}}},
      folder));
  EXPECT_EQ(*read_file(folder + "/slurm.conf"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder + "/gres.conf"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/topology.yaml"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/slurm.key")) << "not one of the controller's";
}

TEST_F(FetchTest, NoFileIsWrittenElsewhere) {
  for (const char* name : {"../slurm.conf", "/etc/passwd", ".profile", "", "a/b"}) {
    auto kept =
        keep_files({.files = {{.name = "slurm.conf", .text = "x"}, {.name = name, .text = "evil"}}},
                   dir_ + "/conf");
    EXPECT_FALSE(kept) << name;
    EXPECT_FALSE(std::filesystem::exists(dir_ + "/conf/slurm.conf")) << "nothing at all";
  }
  EXPECT_FALSE(keep_files({.files = {{.name = "gres.conf", .text = "x"}}}, dir_ + "/conf"));
}

TEST_F(FetchTest, ANodeKeepsThemInTheSpoolThatTheyName) {
  ConfigFiles files{.files = {{.name = "slurm.conf",
                               .text = "ClusterName=a\nSlurmctldHost=far\nSlurmdSpoolDir=/s/%n\n"
                                       "NodeName=n1\nPartitionName=p Nodes=ALL\n"}}};
  EXPECT_EQ(node_folder(files, "n1").value_or(""), "/s/n1/conf-cache");
  files.files[0].text += "Include other.conf\n";
  EXPECT_THAT(node_folder(files, "n1").error().text, HasSubstr("other.conf"));
}

TEST_F(FetchTest, WithoutTheKeyNobodyIsAskedAndNothingWaitedFor) {
  auto files = fetch_patiently({{.host = "127.0.0.1", .port = 1}},
                               [](const std::string&, Duration) { FAIL() << "it waits"; });
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().code, kNobodyThere);
  EXPECT_THAT(files.error().text, HasSubstr("slurm.key"));
}

TEST_F(FetchTest, WaitsWhileNobodyIsThereAndSaysForWhom) {
  ASSERT_TRUE(write_file(dir_ + "/slurm.key", std::string(32, 'k'), 0600));
  // Port 1 of the loopback: nobody listens.
  std::vector<Address> servers = {{.host = "127.0.0.1", .port = 1}};
  std::vector<Duration> pauses;
  auto files = fetch_patiently(servers, [&](const std::string& why, Duration pause) {
    EXPECT_THAT(why, HasSubstr("127.0.0.1:1"));
    pauses.push_back(pause);
    if (pauses.size() == 3) std::filesystem::remove(dir_ + "/slurm.key");  // ends the waiting
  });
  EXPECT_FALSE(files);
  ASSERT_EQ(pauses.size(), 3u);
  EXPECT_LT(pauses[0], pauses[2]);
}

TEST_F(FetchTest, TheRuntimeDirectoryCountsWhereCommandsLook) {
  ::unsetenv("RUNTIME_DIRECTORY");
  EXPECT_EQ(login_folder(), "/run/slurm/conf");
  ::setenv("RUNTIME_DIRECTORY", "/run/slurm:/run/other", 1);
  EXPECT_EQ(login_folder(), "/run/slurm/conf");
  ::unsetenv("RUNTIME_DIRECTORY");
}

}  // namespace
}  // namespace ym
