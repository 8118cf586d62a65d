// SPDX-License-Identifier: Apache-2.0
// A restore into etcd: names cannot be exchanged there, so that between the old log and the new one
// there is none. Hence nobody may start from it until it is complete (bar_state), and what was
// there is in a file before it goes.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/format.h"
#include "base/text.h"
#include "config/standby.h"
#include "daemon/slurmctld/backup_stream.h"
#include "daemon/slurmctld/recovery.h"
#include "daemon/slurmctld/restore_parts.h"
#include "daemon/slurmctld/state_release.h"
#include "daemon/slurmctld/trust.h"
#include "net/address.h"
#include "os/clock.h"
#include "os/files.h"
#include "wire/codec.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

// What the home has now. Not readable: damaged, or of a later release.
struct Present {
  bool any = false;
  std::optional<State> state;
};

Result<Present> look_at(LogHome& home, const StatePlace& place) {
  Present present;
  Status known = check_state_release(place);
  StateBuilder builder;
  Replay replay = builder.replay();
  Replay noting{.snapshot =
                    [&](std::uint64_t seq) {
                      present.any = true;
                      return known ? replay.snapshot(seq) : known;
                    },
                .chunk = replay.chunk,
                .record =
                    [&](std::uint64_t seq, std::string_view bytes) {
                      present.any = true;
                      return known ? replay.record(seq, bytes) : known;
                    }};
  auto follower = home.follow();
  if (!follower) return std::unexpected(follower.error());
  for (bool more = true; more;) {
    auto polled = (*follower)->poll(noting);
    // Whatever cannot be read is something.
    if (!polled) return Present{.any = true, .state = {}};
    more = *polled;
  }
  if (!present.any) return present;
  if (builder.finish()) present.state = builder.take();
  return present;
}

// A file that appears as a whole, for its owner only.
class KeptFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}
  ~KeptFile() {
    if (fd_) ::unlink(part_.c_str());
  }
  Status begin() {
    fd_ = Fd(::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    return fd_ ? Status() : fail(errno_text(part_));
  }
  Status add(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t n = ::write(fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(errno_text(part_));
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
  }
  Status finish() {
    if (::fsync(fd_.get()) != 0 || ::rename(part_.c_str(), path_.c_str()) != 0)
      return fail(errno_text(path_));
    fd_ = Fd();
    return {};
  }

 private:
  const std::string path_, part_;
  Fd fd_;
};

// As `yardmaster backup` would have written it.
Status keep_readable(LogHome& home, const StatePlace& place, const State& state, KeptFile& file) {
  auto files = files_beside(&home, place.dir);
  if (!files) return std::unexpected(files.error());
  auto opened = home.open({}, {});
  if (!opened) return std::unexpected(opened.error());
  auto written =
      write_backup({.state = state,
                    .blob = [&](const std::string& id) { return opened->blobs->get(id); },
                    .files = std::move(*files)},
                   [&](const std::string& bytes, bool) { return file.add(bytes); });
  return written ? Status() : std::unexpected(written.error());
}

// Each key as a file of a backup that has no state: for people, and for whoever can read it.
Status keep_raw(LogHome& home, const ClusterConfig& config, KeptFile& file) {
  wire::BackupWriter writer;
  BackupHead head{.cluster = config.cluster_name, .seq = {}, .time = wall_clock()};
  Status begun = file.add(wire::BackupWriter::preamble() +
                          writer.record(wire::BackupKind::Head, wire::encode(head)));
  if (!begun) return begun;
  Status kept = home.each_key([&](std::string_view name, std::string_view value) {
    BackupFile one{.name = std::string(name), .bytes = std::string(value)};
    return file.add(writer.record(wire::BackupKind::File, wire::encode(one)));
  });
  return kept ? file.add(writer.end()) : kept;
}

// The file's name.
Result<std::string> set_aside(LogHome& home, const StatePlace& place, const ClusterConfig& config,
                              const RestoreOrder& order, const Present& present) {
  std::string path = fmt::format("{}.before-{}", order.file, wall_clock().unix_seconds());
  if (!present.state) path += ".keys";
  for (int i = 1; ::access(path.c_str(), F_OK) == 0; ++i) path += fmt::format("-{}", i);
  KeptFile file(path);
  Status kept = file.begin();
  if (kept)
    kept = present.state ? keep_readable(home, place, *present.state, file)
                         : keep_raw(home, config, file);
  if (kept) kept = file.finish();
  if (!kept) return fail("nothing was changed: " + kept.error().text);
  return path;
}

// A book that cannot be read keeps everything as it is.
Status write_texts(LogHome& home, const BackupContents& found) {
  auto text = home.shared_text(kAuthorityBook);
  if (!text) return std::unexpected(text.error());
  auto book = *text ? TrustBook::parse(**text) : TrustBook();
  if (!book) return fail("the book that is there cannot be read: " + book.error().text);
  if (found.book)
    if (Status ok = home.share_text(kAuthorityBook, merged(*book, *found.book).text()); !ok)
      return ok;
  for (const char* name : {kAuthorityCertificate, kAuthorityKey})
    for (const BackupFile& file : found.files)
      if (file.name == std::string("tls/") + name)
        if (Status ok = home.share_text(name, file.bytes); !ok) return ok;
  return {};
}

Status write_log(LogHome& home, const RestoreOrder& order, const BackupContents& found) {
  if (Status ok = home.clear(); !ok) return ok;
  auto opened = home.open({}, {});
  if (!opened) return std::unexpected(opened.error());
  if (Status ok = put_blobs(*opened->blobs, order.file); !ok) return ok;
  return opened->log->write_snapshot(found.state.seq.value, [&](const ChunkFn& take) {
    Status taken;
    wire::write_snapshot(found.state, [&](std::string_view chunk) {
      taken = take(chunk);
      return taken.has_value();
    });
    return taken;
  });
}

// As the next slurmctld will.
Status read_back(LogHome& home, const BackupContents& found) {
  auto again = recover(home, {});
  if (!again) return std::unexpected(again.error());
  if (wire::hash_of(again->state) != wire::hash_of(found.state))
    return fail("what was written does not read as what was to be written");
  return {};
}

}  // namespace

Result<std::string> restore_to_home(LogHome& home, const ClusterConfig& config,
                                    const RestoreOrder& order, const BackupContents& found) {
  auto lead = RestoreLead::take(home, standby_of(config).lease_time);
  if (!lead) return std::unexpected(lead.error());
  StatePlace place{.home = &home, .dir = config.state_dir};
  auto present = look_at(home, place);
  if (!present) return std::unexpected(present.error());
  if (present->any && !order.force)
    return fail(fmt::format(
        "{} has a state already{}; the backup is of event {}. --force writes it into a file "
        "beside the backup, and replaces it",
        config.state_dir,
        present->state ? fmt::format(", of event {}", present->state->seq.value) : "",
        found.head.seq.value));
  Result<std::string> aside = "";
  if (present->any) aside = set_aside(home, place, config, order, *present);
  if (!aside) return aside;
  Status done = write_texts(home, found);
  if (done) done = bar_state(place);
  if (done) done = home.note_restore(false);
  if (done) done = write_log(home, order, found);
  if (done) done = read_back(home, found);
  if (done) done = home.note_restore(true);
  if (done) done = set_state_release(place);
  if (done) return aside;
  if (aside->empty()) return std::unexpected(done.error());
  return fail(fmt::format("{}; the state before is in {}", done.error().text, *aside));
}

}  // namespace ym
