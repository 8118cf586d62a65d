// SPDX-License-Identifier: Apache-2.0
#include "net/key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "net/test_room.h"

namespace ym {
namespace {

using testing::HasSubstr;

TEST(Key, IsMadeOnceWithModeOwnerOnly) {
  TempDir dir;
  std::string path = dir / "cluster.key";
  auto made = load_or_create_key(path, system_entropy());
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->bytes().size(), kKeySizeNew);
  struct stat file;
  ASSERT_EQ(::stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
  EXPECT_EQ(load_or_create_key(path, system_entropy())->bytes(), made->bytes());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1)
      << "no temporary file is left";
}

TEST(Key, StartersAtTheSameTimeAgree) {
  TempDir dir;
  std::string path = dir / "cluster.key";
  std::vector<std::string> got(8);
  std::vector<std::thread> starters;
  for (auto& mine : got)
    starters.emplace_back(
        [&] { mine = std::string(load_or_create_key(path, system_entropy()).value().bytes()); });
  for (auto& starter : starters) starter.join();
  EXPECT_EQ(std::set<std::string>(got.begin(), got.end()).size(), 1u);
}

TEST(Key, AFileOthersCanReadIsRefusedAndTheTextSaysHowToMendIt) {
  TempDir dir;
  std::string path = dir / "cluster.key";
  ASSERT_TRUE(load_or_create_key(path, system_entropy()));
  for (mode_t mode : {0640, 0604, 0620}) {
    ::chmod(path.c_str(), mode);
    auto loaded = load_key(path);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().text, HasSubstr("chmod 0600 " + path));
  }
}

TEST(Key, RootBelievesSlurmUsersFileWhereNobodyElseCanPutOne) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can read another user's file";
  TempDir dir;
  std::string path = dir / "cluster.key";
  ASSERT_TRUE(load_or_create_key(path, system_entropy()));
  ASSERT_EQ(::chown(path.c_str(), 61000, 61000), 0);
  EXPECT_TRUE(load_key(path));
  ASSERT_EQ(::chown(dir.path().c_str(), 61000, 61000), 0);
  EXPECT_TRUE(load_key(path));
  ASSERT_EQ(::chown(dir.path().c_str(), 61001, 61001), 0);
  EXPECT_THAT(load_key(path).error().text, HasSubstr("belongs to user 61000"));
  ASSERT_EQ(::chown(dir.path().c_str(), 0, 0), 0);
  ::chmod(dir.path().c_str(), 0777);
  EXPECT_THAT(load_key(path).error().text, HasSubstr("belongs to user 61000"));
}

TEST(Key, MissingEmptyHugeAndOddFilesAreRefused) {
  TempDir dir;
  EXPECT_THAT(load_key(dir / "none").error().text, HasSubstr("No such file"));
  EXPECT_THAT(load_key(dir.path()).error().text, HasSubstr("not an ordinary file"));
  for (std::size_t size : {std::size_t{0}, kKeySizeMin - 1, kKeySizeMax + 1}) {
    std::string path = dir / std::to_string(size);
    std::ofstream(path) << std::string(size, 'x');
    ::chmod(path.c_str(), 0600);
    EXPECT_THAT(load_key(path).error().text, HasSubstr("it must have 16 to 4096"));
  }
  EXPECT_THAT(load_or_create_key(dir / "no/such/folder/key", system_entropy()).error().text,
              HasSubstr("cannot create"));
}

}  // namespace
}  // namespace ym
