// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster: slurm.key, and slurm.jwks (RFC 7517, symmetric keys for HS256) with
// several of them, so that keys change without a stop: add one everywhere, make it the default
// everywhere, retire the old one; `scontrol reconfigure` after each.
//
// Invariants: (1) a ring has at least one key, and one of them signs; (2) no two keys have the same
// name; (3) what a key signs carries the key's name, and only that key verifies it; (4) the default
// signs until kSigningMargin before it expires, then one that is good for longer, if there is one:
// the same on every machine, as it follows from the set alone.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/key.h"

namespace ym {

inline constexpr std::size_t kKeysMax = 32;
inline constexpr std::size_t kKeyNameMax = 64;
// What was signed has to serve for a while: nothing is believed once its key has expired.
inline constexpr Duration kSigningMargin = std::chrono::minutes(1);

struct NamedKey {
  std::string name;  // kid; empty: slurm.key's
  ClusterKey key;
  Instant expires;  // exp; none: never
  bool good_at(Instant when) const { return !expires || when < expires; }
};

class KeyRing {
 public:
  // The one key of slurm.key. Not explicit: whoever has one key only need not speak of rings.
  KeyRing(ClusterKey key);  // NOLINT(google-explicit-constructor)

  // A key set, and slurm.key's key beside it if there is one. The key with "use":"default" signs;
  // if none has, slurm.key's, or the only one. Refuses other algorithms than HS256, names that are
  // missing or given twice, keys that are too short, and a set in which every key has expired.
  static Result<KeyRing> from_jwks(std::string_view json, const ClusterKey* slurm_key, Instant now);

  const NamedKey& signing() const { return keys_[signing_]; }
  // The default, even if another one signs in its place.
  const NamedKey& preferred() const { return keys_[default_]; }
  // Settles which one signs from `now` on; true if it is another than before.
  bool choose(Instant now);
  bool can_sign(Instant now) const { return signing().good_at(now); }
  // Says why it cannot be used: unknown, or expired (by more than `skew`).
  Result<const NamedKey*> find(std::string_view name, Instant now, Duration skew) const;
  const std::vector<NamedKey>& keys() const { return keys_; }
  // For a log: the names, and which one signs. No secret.
  std::string describe() const;

 private:
  KeyRing() = default;
  std::vector<NamedKey> keys_;
  std::size_t default_ = 0, signing_ = 0;
};

// Where a cluster's keys are.
struct KeyFiles {
  std::string key, jwks;
};
// What there is of both; at least one. `create`: if there is none, a new slurm.key.
Result<KeyRing> load_keyring(const KeyFiles& files, bool create, Instant now);

// The ring in use, replaced as a whole while others sign and verify. Any thread.
class Keys {
 public:
  explicit Keys(KeyRing ring) : ring_(std::make_shared<const KeyRing>(std::move(ring))) {}
  std::shared_ptr<const KeyRing> ring() const {
    std::lock_guard lock(mutex_);
    return ring_;
  }
  void set(KeyRing ring) {
    auto made = std::make_shared<const KeyRing>(std::move(ring));
    std::lock_guard lock(mutex_);
    ring_ = std::move(made);
  }
  // Unless another thread was quicker.
  void replace(const std::shared_ptr<const KeyRing>& old, KeyRing ring) {
    auto made = std::make_shared<const KeyRing>(std::move(ring));
    std::lock_guard lock(mutex_);
    if (ring_ == old) ring_ = std::move(made);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const KeyRing> ring_;  // guarded by mutex_
};

}  // namespace ym
