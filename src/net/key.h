// SPDX-License-Identifier: Apache-2.0
// The cluster's key: one secret that every daemon of the cluster can read and nobody else can.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kKeySizeMin = 16;
inline constexpr std::size_t kKeySizeMax = 4096;
inline constexpr std::size_t kKeySizeNew = 64;

// Fills the span with chance. An argument everywhere, so that tests decide.
using Entropy = std::function<void(std::span<std::uint8_t>)>;
// The kernel-seeded generator of libcrypto. Ends the process if that fails: nothing safe could
// follow.
Entropy system_entropy();

// Secret bytes, wiped when they go.
class ClusterKey {
 public:
  // Refuses sizes outside kKeySizeMin … kKeySizeMax.
  static Result<ClusterKey> from_bytes(std::string bytes);
  ClusterKey(const ClusterKey&) = default;
  ClusterKey& operator=(const ClusterKey&) = default;
  ~ClusterKey();
  std::string_view bytes() const { return bytes_; }

 private:
  explicit ClusterKey(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

// A file of secrets. Refuses one that its group or others can read, that somebody other than us and
// root owns, or that is longer than `size_max`; the text says how to mend it.
Result<std::string> read_secret(const std::string& path, std::size_t size_max);
// Refuses a file that its group or others can read, or that somebody other than us and root owns;
// the text says how to mend it.
Result<ClusterKey> load_key(const std::string& path);
// load_key, or if there is no such file a new key, written with mode 0600. Several starters at once
// agree on one key.
Result<ClusterKey> load_or_create_key(const std::string& path, const Entropy& entropy);

}  // namespace ym
