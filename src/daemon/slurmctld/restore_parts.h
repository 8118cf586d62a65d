// SPDX-License-Identifier: Apache-2.0
// For the files of `slurmctld --restore` only: what a backup has, and who may write.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "daemon/slurmctld/lease_keeper.h"
#include "daemon/slurmctld/restore.h"
#include "model/state.h"
#include "net/trust_book.h"
#include "os/log.h"
#include "store/blob_store.h"
#include "store/log_home.h"
#include "wire/backup.h"

namespace ym {

struct BackupContents {
  BackupHead head;
  State state;
  std::size_t blobs = 0;
  std::vector<BackupFile> files;  // but for the book
  std::optional<TrustBook> book;
};

Status read_backup(const std::string& path, const wire::BackupReader::Sink& sink);
// Reads all of it, and believes nothing.
Result<BackupContents> examine(const std::string& path);
// Scripts have their content as their name: those that are there already are no matter.
Status put_blobs(BlobStore& blobs, const std::string& path);
// A restore un-revokes nothing: what either book revokes is revoked.
TrustBook merged(TrustBook present, const TrustBook& of_backup);

// Leads in the place of a controller, so that none begins meanwhile, and that none which was
// stopped and goes on can write any more.
class RestoreLead {
 public:
  // Refuses while a controller leads. `home` outlives this.
  static Result<std::unique_ptr<RestoreLead>> take(LogHome& home, Duration lease_time);
  ~RestoreLead();
  // Whether it was ours up to now.
  Status confirm() { return home_.confirm(); }

 private:
  explicit RestoreLead(LogHome& home) : home_(home) {}
  LogHome& home_;
  Log log_{{.path = {}, .to_stderr = false, .program = "slurmctld"}};
  std::unique_ptr<LeaseKeeper> keeper_;
};

// Each says where the state before is; empty: there was none.
Result<std::string> restore_to_folder(Disk& disk, const ClusterConfig& config,
                                      const RestoreOrder& order, const BackupContents& found);
// REQUIRES: `home` has texts.
Result<std::string> restore_to_home(LogHome& home, const ClusterConfig& config,
                                    const RestoreOrder& order, const BackupContents& found);

}  // namespace ym
