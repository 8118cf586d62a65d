// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "base/format.h"
#include "daemon/slurmctld/state_release.h"
#include "os/files.h"
#include "store/disk_posix.h"
#include "wire/backup.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

using testing::HasSubstr;

// An empty cluster, as a release of `format` would have written it.
std::string a_backup(std::uint32_t format) {
  wire::BackupWriter writer;
  State state;
  state.cluster_name = "emil";
  BackupHead head{
      .cluster = "emil", .seq = state.seq, .time = Instant{7}, .release = "7.3", .format = format};
  std::string bytes = wire::BackupWriter::preamble();
  bytes += writer.record(wire::BackupKind::Head, wire::encode(head));
  wire::write_snapshot(state, [&](std::string_view chunk) {
    bytes += writer.record(wire::BackupKind::Chunk, chunk);
    return true;
  });
  return bytes + writer.end();
}

class Restore : public testing::Test {
 protected:
  Restore() {
    std::filesystem::create_directories(dir_);
    config_.cluster_name = "emil";
    config_.state_dir = dir_ + "/state";
  }
  ~Restore() override { std::filesystem::remove_all(dir_); }
  Result<std::string> restore(const std::string& bytes, bool force = false) {
    EXPECT_TRUE(write_file(dir_ + "/kept", bytes));
    return restore_state(disk_, loaded_, {.file = dir_ + "/kept", .force = force});
  }
  bool check(const std::string& bytes) {
    EXPECT_TRUE(write_file(dir_ + "/kept", bytes));
    return restore_state(disk_, loaded_, {.file = dir_ + "/kept", .check_only = true}).has_value();
  }

  std::string dir_ = testing::TempDir() + "ym-restore-" + std::to_string(::getpid());
  DiskPosix disk_;
  LoadedConfiguration loaded_;
  ClusterConfig& config_ = loaded_.config;
};

TEST_F(Restore, OfALaterFormatIsRefusedBeforeAnythingIsWritten) {
  auto refused = restore(a_backup(kStateFormat + 1));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
              HasSubstr(fmt::format("the backup was written by a later release (7.3, format {})",
                                    kStateFormat + 1)));
  EXPECT_FALSE(std::filesystem::exists(config_.state_dir));
  EXPECT_FALSE(check(a_backup(kStateFormat + 1)));
}

TEST_F(Restore, OfOurFormatAndOfAnEarlierOneIsTaken) {
  for (std::uint32_t format : {0u, kStateFormat}) {
    auto done = restore(a_backup(format), true);
    EXPECT_TRUE(done) << done.error().text;
  }
}

TEST_F(Restore, MakesTheStateThatOfThisReleaseWhateverWasThere) {
  ASSERT_TRUE(restore(a_backup(0)));
  std::string path = config_.state_dir + "/format";
  EXPECT_THAT(read_file(path).value(), HasSubstr(YM_VERSION));
  ASSERT_TRUE(write_file(path, fmt::format("{} 7.3\n", kStateFormat + 1)));
  EXPECT_FALSE(check_state_release({.home = nullptr, .dir = config_.state_dir}));
  ASSERT_TRUE(restore(a_backup(kStateFormat), true));
  EXPECT_TRUE(check_state_release({.home = nullptr, .dir = config_.state_dir}));
}

}  // namespace
}  // namespace ym
