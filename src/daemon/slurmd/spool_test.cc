// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/spool.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "shepherd/record.h"

namespace ym {
namespace {

class SpoolTest : public ::testing::Test {
 protected:
  SpoolTest() {
    char folder[] = "/tmp/ym-spool-XXXXXX";
    root_ = ::mkdtemp(folder);
  }
  ~SpoolTest() override { std::filesystem::remove_all(root_); }

  static ShepherdOrder order(std::uint32_t job, StepId step = kBatchStep) {
    return {.job = JobId{job},
            .sluid = Sluid{1000 + job},
            .step = step,
            .boot_id = "boot",
            .control = "name" + std::to_string(job)};
  }
  static ino_t inode(const std::string& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
  }

  std::string root_;
};

TEST_F(SpoolTest, TheFolderOfAForgottenBatchJobServesTheNext) {
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  ASSERT_TRUE(spool.write_order(order(1)));
  std::string first = spool.stem(Sluid{1001}, kBatchStep) + ".record";
  ino_t kept = inode(first);
  ASSERT_TRUE(spool.write_result(Sluid{1001}, kBatchStep, {.exit = {.code = 3, .signal = 0}}));
  spool.forget(Sluid{1001}, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(first));
  ASSERT_TRUE(spool.write_order(order(2)));
  EXPECT_EQ(inode(spool.stem(Sluid{1002}, kBatchStep) + ".record"), kept);
  // Nothing of the first is left in it.
  auto record = spool.read_record(Sluid{1002}, kBatchStep);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->order.job, JobId{2});
  EXPECT_FALSE(record->result);
  EXPECT_EQ(spool.control(Sluid{1002}, kBatchStep), "name2");
  EXPECT_EQ(spool.control(Sluid{1001}, kBatchStep), "");
}

// A job that has run must not fail because the disk has filled up meanwhile.
TEST_F(SpoolTest, ThereIsRoomForTheResultBeforeAnythingRuns) {
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  auto has_room = [&](std::uint32_t job) {
    struct stat info{};
    std::string path = spool.stem(Sluid{1000 + job}, kBatchStep) + ".record";
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_blocks * 512 >= info.st_size + kResultRoom;
  };
  ASSERT_TRUE(spool.write_order(order(1)));
  EXPECT_TRUE(has_room(1));
  spool.forget(Sluid{1001}, std::nullopt);
  ASSERT_TRUE(spool.write_order(order(2)));
  EXPECT_TRUE(has_room(2)) << "where a folder serves again";
}

TEST_F(SpoolTest, AJobWithOtherStepsLeavesNothingBehind) {
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  ASSERT_TRUE(spool.write_order(order(1)));
  ASSERT_TRUE(spool.write_order(order(1, StepId{0})));
  spool.forget(Sluid{1001}, std::nullopt);
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/attempts"));
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/spare"));
}

// Killed after the folder got its new name and before the order was in it.
TEST_F(SpoolTest, AFolderWithAnEmptyRecordIsCleanedAway) {
  std::filesystem::create_directories(root_ + "/attempts/job00001-00000000000003e9");
  std::ofstream(root_ + "/attempts/job00001-00000000000003e9/batch.record").flush();
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  Spool::Scan scan = spool.scan("boot");
  EXPECT_TRUE(scan.found.empty());
  EXPECT_TRUE(scan.troubles.empty());
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/attempts"));
}

// The same with a folder that had another job's record before.
TEST_F(SpoolTest, AFolderWhoseRecordIsBlankIsCleanedAway) {
  {
    Spool spool(root_);
    ASSERT_TRUE(spool.prepare());
    ASSERT_TRUE(spool.write_order(order(1)));
    ASSERT_TRUE(spool.write_result(Sluid{1001}, kBatchStep, {.exit = {.code = 3, .signal = 0}}));
    spool.forget(Sluid{1001}, std::nullopt);
  }
  std::filesystem::rename(root_ + "/spare/1", root_ + "/attempts/job00002-00000000000003ea");
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  Spool::Scan scan = spool.scan("boot");
  EXPECT_TRUE(scan.found.empty());
  EXPECT_TRUE(scan.troubles.empty());
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/attempts"));
}

// A shorter order than the one before, and a longer one.
TEST_F(SpoolTest, ARecordThatServesAgainHoldsWhatWasWrittenLast) {
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  for (std::uint32_t job = 1; job <= 4; ++job) {
    Sluid sluid{1000 + job};
    ShepherdOrder one = order(job);
    one.environment = std::string(job % 2 == 0 ? 10 : 5000, 'x');
    ASSERT_TRUE(spool.write_order(one));
    auto record = spool.read_record(sluid, kBatchStep);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->order.job, JobId{job});
    EXPECT_EQ(record->order.environment, one.environment);
    EXPECT_FALSE(record->result);
    EXPECT_FALSE(spool.read_result(sluid, kBatchStep));
    auto code = static_cast<std::uint8_t>(job);
    ASSERT_TRUE(spool.write_result(sluid, kBatchStep, {.exit = {.code = code, .signal = 0}}));
    ASSERT_TRUE(spool.read_result(sluid, kBatchStep));
    EXPECT_EQ(spool.read_result(sluid, kBatchStep)->exit.code, job);
    spool.forget(sluid, std::nullopt);
  }
}

TEST_F(SpoolTest, TheNextDaemonFindsTheControlNames) {
  {
    Spool spool(root_);
    ASSERT_TRUE(spool.prepare());
    ASSERT_TRUE(spool.write_order(order(1)));
  }
  Spool spool(root_);
  ASSERT_TRUE(spool.prepare());
  ASSERT_EQ(spool.scan("boot").found.size(), 1u);
  EXPECT_EQ(spool.control(Sluid{1001}, kBatchStep), "name1");
}

}  // namespace
}  // namespace ym
