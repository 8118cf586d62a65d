// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_log.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"
#include "store/segment.h"

namespace ym {
namespace {

constexpr std::uint64_t kPartsAtOnce = 8;
constexpr char kLastPart = '.', kMoreParts = '+';
constexpr std::size_t kSeqDigits = 20;

std::string part_key(std::uint64_t seq, std::size_t part) {
  return fmt::format("{}{:06}", etcd_log_key(seq), part);
}
std::string snapshot_chunk_key(std::uint64_t seq, std::size_t chunk) {
  return fmt::format("/snapshot/{:020}/{:08}", seq, chunk);
}
std::string snapshot_done_key(std::uint64_t seq) { return fmt::format("/snapshots/{:020}", seq); }

// Of P/log/SEQ/PART or P/snapshots/SEQ, `at` is where SEQ begins.
std::uint64_t seq_in(std::string_view key, std::size_t at) {
  return key.size() < at + kSeqDigits ? 0 : parse_u64(key.substr(at, kSeqDigits)).value_or(0);
}

// The first record numbers of complete snapshots, the newest first.
Result<std::vector<std::pair<std::uint64_t, std::uint64_t>>> snapshots(const EtcdHome& home,
                                                                       Etcd& etcd) {
  std::string prefix = home.key("/snapshots/");
  auto found = etcd.range({.from = prefix, .to = end_of_prefix(prefix), .last_first = true});
  if (!found) return std::unexpected(found.error());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (const EtcdPair& pair : *found)
    out.emplace_back(seq_in(pair.key, prefix.size()), parse_u64(pair.value).value_or(0));
  return out;
}

}  // namespace

std::string etcd_log_key(std::uint64_t seq) { return fmt::format("/log/{:020}/", seq); }

Result<bool> EtcdFollower::poll(const Replay& replay) {
  if (!begun_) {
    if (Status ok = begin(replay); !ok) return std::unexpected(ok.error());
    begun_ = true;
  }
  std::string prefix = home_.key("/log/");
  unfinished_.clear();
  std::string bytes;
  std::uint64_t first = 0;
  bool gave = false;
  std::string from = home_.key(etcd_log_key(next_));
  for (;;) {
    auto parts = etcd_.range({.from = from, .to = end_of_prefix(prefix), .limit = kPartsAtOnce});
    if (!parts) return std::unexpected(parts.error());
    for (const EtcdPair& part : *parts) {
      std::uint64_t seq = seq_in(part.key, prefix.size());
      if (seq != first) bytes.clear();
      first = seq;
      if (bytes.empty() && seq != next_)
        return fail(store_errc::kPruned,
                    fmt::format("record {} is not kept in {}", next_, home_.describe()));
      if (part.value.empty()) return fail(store_errc::kCorrupt, part.key + " is empty");
      bytes.append(part.value, 1);
      unfinished_ = home_.key(etcd_log_key(seq));
      if (part.value.front() != kLastPart) continue;
      if (Status ok = give(bytes, replay); !ok) return std::unexpected(ok.error());
      bytes.clear();
      first = 0;
      unfinished_.clear();
      gave = true;
    }
    if (parts->size() < kPartsAtOnce) return false;
    if (gave && bytes.empty()) return true;
    from = parts->back().key + '\0';  // a long group: its next parts
  }
}

Status EtcdFollower::give(std::string_view bytes, const Replay& replay) {
  for (std::size_t at = 0; at < bytes.size();) {
    auto record = decode_record(bytes, at);
    if (!record || record->seq != next_)
      return fail(store_errc::kCorrupt,
                  fmt::format("record {} is damaged in {}", next_, home_.describe()));
    if (replay.record)
      if (Status ok = replay.record(next_, record->payload); !ok) return ok;
    ++next_;
    at += record->bytes;
  }
  return {};
}

Status EtcdFollower::begin(const Replay& replay) {
  auto found = snapshots(home_, etcd_);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) return {};
  auto [seq, chunks] = found->front();
  if (replay.snapshot)
    if (Status ok = replay.snapshot(seq); !ok) return ok;
  std::string whole;
  for (std::size_t i = 0; i < chunks; ++i) {
    auto chunk = etcd_.range({.from = home_.key(snapshot_chunk_key(seq, i))});
    if (!chunk) return std::unexpected(chunk.error());
    if (chunk->size() != 1)
      return fail(store_errc::kPruned, fmt::format("snapshot {} is gone", seq));
    const std::string& part = chunk->front().value;
    if (part.empty()) return fail(store_errc::kCorrupt, chunk->front().key + " is empty");
    whole.append(part, 1);
    if (part.front() != kLastPart) continue;
    if (replay.chunk)
      if (Status ok = replay.chunk(whole); !ok) return ok;
    whole.clear();
  }
  snapshot_ = seq;
  next_ = seq + 1;
  return {};
}

Result<std::unique_ptr<EtcdLog>> EtcdLog::open(EtcdHome& home, const JournalOptions& options,
                                               const Replay& replay, Recovered& found) {
  std::unique_ptr<EtcdLog> log(new EtcdLog(home, options));
  EtcdFollower reader(home);
  if (options.known_seq > 0) reader.begin_after(options.known_seq);
  std::uint64_t begun = reader.next_seq();
  for (bool more = true; more;) {
    auto polled = reader.poll(replay);
    if (!polled) return std::unexpected(polled.error());
    more = *polled;
  }
  // Parts of a group whose leader never finished it: it was not acknowledged.
  if (!reader.unfinished().empty()) {
    EtcdChange change;
    change.deletes.push_back(
        {.from = reader.unfinished(), .to = end_of_prefix(reader.unfinished())});
    if (auto done = home.change(log->etcd_, std::move(change)); !done)
      return std::unexpected(done.error());
    found.torn_bytes = 1;
  }
  log->next_ = reader.next_seq();
  log->durable_ = log->next_ - 1;
  found.snapshot_seq = options.known_seq > 0 ? options.known_seq : reader.snapshot_seq();
  found.records = reader.next_seq() - std::max(begun, found.snapshot_seq + 1);
  found.last_seq = log->durable_;
  std::string prefix = home.key("/log/");
  auto oldest = log->etcd_.range(
      {.from = prefix, .to = end_of_prefix(prefix), .limit = 1, .keys_only = true});
  if (!oldest) return std::unexpected(oldest.error());
  log->oldest_ = oldest->empty() ? log->next_ : seq_in(oldest->front().key, prefix.size());
  return log;
}

Result<std::uint64_t> EtcdLog::append(std::span<const std::string_view> payloads) {
  std::uint64_t bytes = sending_.bytes.size() + waiting_.bytes.size();
  for (std::string_view payload : payloads) {
    if (payload.size() > options_.record_bytes_max)
      return fail(store_errc::kTooBig,
                  fmt::format("a record of {} bytes is too long", payload.size()));
    bytes += record_bytes(payload.size());
  }
  if (bytes > options_.pending_bytes_max)
    return fail(store_errc::kTooBig, "too much waits for etcd already");
  std::uint64_t first = next_;
  if (waiting_.bytes.empty()) waiting_.first = next_;
  for (std::string_view payload : payloads) {
    append_record(waiting_.bytes, next_, static_cast<std::uint32_t>(next_ - waiting_.first),
                  payload);
    ++next_;
  }
  waiting_.next = next_;
  return first;
}

Status EtcdLog::commit() {
  while (!sending_.bytes.empty() || !waiting_.bytes.empty()) {
    if (fenced_) return std::unexpected(*failure_);
    if (sending_.bytes.empty()) sending_ = std::exchange(waiting_, {});
    if (Status sent = send(sending_); !sent) {
      failure_ = sent.error();
      fenced_ = sent.error().code == store_errc::kFenced;
      return sent;
    }
    durable_ = sending_.next - 1;
    sending_ = {};
  }
  failure_.reset();
  return {};
}

Status EtcdLog::send(const Group& group) {
  std::string_view rest = group.bytes;
  for (std::size_t part = 0; !rest.empty(); ++part) {
    std::string_view bytes = rest.substr(0, kEtcdValueMax);
    rest.remove_prefix(bytes.size());
    EtcdChange change;
    change.puts.push_back({home_.key(part_key(group.first, part)),
                           (rest.empty() ? kLastPart : kMoreParts) + std::string(bytes)});
    if (auto done = home_.change(etcd_, std::move(change)); !done)
      return std::unexpected(done.error());
  }
  return {};
}

Result<std::uint64_t> EtcdLog::read_from(std::uint64_t seq, std::uint64_t bytes_max,
                                         const FeedFn& fn) {
  if (seq < oldest_)
    return fail(
        store_errc::kPruned,
        fmt::format("record {} is no longer kept (pruned), the oldest is {}", seq, oldest_));
  if (seq > durable_) return seq;
  // The group that it is in, from its first record on.
  std::string prefix = home_.key("/log/");
  auto group = etcd_.range({.from = prefix,
                            .to = home_.key(etcd_log_key(seq + 1)),
                            .limit = 1,
                            .keys_only = true,
                            .last_first = true});
  if (!group) return std::unexpected(group.error());
  if (group->empty()) return fail(store_errc::kPruned, "the record is no longer kept");
  EtcdFollower reader(home_);
  reader.begin_after(seq_in(group->front().key, prefix.size()) - 1);
  std::uint64_t next = seq, left = bytes_max;
  Replay give{
      .snapshot = {}, .chunk = {}, .record = [&](std::uint64_t at, std::string_view payload) {
        if (at < seq || at > durable_ || left == 0) return Status();
        fn(at, payload);
        next = at + 1;
        left -= std::min<std::uint64_t>(left, payload.size() + kRecordHeaderBytes);
        return Status();
      }};
  if (auto polled = reader.poll(give); !polled) return std::unexpected(polled.error());
  return next;
}

Result<std::size_t> EtcdLog::prune(std::uint64_t keep_from) {
  auto kept = snapshots(home_, etcd_);
  if (!kept) return std::unexpected(kept.error());
  if (kept->empty()) return 0;
  std::uint64_t oldest = kept->at(std::min(kept->size(), kSnapshotsKept) - 1).first;
  keep_from = std::min(keep_from, oldest + 1);
  // A group goes if the next one begins at or before what is kept.
  std::string prefix = home_.key("/log/");
  auto group = etcd_.range({.from = prefix,
                            .to = home_.key(etcd_log_key(keep_from + 1)),
                            .limit = 1,
                            .keys_only = true,
                            .last_first = true});
  if (!group) return std::unexpected(group.error());
  if (group->empty()) return 0;
  std::uint64_t first = seq_in(group->front().key, prefix.size());
  if (first <= oldest_) return 0;
  EtcdChange change;
  change.deletes.push_back({.from = prefix, .to = home_.key(etcd_log_key(first))});
  auto revision = home_.change(etcd_, std::move(change));
  if (!revision) return std::unexpected(revision.error());
  oldest_ = first;
  // Somebody else may have compacted beyond that already.
  static_cast<void>(etcd_.compact(*revision));
  return 1;
}

Status EtcdLog::write_snapshot(std::uint64_t seq, const Produce& produce) {
  Etcd etcd = home_.connect();  // beside everything else
  std::size_t chunks = 0;
  auto put = [&](std::string bytes) -> Status {
    EtcdChange change;
    change.puts.push_back({home_.key(snapshot_chunk_key(seq, chunks++)), std::move(bytes)});
    auto done = home_.change(etcd, std::move(change));
    return done ? Status() : std::unexpected(done.error());
  };
  // The reader gets the chunks as they were given: a long one travels in parts.
  Status made = produce([&](std::string_view chunk) -> Status {
    do {
      std::string_view part = chunk.substr(0, kEtcdValueMax);
      chunk.remove_prefix(part.size());
      Status done = put((chunk.empty() ? kLastPart : kMoreParts) + std::string(part));
      if (!done) return done;
    } while (!chunk.empty());
    return {};
  });
  if (!made) return made;
  auto old = snapshots(home_, etcd);
  if (!old) return std::unexpected(old.error());
  EtcdChange change;
  change.puts.push_back({home_.key(snapshot_done_key(seq)), std::to_string(chunks)});
  for (std::size_t i = kSnapshotsKept - 1; i < old->size() && i < 10; ++i) {
    std::uint64_t gone = old->at(i).first;
    if (gone == seq) continue;
    std::string chunk_prefix = home_.key(fmt::format("/snapshot/{:020}/", gone));
    change.deletes.push_back({.from = home_.key(snapshot_done_key(gone))});
    change.deletes.push_back({.from = chunk_prefix, .to = end_of_prefix(chunk_prefix)});
  }
  auto done = home_.change(etcd, std::move(change));
  return done ? Status() : std::unexpected(done.error());
}

}  // namespace ym
