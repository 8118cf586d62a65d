// SPDX-License-Identifier: Apache-2.0
// Where a controller's log lives, together with the leadership over it: files (file_home.h), or
// etcd (etcd_home.h). The log and the leadership belong together: that is what makes fencing
// possible.
//
// A controller leads an EPOCH. Whoever takes over begins the next one, and from that moment the one
// before commits nothing more, however late it finds out:
//  (1) Epochs only go up, and each has one leader.
//  (2) seize() comes first, reading the log to its end second. commit() succeeds only if the epoch
//      still was ours after the records were durable. So whatever was committed is in what the
//      successor reads.
//  (3) Clocks of different machines are never compared. A standby measures on its own clock how
//      long the leader's sign of life has not changed.
// docs/decisions/0023 has the reasons.
//
// Thread rule: look(), seize(), renew(), release() and confirm() may be called from any thread,
// each object of the other classes by one thread at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/blob_store.h"
#include "store/journal.h"

namespace ym {

// Who leads, as the home shows it.
struct Leadership {
  std::uint64_t epoch = 0;    // 0: nobody ever did
  std::string name;           // of the controller (SlurmctldHost)
  std::uint64_t beats = 0;    // changes as long as the leader is well
  bool vacant = false;        // it has said, or the home knows, that it leads no more
  bool suspect = false;       // there is a sign that its process is gone: a hint, no proof
  bool kept_by_home = false;  // the home itself makes it vacant when the leader is silent
  bool operator==(const Leadership&) const = default;
};

// The log as its leader holds it; see journal.h for the contracts of the same names.
class ReplicatedLog {
 public:
  using FeedFn = Journal::FeedFn;
  virtual ~ReplicatedLog() = default;

  virtual std::uint64_t durable_seq() const = 0;
  virtual std::uint64_t next_seq() const = 0;
  virtual std::uint64_t oldest_seq() const = 0;
  virtual const std::optional<Error>& failure() const = 0;

  virtual Result<std::uint64_t> append(std::span<const std::string_view> payloads) = 0;
  // kFenced: another leads by now; nothing will be committed here any more.
  virtual Status commit() = 0;
  // For what leaves without a record: kFenced if another leads by now.
  virtual Status confirm() = 0;
  // For idle moments.
  virtual void prepare() = 0;
  virtual Result<std::uint64_t> read_from(std::uint64_t seq, std::uint64_t bytes_max,
                                          const FeedFn& fn) = 0;
  virtual Result<std::size_t> prune(std::uint64_t keep_from) = 0;
  // The state after record `seq`, as chunks that `produce` gives. On any thread, beside the rest;
  // one at a time. REQUIRES: `seq` is durable.
  using Produce = std::function<Status(const ChunkFn& take)>;
  virtual Status write_snapshot(std::uint64_t seq, const Produce& produce) = 0;
};

struct OpenedLog {
  std::unique_ptr<ReplicatedLog> log;
  std::unique_ptr<BlobStore> blobs;
  Recovered found;  // without its journal
};

// Reads a log that somebody else writes.
class LogFollower {
 public:
  virtual ~LogFollower() = default;
  // Gives what has become certain since the last call, a snapshot before the first records. Returns
  // whether there may be more at once. kPruned: too far behind; begin again with a new follower.
  virtual Result<bool> poll(const Replay& replay) = 0;
};

class LogHome {
 public:
  virtual ~LogHome() = default;

  virtual Result<Leadership> look() = 0;
  // That this controller leads; 0: none, or it needs no epochs.
  virtual std::uint64_t epoch() const = 0;
  // Ends the epoch that was `seen` and begins the next one for `name`. kExists: somebody else was
  // quicker. REQUIRES: does not lead.
  virtual Result<std::uint64_t> seize(const std::string& name, const Leadership& seen) = 0;
  // A sign of life. kFenced: another leads by now. Other errors: not known, try again.
  virtual Status renew() = 0;
  // kFenced: another leads by now. Whatever was durable before this succeeded, a successor sees.
  virtual Status confirm() = 0;
  // Leads no more, and says so, that others need not wait for it.
  virtual void release() = 0;

  // REQUIRES for both: nothing that was opened before is in use any more.
  virtual Result<std::unique_ptr<LogFollower>> follow() = 0;
  // REQUIRES: leads, by seize(). `options` as for a Journal; epoch and fence are set here.
  virtual Result<OpenedLog> open(JournalOptions options, const Replay& replay) = 0;
  // Forgets everything: slurmctld -c. REQUIRES: leads, and has not opened.
  virtual Status clear() = 0;
  // Small texts beside the log, which all controllers share: those of the cluster's own authority.
  // A home that is a folder has none: files serve.
  virtual bool shares_texts() const { return false; }
  virtual Result<std::optional<std::string>> shared_text(const std::string& /*name*/) {
    return std::nullopt;
  }
  // kFenced: another leads by now, and nothing has changed.
  virtual Status share_text(const std::string& /*name*/, const std::string& /*text*/) {
    return fail("this log has no place for it");
  }
  // All that a home with texts has, as it is stored, in order: for those who keep what they cannot
  // read. Names are relative.
  using Raw = std::function<Status(std::string_view name, std::string_view value)>;
  virtual Status each_key(const Raw& /*take*/) { return fail("this log is not kept by keys"); }
  // Changes with each note_restore(): what was followed before is of another log. Empty: never.
  virtual Result<std::string> last_restore() = 0;
  // The log is about to be replaced, and once more: it has been. REQUIRES: leads.
  virtual Status note_restore(bool done) = 0;
  // For people: "the folder /var/spool/slurmctld".
  virtual std::string describe() const = 0;
};

// By the epoch: that of each restore is its own.
inline std::string restore_text(std::uint64_t epoch, bool done) {
  return std::to_string(epoch) + (done ? " done" : " begun");
}

}  // namespace ym
