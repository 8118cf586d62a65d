// SPDX-License-Identifier: Apache-2.0
// Questions: answered from the published view, without the core.
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "config/security.h"
#include "config/show_order.h"
#include "config/standby.h"
#include "controller/queries/explain.h"
#include "controller/queries/reservations.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "daemon/slurmctld/desk_impl.h"
#include "model/partition_access.h"
#include "net/token.h"
#include "notation/hostlist.h"
#include "notation/timestamp.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/users.h"
#include "schedule/knobs.h"
#include "schedule/preempt.h"
#include "site/configuration.h"

namespace ym {
namespace {

constexpr std::size_t kRowsPerFrame = 200;
constexpr std::size_t kPortion = 512 * 1024;  // what waits for a reader at most
constexpr std::uint64_t kFeedBytes = 1 << 20;

}  // namespace

bool Viewer::sees(const Job& job) const {
  bool own = job.spec->uid == uid ||
             std::ranges::find(coordinates, job.spec->account) != coordinates.end();
  if (own || own_only) return own;
  const std::string& label = job.spec->extras->specials->mcs_label;
  if (label.empty() || labels == McsKind::None) return true;
  if (labels == McsKind::User) return label == user_name;
  return labels == McsKind::Group && std::ranges::find(groups, label) != groups.end();
}

// A job that waits is in all the partitions that it may start in; each of them shows it.
bool Desk::Listing::shows(const Job& job) const {
  if (viewer && !viewer->sees(job)) return false;
  if (unseen.empty()) return true;
  auto is_unseen = [&](std::string_view name) {
    return std::ranges::find(unseen, name) != unseen.end();
  };
  if (const Partition* in = view.state.find(job.partition)) return !is_unseen(in->spec->name);
  return !std::ranges::all_of(split_words(job.spec->partitions, ','), is_unseen);
}

std::vector<std::string> Desk::unseen_partitions(const View& view, const Peer& peer) {
  std::vector<std::string> names;
  if (peer.role == "node") return names;
  std::optional<Caller> caller;  // few partitions are for some only: names are not asked for then
  view.state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    if (!is_for_some(*partition.spec)) return;
    if (!caller) caller = s_.directory->caller(peer, wall_clock());
    if (!is_shown_to(*partition.spec, *caller)) names.push_back(partition.spec->name);
  });
  return names;
}

std::optional<Viewer> Desk::viewer_of_jobs(const View& view, const Peer& peer) {
  bool own_only = security_of(*view.config).hidden.jobs;
  const McsRules& mcs = view.config->mcs;
  bool by_label = mcs.kind != McsKind::None && mcs.private_data;
  if (!own_only && !by_label) return std::nullopt;
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (caller.operates()) return std::nullopt;
  return Viewer{.uid = caller.uid,
                .coordinates = std::move(caller.coordinates),
                .own_only = own_only,
                .labels = by_label ? mcs.kind : McsKind::None,
                .user_name = std::move(caller.user_name),
                .groups = std::move(caller.groups)};
}

void Desk::query_jobs(ReplyTo to, const Peer& peer, const Frame& frame) {
  Listing listing{
      .view = s_.published->view(), .query = {}, .correlation = to.correlation, .next = {}};
  listing.viewer = viewer_of_jobs(listing.view, peer);
  listing.unseen = unseen_partitions(listing.view, peer);
  // The same words mean the same to those who are shown the same. No name has a zero in it.
  std::string question = join(listing.unseen, ",") + '\0' + frame.payload;
  if (!listing.viewer && answer_again(to, peer, question, listing.view)) return;
  if (!read(to, frame, listing.query)) return;
  if (!listing.query.hide) listing.unseen.clear();
  const JobFilter& filter = listing.query.filter;
  if (filter.targets.size() == 1) {
    auto records = records_of(listing.view.state, filter.targets.front());
    // What is not shown is not there.
    std::erase_if(records,
                  [&](JobId id) { return !listing.shows(listing.view.state.jobs.at(id.value)); });
    if (records.empty()) return deny(to, ym::refuse(Errc::InvalidJobId).error());
  }
  if (listing.query.fields) begin_brief(listing, peer, question);
  list(to.connection, peer, std::move(listing));
}

// A plan of its own: with a long queue it takes its time, on the thread that gives way.
void Desk::query_explanation(ReplyTo to, const Peer& peer, const Frame& frame) {
  QueryExplanation query;
  if (!read(to, frame, query)) return;
  View view = s_.published->view();
  if (auto viewer = viewer_of_jobs(view, peer)) {
    const Job* job = view.state.find(query.target.job);
    if (job && !viewer->sees(*job)) return deny(to, ym::refuse(Errc::InvalidJobId).error());
  }
  Caller caller = s_.directory->caller(peer, wall_clock());
  long_answers_.begin(to.connection, peer.uid, [this, to, query, view, caller] {
    LivePlan live{.rules = view.rules,
                  .policy = view.policy,
                  .verdicts = view.verdicts,
                  .budget = read_knobs(view.config->scheduler_parameters).knobs.budget,
                  .preempt = view.config->preempt,
                  .scale = {.rules = view.config->priority}};
    Instant now = wall_clock();
    auto told = query.what_if ? explain_changed(*view.config, view.state, query, caller, live, now)
                              : explain(view.state, query.target, live, now);
    if (told)
      answer(to, *told);
    else
      deny(to, told.error());
    return false;
  });
  long_answers_.go_on(to.connection);
}

// What fits at once is sent here, on the asker's network thread.
void Desk::list(ConnectionId connection, const Peer& peer, Listing listing) {
  if (!list_more(connection, listing)) return;
  auto rest = [this, connection, listing = std::make_unique<Listing>(std::move(listing))] {
    return list_more(connection, *listing);
  };
  long_answers_.begin(connection, peer.uid, std::move(rest));
}

bool Desk::list_more(ConnectionId connection, Listing& listing) {
  if (listing.steps) return list_steps(connection, listing);
  if (listing.history) return list_history(connection, listing);
  return listing.brief ? list_brief(connection, listing) : list_some(connection, listing);
}

// Sends rows until the end or until the reader is behind; true if there is more to send later.
// O(rows sent), on the caller's network thread; the snapshot keeps still meanwhile.
bool Desk::list_some(ConnectionId connection, Listing& listing) {
  Instant now = wall_clock();
  const PriorityScale scale = scale_of(listing.view);
  const bool with_parts = listing.query.with_priority;
  JobRows rows;
  JobId frame_begin = listing.next;
  auto send = [&](bool more) {
    std::uint16_t flags = more ? wire::kFlagMore : std::uint16_t{0};
    FrameHeader header{
        .type = wire::message_number<JobRows>, .flags = flags, .correlation = listing.correlation};
    SendResult result =
        s_.server->send(connection, header, wire::encode(rows), WhenFull::Refuse, kPortion);
    rows.rows.clear();
    return result;
  };
  bool full = false;
  auto visit = [&](const Job& job) {
    if (!listing.shows(job)) return true;
    if (rows.rows.empty()) frame_begin = job.id;
    rows.rows.push_back(job_row(listing.view.state, job, *listing.view.verdicts, now));
    rows.rows.back().preemptable_from =
        preemptable_from(listing.view.config->preempt, listing.view.state, job);
    rows.rows.back().largest_bills = listing.view.config->priority.max_tres;
    if (!job.allocation->nodes.empty()) rows.rows.back().cpu_ids = s_.published->cpu_ids_of(job);
    if (scale.rules.counts() || with_parts)
      count_priority(rows.rows.back(), listing.view.state, job, now, scale, with_parts);
    if (rows.rows.size() < kRowsPerFrame) return true;
    full = send(true) == SendResult::Full;
    if (!full) frame_begin = JobId{job.id.value + 1};
    return !full;
  };
  for_each_selected(listing.view.state, listing.query.filter, visit, listing.next);
  if (!full) full = send(false) == SendResult::Full;
  listing.next = frame_begin;  // where the first frame that was not taken begins
  return full;
}

void Desk::query_nodes(ReplyTo to, const Peer& peer, const Frame& frame) {
  QueryNodes query;
  if (!read(to, frame, query)) return;
  View view = s_.published->view();
  NodeRows rows;
  bool hidden = security_of(*view.config).hidden.nodes && peer.role != "node";
  if (hidden && !s_.directory->caller(peer, wall_clock()).operates()) return answer(to, rows);
  Instant now = wall_clock();
  const std::vector<NodeId> planned = planned_nodes(view.state, *view.verdicts);
  const std::vector<NodeId> blocked = blocked_nodes(view.state, *view.rules.topologies);
  auto add = [&](const Node& node) {
    NodeRow row = node_row(view.state, node);
    mark_reservation(row, view.state, now);
    mark_planned(row, planned);
    mark_obstacles(row, blocked, view.config->config_overrides);
    NodeLoad load = s_.published->load_of(node.id);
    row.cpu_load = load.cpu_load;
    row.free_memory_mb = load.free_memory_mb;
    rows.rows.push_back(std::move(row));
  };
  if (query.nodes.empty()) {
    bool hide = view.config->power.hide_cloud;
    view.state.nodes.for_each([&](std::uint64_t, const Node& node) {
      if (!(hide && node.cloud() && node.switched_off())) add(node);
    });
    return answer(to, rows);
  }
  auto hosts = Hostlist::parse(query.nodes);
  if (!hosts) return deny(to, ym::refuse(Errc::InvalidNodeName, hosts.error().text).error());
  hosts->for_each([&](std::string_view host) {
    if (const Node* node = view.state.find_node(host)) add(*node);
  });
  answer(to, rows);
}

void Desk::query_partitions(ReplyTo to, const Peer& peer, const Frame& frame) {
  QueryPartitions query;
  if (!read(to, frame, query)) return;
  View view = s_.published->view();
  PartitionRows rows;
  if (security_of(*view.config).hidden.partitions &&
      !s_.directory->caller(peer, wall_clock()).operates())
    return answer(to, rows);
  std::vector<std::string> unseen;
  if (query.hide) unseen = unseen_partitions(view, peer);
  view.state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    const std::string& name = partition.spec->name;
    bool wanted = query.name.empty() || query.name == name;
    if (wanted && std::ranges::find(unseen, name) == unseen.end())
      rows.rows.push_back(partition_row(view.state, partition));
  });
  if (!query.name.empty() && rows.rows.empty())
    return deny(to, ym::refuse(Errc::InvalidPartition).error());
  answer(to, rows);
}

// The core knows no name service: whether its users exist is asked here.
void Desk::change_reservation(ReplyTo to, const Peer& peer, Frame& frame) {
  UpdateReservation update;
  if (!read(to, frame, update)) return;
  for (std::string_view name : split_words(update.wanted.users, ',')) {
    if (name.starts_with('-') || name.starts_with('+')) name.remove_prefix(1);
    if (!user_by_name(std::string(name))) return deny(to, ym::refuse(Errc::InvalidUserId).error());
  }
  to_core<UpdateReservation>(to, peer, frame);
}

void Desk::query_reservations(ReplyTo to, const Peer& peer, const Frame& frame) {
  QueryReservations query;
  if (!read(to, frame, query)) return;
  View view = s_.published->view();
  ReservationRows rows = reservation_rows(view.state, query.name, wall_clock());
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (security_of(*view.config).hidden.reservations && !caller.operates())
    std::erase_if(rows.rows, [&](const ReservationRow& row) {
      const Reservation* known = view.state.find_reservation(row.reservation.name);
      return !known || !admits(*known, caller.user_name, caller.groups, "");
    });
  if (!query.name.empty() && rows.rows.empty())
    return deny(to, ym::refuse(Errc::ReservationInvalid).error());
  answer(to, rows);
}

void Desk::query_licenses(ReplyTo to, const Frame& frame) {
  QueryLicenses query;
  if (!read(to, frame, query)) return;
  answer(to, license_rows(s_.published->view().state, query.name, wall_clock()));
}

namespace {

// "slurm(64030)"
std::string with_number(const std::string& user) {
  auto known = user_by_name(user);
  return known ? fmt::format("{}({})", known->name, known->uid) : user;
}

}  // namespace

// What no file says: when the controller started, what the next job is called, how much is logged
// since somebody said so.
void Desk::add_live_values(ConfigAnswer& config, const View& view) {
  auto set = [&](const std::string& key, const std::string& value) {
    auto before = [](const KeyValue& a, const std::string& b) {
      return to_lower(a.key) < to_lower(b);
    };
    auto at = std::lower_bound(config.values.begin(), config.values.end(), key, before);
    if (at != config.values.end() && at->key == key)
      at->value = value;
    else
      config.values.insert(at, {key, value});
  };
  Instant boot = s_.started;
  set("BOOT_TIME", print_timestamp(boot, FixedOffset(zone_offset_seconds(boot))));
  set("HASH_VAL", "Match");
  bool says = std::ranges::any_of(config.values,
                                  [](const KeyValue& one) { return one.key == "MaxNodeCount"; });
  if (!says) set("MaxNodeCount", std::to_string(view.config->nodes.size()));
  set("NEXT_JOB_ID", std::to_string(view.state.next_job_id));
  std::lock_guard lock(mutex_);
  if (!debug_level_.empty()) set("SlurmctldDebug", debug_level_);
  if (!debug_flags_) return;
  std::string flags = join({debug_flags_->begin(), debug_flags_->end()}, ",");
  set("DebugFlags", flags.empty() ? "(null)" : flags);
}

void Desk::query_config(ReplyTo to) {
  ConfigAnswer config{.values = {}, .boot = s_.started};
  View view = s_.published->view();
  for (const auto& [key, value] : in_show_order(*view.config))
    config.values.push_back(
        {key, key.ends_with("mUser") || key == "SlurmdUser" ? with_number(value) : value});
  add_live_values(config, view);
  answer(to, config);
}

void Desk::ping(ReplyTo to) {
  std::string trouble = s_.log_trouble();
  auto config = s_.published->config();
  std::string host = s_.epoch ? config->controllers[s_.index].name : host_name();
  answer(to, Pong{.host = host,
                  .mode = role_name(s_.index),
                  .version = YM_SLURM_VERSION,
                  .cluster = s_.published->view().state.cluster_name,
                  .started = s_.started,
                  .log_writable = trouble.empty(),
                  .trouble = trouble.empty() ? s_.key_trouble() : trouble,
                  .index = static_cast<std::uint32_t>(s_.index),
                  .epoch = s_.epoch,
                  .leader = host});
}

bool Desk::watch_is_due(const State& state, const WatchJob& watch) const {
  const Job* job = state.find(watch.job);
  if (!watch.until_end) return !job || (job->state != JobState::Pending && !job->configuring);
  for (JobId id : records_of(state, {.job = watch.job})) {  // an array ends with its last element
    const Job& one = state.jobs.at(id.value);
    if (!is_terminal(one.state) || one.completing()) return false;
  }
  return true;
}

// One row, or for an array that has ended one for each element, the worst end first.
void Desk::answer_watch(const Requests::Watch& watch, const View& view) {
  JobRows rows;
  for (JobId id : records_of(view.state, {.job = watch.watch.job}))
    rows.rows.push_back(
        job_row(view.state, view.state.jobs.at(id.value), *view.verdicts, wall_clock()));
  if (rows.rows.empty()) return deny(watch.to, ym::refuse(Errc::InvalidJobId).error());
  if (watch.watch.until_end)
    std::ranges::sort(rows.rows, std::greater{},
                      [](const JobRow& row) { return std::pair(row.job.exit, ~row.job.id.value); });
  answer(watch.to, rows);
}

void Desk::watch_job(ReplyTo to, const Peer& peer, const Frame& frame) {
  Requests::Watch watch{.to = to, .watch = {}};
  if (!read(to, frame, watch.watch)) return;
  View before = s_.published->view();
  const Job* job = before.state.find(watch.watch.job);
  // What is not shown is not there.
  if (auto viewer = viewer_of_jobs(before, peer); viewer && job && !viewer->sees(*job))
    return deny(to, ym::refuse(Errc::InvalidJobId).error());
  bool own = job && (job->spec->uid.value == peer.uid ||
                     s_.directory->caller(peer, wall_clock()).administrator);
  if (watch.watch.mine && own) {
    s_.requests->own(to.connection, watch.watch.job);
    s_.core->push(OwnerPresent{watch.watch.job});
  }
  // Registered first, then looked at: a change in between finds the watch, and answers at most
  // once.
  if (!s_.requests->watch(watch)) return deny(to, come_back_later().error());
  View view = s_.published->view();
  if (!watch_is_due(view.state, watch.watch)) return;
  if (s_.requests->unwatch(watch)) answer_watch(watch, view);
}

void Desk::get_script(ReplyTo to, const Peer& peer, const Frame& frame) {
  GetScript get;
  if (!read(to, frame, get)) return;
  View view = s_.published->view();
  const Job* job = view.state.find(get.job);
  if (!job || job->spec->script_blob.empty())
    return deny(to, ym::refuse(Errc::InvalidJobId).error());
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!caller.operates() && caller.uid != job->spec->uid)
    return deny(to, ym::refuse(Errc::InvalidUserId).error());
  std::string blob = job->spec->script_blob;
  bool taken = s_.journal->try_errand([this, to, blob](JournalLoop& journal) {
    auto script = journal.blobs().get(blob);
    if (!script) return deny(to, script.error());
    answer(to, Script{.bytes = std::move(*script)});
  });
  if (!taken) deny(to, come_back_later().error());
}

// slurm.conf and what it includes, by names relative to its folder.
void Desk::fetch_config(ReplyTo to) {
  auto loaded = load_configuration(s_.config_path);
  if (!loaded) return deny(to, loaded.error());
  std::string folder = s_.config_path.substr(0, s_.config_path.rfind('/') + 1);
  ConfigFiles files;
  for (const std::string& path : loaded->files) {
    auto text = read_file(path);
    if (!text) return deny(to, text.error());
    bool inside = path.starts_with(folder);
    bool is_first = path == loaded->path;
    if (!inside && !is_first)
      return deny(
          to,
          Error{.code = 0, .text = path + " is outside of slurm.conf's folder and cannot be sent"});
    files.files.push_back(
        {.name = is_first ? "slurm.conf" : path.substr(folder.size()), .text = std::move(*text)});
  }
  answer(to, files);
}

void Desk::get_token(ReplyTo to, const Peer& peer, const Frame& frame) {
  GetToken get;
  if (!read(to, frame, get)) return;
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!get.user.empty() && get.user != caller.user_name) {
    if (!caller.administrator)
      return deny(to, ym::refuse(Errc::AccessDenied, "a token for somebody else").error());
    auto user = user_by_name(get.user);
    if (!user) return deny(to, ym::refuse(Errc::InvalidUserId).error());
    caller = {.uid = {user->uid}, .gid = {user->gid}, .user_name = user->name};
  }
  auto token = sign_user_token(*s_.keys->ring(),
                               {.user = caller.user_name,
                                .uid = caller.uid.value,
                                .gid = caller.gid.value,
                                .cluster = s_.published->view().state.cluster_name,
                                .now = wall_clock(),
                                .life = std::chrono::seconds(get.lifespan_s),
                                .binding = get.binding},
                               system_entropy());
  if (!token) return deny(to, token.error());
  answer(to, Token{.text = std::move(*token)});
}

// The log is everybody's history: only administrators may read it, as it names all users' jobs.
void Desk::follow_events(ReplyTo to, const Peer& peer, const Frame& frame) {
  FollowEvents follow;
  if (!read(to, frame, follow)) return;
  if (!s_.directory->caller(peer, wall_clock()).administrator)
    return deny(to, ym::refuse(Errc::AccessDenied).error());
  Follower follower{.to = to, .next = follow.from, .follow = follow.follow};
  {
    std::lock_guard lock(mutex_);
    followers_[to.connection.value] = follower;
  }
  continue_feeding(to.connection);
}

void Desk::continue_feeding(ConnectionId connection) {
  std::lock_guard lock(mutex_);
  if (!followers_.contains(connection.value)) return;
  bool taken = s_.journal->try_errand([this, connection](JournalLoop& journal) {
    std::lock_guard inner(mutex_);
    auto at = followers_.find(connection.value);
    if (at != followers_.end() && !feed(at->second, journal)) followers_.erase(at);
  });
  if (taken) return;
  deny(followers_[connection.value].to, ym::refuse(Errc::QueueFull).error());
  followers_.erase(connection.value);
}

// Everything durable from follower.next on, in frames of some 1 MiB, until the reader is behind:
// then it goes on when there is room again (on_writable). On the journal thread; false once nothing
// more is to come.
bool Desk::feed(Follower& follower, JournalLoop& journal) {
  if (!follower.next) follower.next = Seq{journal.journal().oldest_seq()};
  auto send = [&](const Events& events, std::uint16_t flags) {
    FrameHeader header{.type = wire::message_number<Events>,
                       .flags = flags,
                       .correlation = follower.to.correlation};
    return s_.server->send(follower.to.connection, header, wire::encode(events), WhenFull::Refuse);
  };
  while (follower.next.value <= journal.journal().durable_seq()) {
    Events events;
    auto next = journal.journal().read_from(follower.next.value, kFeedBytes,
                                            [&](std::uint64_t, std::string_view bytes) {
                                              if (auto event = wire::decode<Event>(bytes))
                                                events.events.push_back(std::move(*event));
                                            });
    if (!next) {
      deny(follower.to, next.error());
      return false;
    }
    events.next = Seq{*next};
    SendResult sent = send(events, wire::kFlagMore);
    if (sent != SendResult::Sent) return sent == SendResult::Full;
    follower.next = events.next;
  }
  if (follower.follow) return true;
  return send(Events{.events = {}, .next = follower.next}, 0) == SendResult::Full;
}

void Desk::feed_followers(const Batch& batch) {
  if (batch.events.empty()) return;
  std::lock_guard lock(mutex_);
  for (auto at = followers_.begin(); at != followers_.end();)
    at = feed(at->second, *s_.journal) ? std::next(at) : followers_.erase(at);
}

}  // namespace ym
