// SPDX-License-Identifier: Apache-2.0
#include "store/etcd_home.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"
#include "store/etcd_blobs.h"
#include "store/etcd_log.h"

namespace ym {
namespace {

constexpr std::size_t kMembersMax = 16;

// A text has a name, and a version under which its parts are; the name says which one counts.
std::string text_part(const std::string& name, const std::string& version, std::size_t part) {
  return fmt::format("/text/{}/{}/{:06}", name, version, part);
}

}  // namespace

Result<EtcdPlace> parse_etcd_place(std::string_view location) {
  if (!is_etcd_place(location)) return fail("neither an etcd:// nor an etcds:// location");
  EtcdPlace place;
  place.tls = location.starts_with(kEtcdTlsScheme);
  std::string_view rest = location.substr((place.tls ? kEtcdTlsScheme : kEtcdScheme).size());
  std::size_t slash = rest.find('/');
  place.prefix = slash == std::string_view::npos ? "/yardmaster" : std::string(rest.substr(slash));
  while (place.prefix.size() > 1 && place.prefix.ends_with('/')) place.prefix.pop_back();
  if (place.prefix == "/") place.prefix = "/yardmaster";
  for (std::string_view member : split_words(rest.substr(0, slash), ','))
    place.members.emplace_back(member);
  if (place.members.empty() || place.members.size() > kMembersMax)
    return fail(fmt::format("{}: one to {} members are needed", location, kMembersMax));
  return place;
}

EtcdHome::EtcdHome(EtcdHomeOptions options)
    : options_(std::move(options)), etcd_(options_.connect()) {}

std::unexpected<Error> EtcdHome::lost() const {
  return fail(store_errc::kFenced,
              fmt::format("another controller has taken over, or the lease has ended: epoch {} is "
                          "over",
                          epoch_.load()));
}

Result<Leadership> EtcdHome::look() {
  std::lock_guard lock(mutex_);
  auto leader = etcd_.range({.from = key("/leader")});
  if (!leader) return std::unexpected(leader.error());
  auto epoch = etcd_.range({.from = key("/epoch")});
  if (!epoch) return std::unexpected(epoch.error());
  Leadership seen{.vacant = leader->empty(), .kept_by_home = true};
  if (!epoch->empty()) seen.epoch = parse_u64(epoch->front().value).value_or(0);
  if (leader->empty()) return seen;
  std::string_view text = leader->front().value;
  seen.beats = leader->front().mod_revision;
  seen.name = text.substr(std::min(text.find(' '), text.size() - 1) + 1);
  return seen;
}

Result<std::uint64_t> EtcdHome::seize(const std::string& name, const Leadership& seen) {
  YM_CHECK(epoch_ == 0);
  std::lock_guard lock(mutex_);
  auto last = etcd_.range({.from = key("/epoch")});
  if (!last) return std::unexpected(last.error());
  std::uint64_t epoch = last->empty() ? 0 : parse_u64(last->front().value).value_or(0);
  if (epoch != seen.epoch) return fail(store_errc::kExists, "another controller has taken over");
  auto lease = etcd_.grant(options_.ttl_s);
  if (!lease) return std::unexpected(lease.error());
  ++epoch;
  EtcdChange change{.conditions = {{key("/leader"), seen.vacant ? 0 : seen.beats},
                                   {key("/epoch"), last->empty() ? 0 : last->front().mod_revision}},
                    .puts = {{key("/leader"), fmt::format("{} {}", epoch, name), *lease},
                             {key("/epoch"), std::to_string(epoch)}}};
  auto changed = etcd_.change(change);
  if (!changed || !changed->done) {
    static_cast<void>(etcd_.revoke(*lease));
    if (!changed) return std::unexpected(changed.error());
    return fail(store_errc::kExists, "another controller was quicker");
  }
  lease_ = *lease;
  leader_at_ = changed->revision;
  epoch_ = epoch;
  return epoch;
}

Status EtcdHome::renew() {
  std::lock_guard lock(mutex_);
  if (epoch_ == 0) return fail(store_errc::kFenced, "this controller does not lead");
  auto left = etcd_.keep_alive(lease_);
  if (!left) return std::unexpected(left.error());
  if (*left == 0) return lost();
  // The lease may be well, and the key another's: who was asked to take over has overwritten it.
  auto leader = etcd_.range({.from = key("/leader"), .keys_only = true});
  if (!leader) return std::unexpected(leader.error());
  if (leader->empty() || leader->front().mod_revision != leader_at_) return lost();
  return {};
}

void EtcdHome::release() {
  std::lock_guard lock(mutex_);
  if (epoch_ == 0) return;
  static_cast<void>(etcd_.revoke(lease_));  // the key goes with it
  epoch_ = 0;
  leader_at_ = 0;
}

Result<std::uint64_t> EtcdHome::change(Etcd& etcd, EtcdChange change) const {
  std::uint64_t at = leader_at_;
  if (at == 0) return lost();
  change.conditions.push_back({key("/leader"), at});
  auto changed = etcd.change(change);
  if (!changed) return std::unexpected(changed.error());
  if (!changed->done) return lost();
  return changed->revision;
}

Status EtcdHome::confirm(Etcd& etcd) const {
  if (epoch_ == 0) return lost();
  auto leader = etcd.range({.from = key("/leader"), .keys_only = true});
  if (!leader) return std::unexpected(leader.error());
  if (leader->empty() || leader->front().mod_revision != leader_at_) return lost();
  return {};
}

Result<std::unique_ptr<LogFollower>> EtcdHome::follow() {
  return std::make_unique<EtcdFollower>(*this);
}

Result<OpenedLog> EtcdHome::open(JournalOptions options, const Replay& replay) {
  OpenedLog opened;
  auto log = EtcdLog::open(*this, options, replay, opened.found);
  if (!log) return std::unexpected(log.error());
  auto blobs = EtcdBlobs::open(*this);
  if (!blobs) return std::unexpected(blobs.error());
  opened.log = std::move(*log);
  opened.blobs = std::move(*blobs);
  return opened;
}

Result<std::optional<std::string>> EtcdHome::shared_text(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto current = etcd_.range({.from = key("/texts/" + name)});
  if (!current) return std::unexpected(current.error());
  if (current->empty()) return std::nullopt;
  std::vector<std::string_view> words = split_words(current->front().value, ' ');
  std::uint64_t parts = words.size() == 2 ? parse_u64(words[1]).value_or(0) : 0;
  std::string text;
  for (std::size_t i = 0; i < parts; ++i) {
    auto part = etcd_.range({.from = key(text_part(name, std::string(words[0]), i))});
    if (!part) return std::unexpected(part.error());
    if (part->size() != 1)
      return fail(store_errc::kCorrupt, fmt::format("a part of {} is not in etcd", name));
    text += part->front().value;
  }
  return text;
}

// What was before stays until the whole of it is there.
Status EtcdHome::share_text(const std::string& name, const std::string& text) {
  std::lock_guard lock(mutex_);
  std::string version = fmt::format("{:010}-{:010}", epoch_.load(), ++shared_);
  std::size_t parts = 0;
  for (std::string_view rest = text; !rest.empty(); ++parts) {
    EtcdChange change;
    change.puts.push_back(
        {key(text_part(name, version, parts)), std::string(rest.substr(0, kEtcdValueMax))});
    rest.remove_prefix(std::min(rest.size(), kEtcdValueMax));
    if (auto done = this->change(etcd_, std::move(change)); !done)
      return std::unexpected(done.error());
  }
  EtcdChange change;
  change.deletes.push_back(
      {.from = key("/text/" + name + "/"), .to = key(text_part(name, version, 0))});
  change.puts.push_back({key("/texts/" + name), fmt::format("{} {}", version, parts)});
  auto done = this->change(etcd_, std::move(change));
  return done ? Status() : std::unexpected(done.error());
}

Result<std::string> EtcdHome::last_restore() {
  auto text = shared_text("restored");
  if (!text) return std::unexpected(text.error());
  return text->value_or("");
}

Status EtcdHome::note_restore(bool done) {
  return share_text("restored", restore_text(epoch_, done));
}

Status EtcdHome::each_key(const Raw& take) {
  std::lock_guard lock(mutex_);
  std::string from = key("/"), to = end_of_prefix(from);
  std::size_t prefix = from.size();
  for (;;) {
    auto some = etcd_.range({.from = from, .to = to, .limit = 8});
    if (!some) return std::unexpected(some.error());
    if (some->empty()) return {};
    for (const EtcdPair& pair : *some)
      if (Status taken = take(std::string_view(pair.key).substr(prefix), pair.value); !taken)
        return taken;
    from = some->back().key + '\0';
  }
}

Status EtcdHome::clear() {
  std::lock_guard lock(mutex_);
  EtcdChange change;
  for (const char* part : {"/log/", "/snapshot/", "/snapshots/", "/blob/", "/blobs/"})
    change.deletes.push_back({.from = key(part), .to = end_of_prefix(key(part))});
  auto done = this->change(etcd_, std::move(change));
  return done ? Status() : std::unexpected(done.error());
}

}  // namespace ym
