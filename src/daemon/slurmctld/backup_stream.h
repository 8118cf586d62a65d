// SPDX-License-Identifier: Apache-2.0
// What a backup (wire/backup.h) is made of, wherever the parts come from: a running controller, or
// a state that a restore is about to replace.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/state.h"
#include "store/log_home.h"
#include "wire/backup.h"

namespace ym {

struct BackupParts {
  const State& state;
  // store_errc::kNotFound: nobody needs it any more, it is left out.
  std::function<Result<std::string>(const std::string& id)> blob;
  std::vector<BackupFile> files;
};
// Gets the file's bytes in order, in pieces of some MB.
using TakeBackup = std::function<Status(std::string bytes, bool last)>;

// The number of scripts that were not there any more.
Result<std::size_t> write_backup(const BackupParts& parts, const TakeBackup& take);

// What the log does not know: the authority with its key and its book, and what else lies in the
// state's folder. The same names wherever it is kept. Who leads, and epochs, are not in it: a
// restored log begins its own.
Result<std::vector<BackupFile>> files_beside(LogHome* home, const std::string& state_dir);

}  // namespace ym
