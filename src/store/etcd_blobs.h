// SPDX-License-Identifier: Apache-2.0
// Scripts and environments in etcd. etcd_home.h has the keys.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/blob_store.h"
#include "store/blobs.h"
#include "store/etcd_home.h"

namespace ym {

class EtcdBlobs final : public BlobStore {
 public:
  static Result<std::unique_ptr<EtcdBlobs>> open(EtcdHome& home);

  bool contains(std::string_view id) const override;
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<std::string> put(BlobKind kind, std::string_view bytes) override;
  Status sync() override;
  Result<std::string> get(std::string_view id) override;
  Result<Retained> retain(const std::function<bool(const std::string& id)>& wanted) override;

 private:
  explicit EtcdBlobs(EtcdHome& home) : home_(home), etcd_(home.connect()) {}
  Status send_parts(const std::string& id, const std::string& bytes);

  EtcdHome& home_;
  Etcd etcd_;
  const BlobOptions options_;
  std::set<std::string, std::less<>> known_;
  std::map<std::string, std::string, std::less<>> pending_;
  std::vector<std::string> warnings_;
};

}  // namespace ym
