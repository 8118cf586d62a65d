// SPDX-License-Identifier: Apache-2.0
// A log in etcd: StateSaveLocation=etcd://h1:2379,h2:2379,h3:2379/prefix. etcd replicates, counts
// revisions and ends the lease of a leader that is silent; every write of ours is a transaction
// that changes nothing if the leader's key has changed since we wrote it. docs/decisions/0024.
//
//   P/leader               who leads: "EPOCH NAME", with a lease; gone when the lease is over
//   P/epoch                the last epoch that there was
//   P/log/SEQ/PART         a group of records (segment.h), SEQ of its first, 20 digits; parts of
//                          kEtcdValueMax, the last of which begins with '.', the others with '+'
//   P/snapshot/SEQ/CHUNK   a snapshot, and P/snapshots/SEQ with the number of its chunks, written
//   last P/blob/ID/PART         a script or environment, and P/blobs/ID with the number of its
//   parts
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "store/etcd.h"
#include "store/log_home.h"

namespace ym {

// Makes transports: each for one thread.
using EtcdConnect = std::function<EtcdCall()>;

struct EtcdHomeOptions {
  EtcdConnect connect;
  std::string prefix;       // "/yardmaster/emil"
  std::string members;      // for people
  std::uint64_t ttl_s = 2;  // of the leader's lease; etcd gives no less than 2
};

class EtcdHome final : public LogHome {
 public:
  explicit EtcdHome(EtcdHomeOptions options);

  Result<Leadership> look() override;
  std::uint64_t epoch() const override { return epoch_; }
  Result<std::uint64_t> seize(const std::string& name, const Leadership& seen) override;
  Status renew() override;
  Status confirm() override {
    std::lock_guard lock(mutex_);
    return confirm(etcd_);
  }
  void release() override;
  Result<std::unique_ptr<LogFollower>> follow() override;
  Result<OpenedLog> open(JournalOptions options, const Replay& replay) override;
  Status clear() override;
  bool shares_texts() const override { return true; }
  Result<std::optional<std::string>> shared_text(const std::string& name) override;
  Status share_text(const std::string& name, const std::string& text) override;
  Result<std::string> last_restore() override;
  Status note_restore(bool done) override;
  Status each_key(const Raw& take) override;
  std::string describe() const override { return "etcd at " + options_.members; }

  // --- for the log and the blobs of this home ---
  std::string key(std::string_view rest) const { return options_.prefix + std::string(rest); }
  // Makes the change if we still lead: kFenced if not.
  Result<std::uint64_t> change(Etcd& etcd, EtcdChange change) const;
  // kFenced if another leads.
  Status confirm(Etcd& etcd) const;
  Etcd connect() const { return Etcd(options_.connect()); }

 private:
  std::unexpected<Error> lost() const;

  const EtcdHomeOptions options_;
  std::mutex mutex_;
  Etcd etcd_;                                 // guarded by mutex_
  std::uint64_t lease_ = 0;                   // guarded by mutex_
  std::uint64_t shared_ = 0;                  // texts so far; guarded by mutex_
  std::atomic<std::uint64_t> epoch_ = 0;      // 0: does not lead
  std::atomic<std::uint64_t> leader_at_ = 0;  // the revision at which our leader's key was written
};

// Where StateSaveLocation says that the log is in etcd: members and prefix.
struct EtcdPlace {
  std::vector<std::string> members;  // "host:port"
  std::string prefix;
  bool tls = false;
};
inline constexpr std::string_view kEtcdScheme = "etcd://", kEtcdTlsScheme = "etcds://";
inline bool is_etcd_place(std::string_view location) {
  return location.starts_with(kEtcdScheme) || location.starts_with(kEtcdTlsScheme);
}
Result<EtcdPlace> parse_etcd_place(std::string_view location);

}  // namespace ym
