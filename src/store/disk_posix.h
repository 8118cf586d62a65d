// SPDX-License-Identifier: Apache-2.0
// The Disk of a real machine. Without state: one object may serve every thread.
#pragma once
#include "store/disk.h"

namespace ym {

class DiskPosix final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const std::string& path, DiskOpen how) override;
  Status make_dir(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& dir) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status unlink(const std::string& path) override;
  Status sync_dir(const std::string& dir) override;
  Status create_exclusive(const std::string& path, std::string_view bytes) override;
  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override;
};

}  // namespace ym
