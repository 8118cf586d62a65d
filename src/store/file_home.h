// SPDX-License-Identifier: Apache-2.0
// A log in a folder that all controllers of the cluster see: a local one for a single controller, a
// shared file system for several. DIR/log, DIR/blobs, and with several controllers DIR/leader:
//
//   epoch-0000000007   who leads epoch 7, and how often it has said that it is well
//
// The file of the next epoch is created exclusively: of all who want to lead, one succeeds, and no
// lock is held that a stopped process could keep. A leader leads until the file of the next epoch
// exists. Old ones are removed from the oldest on, so that a leader whose own file is gone knows
// that it is not the last, even if its successor's file is gone as well.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "store/disk.h"
#include "store/log_home.h"

namespace ym {

// The folders of the log and of the scripts, in the controller's one.
std::string log_folder(const std::string& dir);
std::string blob_folder(const std::string& dir);

class FileHome final : public LogHome {
 public:
  enum class Company { Alone, Standbys };
  // `disk` outlives this. Alone: leads at once, for as long as it holds the folder's lock.
  FileHome(Disk& disk, std::string dir, Company company);

  Result<Leadership> look() override;
  std::uint64_t epoch() const override { return epoch_; }
  Result<std::uint64_t> seize(const std::string& name, const Leadership& seen) override;
  Status renew() override;
  Status confirm() override;
  void release() override;
  Result<std::unique_ptr<LogFollower>> follow() override;
  Result<OpenedLog> open(JournalOptions options, const Replay& replay) override;
  Status clear() override;
  Result<std::string> last_restore() override;
  Status note_restore(bool done) override;
  std::string describe() const override { return "the folder " + dir_; }

 private:
  std::string leader_dir() const { return dir_ + "/leader"; }
  std::string path_of(std::uint64_t epoch) const;
  Result<bool> exists(const std::string& path);
  Result<std::uint64_t> newest_epoch();
  void remove_old(std::uint64_t before);
  Status write_beat(std::string_view state);

  Disk& disk_;
  const std::string dir_;
  const Company company_;
  std::string name_;
  std::unique_ptr<DiskLock> presence_;    // held while we lead: a hint for those who watch
  std::atomic<std::uint64_t> epoch_ = 0;  // 0: does not lead
  std::uint64_t beats_ = 0;
};

}  // namespace ym
