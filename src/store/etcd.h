// SPDX-License-Identifier: Apache-2.0
// What we ask of etcd (3.4 and later), over its JSON gateway. The transport is a function, so that
// tests answer themselves; net/http_client.h is the real one.
//
// Thread rule: one thread at a time, as the transport.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

// POST `body` to `path` of any member; the answer's body. Errors of etcd itself (a code in the
// body) come back as errors, too. `path` "/v3/kv/txn".
using EtcdCall =
    std::function<Result<std::string>(const std::string& path, const std::string& body)>;

// etcd refuses requests above 1.5 MiB, and base64 is not counted: a value of this much always fits.
inline constexpr std::size_t kEtcdValueMax = 900 * 1024;
inline constexpr std::size_t kEtcdOpsMax = 100;  // of a transaction; etcd's own limit is 128

struct EtcdPair {
  std::string key, value;
  std::uint64_t mod_revision = 0;
};

struct EtcdRange {
  std::string from, to;  // [from, to); `to` empty: this key only
  std::uint64_t limit = 0;
  bool keys_only = false;
  bool last_first = false;
};

// If the conditions hold, all of the changes are made at once, in order; else none.
struct EtcdChange {
  struct Holds {  // `key` was last changed at this revision; 0: does not exist
    std::string key;
    std::uint64_t mod_revision = 0;
  };
  struct Put {
    std::string key, value;
    std::uint64_t lease = 0;
  };
  std::vector<Holds> conditions;
  std::vector<Put> puts;
  std::vector<EtcdRange> deletes;
};

struct EtcdChanged {
  bool done = false;  // the conditions held
  std::uint64_t revision = 0;
};

class Etcd {
 public:
  explicit Etcd(EtcdCall call) : call_(std::move(call)) {}

  Result<std::vector<EtcdPair>> range(const EtcdRange& range);
  Result<EtcdChanged> change(const EtcdChange& change);
  Result<std::uint64_t> grant(std::uint64_t ttl_s);
  // The seconds that are left; 0: it is over.
  Result<std::uint64_t> keep_alive(std::uint64_t lease);
  Status revoke(std::uint64_t lease);
  // Forgets what was overwritten and removed before `revision`.
  Status compact(std::uint64_t revision);

 private:
  EtcdCall call_;
};

// The end of the range of all keys that begin with `prefix`.
std::string end_of_prefix(std::string prefix);

}  // namespace ym
