// SPDX-License-Identifier: Apache-2.0
// The real disk: the same journal on it, and the lock between real processes.
#include "store/disk_posix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "store/blobs.h"
#include "store/errc.h"
#include "store/journal_testing.h"

namespace ym {
namespace {

using testing::HasSubstr;

struct DiskPosixTest : testing::Test {
  std::string dir = testing::TempDir() + fmt::format("ym_store_{}", ::getpid());
  DiskPosix disk;
  void SetUp() override { std::filesystem::remove_all(dir); }
  void TearDown() override { std::filesystem::remove_all(dir); }

  Result<Recovered> open(Log& log) {
    return Journal::open(disk, dir + "/a/b", small_options(), log.replay());
  }
};

TEST_F(DiskPosixTest, AJournalComesBackFromRealFiles) {
  for (std::uint64_t round = 0; round < 4; ++round) {
    Log log;
    auto recovered = open(log);
    ASSERT_TRUE(recovered) << recovered.error().text;
    EXPECT_TRUE(log.consistent(50));
    EXPECT_EQ(log.last(), round * 20);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(commit_records(*recovered->journal, 2, 50));
    std::uint64_t expected = 1;
    ASSERT_TRUE(recovered->journal->read_from(
        1, 1 << 20, [&](std::uint64_t seq, std::string_view) { EXPECT_EQ(seq, expected++); }));
    EXPECT_EQ(expected, round * 20 + 21);
  }
}

TEST_F(DiskPosixTest, APieceOfAFileIsReadInAnyLength) {
  std::filesystem::create_directories(dir);
  auto file = disk.open(dir + "/f", DiskOpen::Create);
  ASSERT_TRUE(file) << file.error().text;
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>('0' + i % 75);
  ASSERT_TRUE((*file)->write(0, text));
  for (std::size_t length = 0; length < 90; ++length)
    EXPECT_EQ((*file)->read(5, length).value(), text.substr(5, length)) << length;
}

TEST_F(DiskPosixTest, TheLockRefusesASecondOpenerInThisProcessAndNamesThePid) {
  Log log;
  auto first = open(log);
  ASSERT_TRUE(first);
  auto second = open(log);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, store_errc::kLocked);
  EXPECT_THAT(second.error().text, HasSubstr(fmt::format("process {}", ::getpid())));
}

TEST_F(DiskPosixTest, TheLockOfAnotherProcessHoldsUntilThatProcessDies) {
  int ready[2], leave[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(leave), 0);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  char byte = 0;
  if (child == 0) {
    ::close(leave[1]);
    Log log;
    auto held = open(log);
    byte = held ? 'y' : 'n';
    [[maybe_unused]] ssize_t wrote = ::write(ready[1], &byte, 1);
    [[maybe_unused]] ssize_t got = ::read(leave[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);  // without giving anything up in order
  }
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  Log log;
  auto refused = open(log);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr(fmt::format("process {}", child)));
  ::close(leave[1]);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(open(log));
  for (int fd : {ready[0], ready[1], leave[0]}) ::close(fd);
}

TEST_F(DiskPosixTest, ErrorsNameThePathAndTheReason) {
  auto missing = disk.open(dir + "/nothing", DiskOpen::Read);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, store_errc::kNotFound);
  EXPECT_THAT(missing.error().text, HasSubstr("/nothing: No such file or directory"));
  auto full = disk.open("/dev/full", DiskOpen::Write);
  if (!full) GTEST_SKIP() << "no /dev/full here";
  auto wrote = (*full)->write(0, "x");
  ASSERT_FALSE(wrote);
  EXPECT_EQ(wrote.error().code, store_errc::kNoSpace);
}

TEST_F(DiskPosixTest, BlobsComeBackFromRealFiles) {
  std::string id;
  {
    auto blobs = Blobs::open(disk, dir, {});
    ASSERT_TRUE(blobs) << blobs.error().text;
    id = (*blobs)->put(BlobKind::Script, "#!/bin/sh\n").value();
    ASSERT_TRUE((*blobs)->sync());
  }
  auto blobs = Blobs::open(disk, dir, {});
  ASSERT_TRUE(blobs);
  EXPECT_EQ((*blobs)->get(id).value(), "#!/bin/sh\n");
}

TEST_F(DiskPosixTest, AReadOfAnyLengthGivesThatManyBytes) {
  ASSERT_TRUE(disk.make_dir(dir));
  auto file = disk.open(dir + "/file", DiskOpen::Create);
  ASSERT_TRUE(file) << file.error().text;
  std::string text(200, 'x');
  ASSERT_TRUE((*file)->write(0, text));
  for (std::size_t length = 0; length < 100; ++length)
    EXPECT_EQ((*file)->read(3, length).value().size(), length);
}

}  // namespace
}  // namespace ym
