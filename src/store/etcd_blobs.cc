// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_blobs.h"

#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr std::uint64_t kKeysAtOnce = 5000;

std::string part_key(std::string_view id, std::size_t part) {
  return fmt::format("/blob/{}/{:06}", id, part);
}

}  // namespace

Result<std::unique_ptr<EtcdBlobs>> EtcdBlobs::open(EtcdHome& home) {
  std::unique_ptr<EtcdBlobs> blobs(new EtcdBlobs(home));
  std::string prefix = home.key("/blobs/"), from = prefix;
  for (;;) {
    auto found = blobs->etcd_.range(
        {.from = from, .to = end_of_prefix(prefix), .limit = kKeysAtOnce, .keys_only = true});
    if (!found) return std::unexpected(found.error());
    for (const EtcdPair& pair : *found) blobs->known_.insert(pair.key.substr(prefix.size()));
    if (found->size() < kKeysAtOnce) return blobs;
    from = found->back().key + '\0';
  }
}

bool EtcdBlobs::contains(std::string_view id) const {
  return known_.contains(id) || pending_.contains(id);
}

Result<std::string> EtcdBlobs::put(BlobKind kind, std::string_view bytes) {
  bool script = kind == BlobKind::Script;
  std::uint64_t limit = script ? options_.script_bytes_max : options_.environment_bytes_max;
  if (bytes.size() > limit)
    return fail(store_errc::kTooBig,
                fmt::format("the {} has {} bytes, more than the {} allowed",
                            script ? "batch script" : "environment", bytes.size(), limit));
  std::string id = Blobs::id_of(bytes);
  if (!contains(id)) pending_.emplace(id, bytes);
  return id;
}

// Small ones together, as many as a transaction takes; long ones in parts.
Status EtcdBlobs::sync() {
  while (!pending_.empty()) {
    EtcdChange change;
    std::vector<std::string> done;
    std::size_t bytes = 0;
    for (const auto& [id, blob] : pending_) {
      if (blob.size() > kEtcdValueMax) {
        if (!done.empty()) break;
        if (Status sent = send_parts(id, blob); !sent) return sent;
        done.push_back(id);
        break;
      }
      if (bytes + blob.size() > kEtcdValueMax || change.puts.size() + 2 > kEtcdOpsMax) break;
      bytes += blob.size();
      change.puts.push_back({home_.key(part_key(id, 0)), blob});
      change.puts.push_back({home_.key("/blobs/" + id), "1"});
      done.push_back(id);
    }
    if (!change.puts.empty())
      if (auto sent = home_.change(etcd_, std::move(change)); !sent)
        return std::unexpected(sent.error());
    for (const std::string& id : done) {
      pending_.erase(id);
      known_.insert(id);
    }
  }
  return {};
}

Status EtcdBlobs::send_parts(const std::string& id, const std::string& bytes) {
  std::string_view rest = bytes;
  std::size_t part = 0;
  while (!rest.empty()) {
    EtcdChange change;
    change.puts.push_back(
        {home_.key(part_key(id, part++)), std::string(rest.substr(0, kEtcdValueMax))});
    rest.remove_prefix(std::min(rest.size(), kEtcdValueMax));
    if (rest.empty()) change.puts.push_back({home_.key("/blobs/" + id), std::to_string(part)});
    if (auto sent = home_.change(etcd_, std::move(change)); !sent)
      return std::unexpected(sent.error());
  }
  return {};
}

Result<std::string> EtcdBlobs::get(std::string_view id) {
  if (auto waiting = pending_.find(id); waiting != pending_.end()) return waiting->second;
  if (!known_.contains(id))
    return fail(store_errc::kNotFound,
                fmt::format("no script or environment {} is stored", printable(id)));
  std::string bytes;
  std::string prefix = home_.key(fmt::format("/blob/{}/", id)), from = prefix;
  for (;;) {
    auto parts = etcd_.range({.from = from, .to = end_of_prefix(prefix), .limit = 4});
    if (!parts) return std::unexpected(parts.error());
    for (const EtcdPair& part : *parts) bytes += part.value;
    if (parts->size() < 4) break;
    from = parts->back().key + '\0';
  }
  if (Blobs::id_of(bytes) != id)
    return fail(store_errc::kCorrupt, fmt::format("{} no longer has its content", id));
  return bytes;
}

Result<BlobStore::Retained> EtcdBlobs::retain(
    const std::function<bool(const std::string& id)>& wanted) {
  Retained result;
  std::vector<std::string> gone;
  for (const std::string& id : known_)
    if (!wanted(id)) gone.push_back(id);
  for (std::size_t i = 0; i < gone.size();) {
    EtcdChange change;
    for (; i < gone.size() && change.deletes.size() + 2 <= kEtcdOpsMax; ++i) {
      std::string prefix = home_.key(fmt::format("/blob/{}/", gone[i]));
      change.deletes.push_back({.from = home_.key("/blobs/" + gone[i])});
      change.deletes.push_back({.from = prefix, .to = end_of_prefix(prefix)});
      known_.erase(gone[i]);
      ++result.removed;
    }
    if (auto done = home_.change(etcd_, std::move(change)); !done)
      return std::unexpected(done.error());
  }
  return result;
}

}  // namespace ym
