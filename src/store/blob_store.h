// SPDX-License-Identifier: Apache-2.0
// Scripts and environments, stored once by their content, wherever the log lives: what the
// controller asks of them. blobs.h keeps them in files, etcd_blobs.h in etcd.
//
// Thread rule: none inside; one thread at a time calls.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

enum class BlobKind { Script, Environment };

class BlobStore {
 public:
  struct Retained {
    std::size_t removed = 0;  // blobs
    std::size_t files_removed = 0;
    std::uint64_t bytes_moved = 0;  // of blobs that lived in mostly dead files
  };

  virtual ~BlobStore() = default;
  virtual bool contains(std::string_view id) const = 0;
  virtual const std::vector<std::string>& warnings() const = 0;
  // Remembers the bytes and returns their id. Durable after the next successful sync(), at once if
  // they were there. kTooBig above the limit of its kind.
  virtual Result<std::string> put(BlobKind kind, std::string_view bytes) = 0;
  // Everything put since the last is durable. On error the blobs stay pending (readable, not
  // durable), and the next call tries again.
  virtual Status sync() = 0;
  // kNotFound, or kCorrupt if the bytes no longer have their hash.
  virtual Result<std::string> get(std::string_view id) = 0;
  // Forgets the blobs for which `wanted` is false. REQUIRES: `wanted` is true for every id that was
  // returned by put() and is not yet in the log.
  virtual Result<Retained> retain(const std::function<bool(const std::string& id)>& wanted) = 0;
};

}  // namespace ym
