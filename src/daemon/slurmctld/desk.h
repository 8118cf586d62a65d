// SPDX-License-Identifier: Apache-2.0
// The front desk: every frame that a connection brings. Questions are answered from the published
// view, on the network thread that read them; commands go to the core and are answered when they
// are durable.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/slurmctld/answer_cache.h"
#include "daemon/slurmctld/backups.h"
#include "daemon/slurmctld/core_loop.h"
#include "daemon/slurmctld/directory.h"
#include "daemon/slurmctld/fan_out.h"
#include "daemon/slurmctld/long_answers.h"
#include "daemon/slurmctld/message_counts.h"
#include "daemon/slurmctld/order_keeper.h"
#include "daemon/slurmctld/programs.h"
#include "daemon/slurmctld/published.h"
#include "daemon/slurmctld/requests.h"
#include "daemon/slurmctld/side_programs.h"
#include "daemon/trust/rate_limit.h"
#include "model/history.h"
#include "net/keyring.h"
#include "net/server.h"
#include "os/log.h"
#include "site/configuration.h"

namespace ym {

struct BriefListing;
class ControllerTrust;

// Somebody to whom not everything is shown.
struct Viewer {
  Uid uid;
  std::vector<std::string> coordinates;  // accounts
  bool own_only = true;                  // PrivateData=jobs
  // MCSParameters=privatedata: what has a label is shown to whom the label is open. Kind None: it
  // does not count.
  McsKind labels = McsKind::None;
  std::string user_name;
  std::vector<std::string> groups;
  bool sees(const Job& job) const;
};

// What the desk needs of the rest.
struct DeskSurroundings {
  Server* server = nullptr;
  CoreLoop* core = nullptr;
  JournalLoop* journal = nullptr;
  Published* published = nullptr;
  Requests* requests = nullptr;
  Directory* directory = nullptr;
  const Keys* keys = nullptr;
  Log* log = nullptr;
  Programs* programs = nullptr;
  SidePrograms* side_programs = nullptr;
  ControllerTrust* trust = nullptr;
  LogHome* home = nullptr;
  std::function<KeyFiles()> key_files;
  std::string config_path;
  Instant started;
  std::size_t index = 0;  // of this controller among the SlurmctldHost lines
  std::uint64_t epoch = 0;
  std::function<bool()> sure = {};  // whether it is certain that this controller leads
  std::function<void(bool controller_only)> shut_down;
  // The keys, read again; what they sign with when they say nothing is wrong.
  std::function<Status(const LoadedConfiguration&)> renew_keys;
  std::function<std::string()> log_trouble, key_trouble;
};

class Desk {
 public:
  explicit Desk(DeskSurroundings surroundings)
      : s_(std::move(surroundings)),
        fan_out_(*s_.server, static_cast<std::uint64_t>(s_.started.unix_ms) << 20),
        backups_({.server = s_.server,
                  .journal = s_.journal,
                  .published = s_.published,
                  .home = s_.home,
                  .log = s_.log}) {}

  // Before the journal stops.
  void stop() {
    long_answers_.stop();
    backups_.stop();
  }

  void on_frames(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void on_close(ConnectionId connection);
  void on_writable(ConnectionId connection) {
    long_answers_.go_on(connection);
    continue_feeding(connection);
    backups_.on_writable(connection);
  }

  // On the journal thread: the batch is durable, let its effects out.
  void deliver(JournalLoop::Work& work);
  // A refusal that need not wait for anything.
  void refuse(Reply& reply);
  // Which certificates are believed has changed: all nodes hear of it.
  void tell_trust();

 private:
  // A listing too long for one go: the snapshot it is made of, and how far it came.
  struct Listing {
    View view;
    QueryJobs query;
    std::uint64_t correlation = 0;
    JobId next;
    bool finished = false;
    std::optional<QuerySteps> steps;      // set: of steps, `query` does not count
    std::shared_ptr<BriefListing> brief;  // set: of the fields that were asked for
    std::optional<QueryHistory> history;  // set: with steps that have ended
    std::optional<Viewer> viewer;         // set: sees some jobs only
    std::vector<std::string> unseen;      // partitions whose jobs are left out

    bool shows(const Job& job) const;
  };

  void on_frame(ConnectionId from, const Peer& peer, Frame& frame);
  void handle(ConnectionId from, const Peer& peer, Frame& frame);
  // Refuses whoever asks too much.
  Status check_rate(const Peer& peer, const Caller& caller, std::string_view request);
  template <class T>
  void answer(ReplyTo to, const T& message, std::uint16_t flags = 0);
  // Gathered: with what else goes to the same connection soon, in one write. AtOnce: a thread less
  // is woken for it.
  enum class Pace : std::uint8_t { Gathered, AtOnce };
  template <class T>
  void answer(ReplyTo to, const T& message, Pace pace);
  void deny(ReplyTo to, const Error& error);
  // Whoever is told to come back later is not listened to for a moment: a flood costs little then.
  void send_away(ReplyTo to);
  // Those whose users were far ahead of their answers, and are no longer.
  void read_on();
  void deny_unknown(ReplyTo to);
  // Whose jobs the caller sees: set, only this user's (PrivateData).
  std::optional<Viewer> viewer_of_jobs(const View& view, const Peer& peer);
  // The names of partitions that are not shown to the caller (model/partition_access.h).
  std::vector<std::string> unseen_partitions(const View& view, const Peer& peer);
  template <class T>
  void to_core(ReplyTo to, const Peer& peer, Frame& frame);
  // Whether a request of the caller would be taken on now.
  bool has_room(const Caller& caller) const;
  // Gives it to the core, or sends its sender away. `bytes`: of the message.
  void hand_on(ReplyTo to, Caller caller, const Frame& frame, Command command);
  template <class T>
  bool read(ReplyTo to, const Frame& frame, T& message);

  // desk_queries.cc
  void query_jobs(ReplyTo to, const Peer& peer, const Frame& frame);
  void query_explanation(ReplyTo to, const Peer& peer, const Frame& frame);
  void list(ConnectionId connection, const Peer& peer, Listing listing);
  bool list_some(ConnectionId connection, Listing& listing);
  bool list_more(ConnectionId connection, Listing& listing);
  // desk_brief.cc
  void begin_brief(Listing& listing, const Peer& peer, const std::string& question);
  bool answer_again(ReplyTo to, const Peer& peer, const std::string& question, const View& view);
  bool send_brief(ConnectionId connection, Listing& listing);
  void keep_brief(Listing& listing);
  bool list_brief(ConnectionId connection, Listing& listing);
  // desk_history.cc
  void query_history(ReplyTo to, const Peer& peer, const Frame& frame);
  bool list_history(ConnectionId connection, Listing& listing);
  void query_triggers(ReplyTo to, const Peer& peer, const Frame& frame);
  void get_crontab(ReplyTo to, const Peer& peer, const Frame& frame);
  void set_trigger(ReplyTo to, const Peer& peer, Frame& frame);
  void update_crontab(ReplyTo to, const Peer& peer, const Frame& frame);
  void query_nodes(ReplyTo to, const Peer& peer, const Frame& frame);
  // desk_steps.cc
  void query_steps(ReplyTo to, const Peer& peer, const Frame& frame);
  void job_credential(ReplyTo to, const Peer& peer, const Frame& frame);
  bool list_steps(ConnectionId connection, Listing& listing);
  // desk_queries.cc
  void query_partitions(ReplyTo to, const Peer& peer, const Frame& frame);
  void change_reservation(ReplyTo to, const Peer& peer, Frame& frame);
  void query_reservations(ReplyTo to, const Peer& peer, const Frame& frame);
  void query_licenses(ReplyTo to, const Frame& frame);
  void query_config(ReplyTo to);
  void add_live_values(ConfigAnswer& config, const View& view);
  void query_statistics(ReplyTo to, const Peer& peer, const Frame& frame);
  Statistics statistics();
  void ping(ReplyTo to);
  void watch_job(ReplyTo to, const Peer& peer, const Frame& frame);
  bool watch_is_due(const State& state, const WatchJob& watch) const;
  void answer_watch(const Requests::Watch& watch, const View& view);
  void get_script(ReplyTo to, const Peer& peer, const Frame& frame);
  void follow_events(ReplyTo to, const Peer& peer, const Frame& frame);
  void fetch_config(ReplyTo to);
  void back_up(ReplyTo to);
  void get_token(ReplyTo to, const Peer& peer, const Frame& frame);

  // desk_trust.cc
  void request_certificate(ReplyTo to, const Peer& peer, const Frame& frame);
  void join_cluster(ReplyTo to, const Peer& peer);
  void make_join_token(ReplyTo to, const Frame& frame);
  void revoke_certificate(ReplyTo to, const Frame& frame);
  void query_trust(ReplyTo to);
  void query_certificates(ReplyTo to);

  // desk_commands.cc
  void submit(ReplyTo to, const Peer& peer, const Frame& frame);
  void reconfigure(ReplyTo to, const Peer& peer, const Frame& frame);
  template <class Message>
  void tell_nodes(ReplyTo to, const std::string& nodes, const Message& message);
  void change_debug_flags(const SetDebug& wish);
  void set_debug(ReplyTo to, const Peer& peer, const Frame& frame);
  void shut_down(ReplyTo to, const Peer& peer, const Frame& frame);
  void node_report(ReplyTo to, const Peer& peer, const Frame& frame);
  void send_reply(Reply& reply, const Snapshot& state, Pace pace);
  void sign(HetStepCreated& all, const Snapshot& state) const;
  void sign(StepCreated& created, const Snapshot& state, const StepWorld& world) const;
  void send_order(Order& order, ConnectionId route, Pace pace);
  void feed_followers(const Batch& batch);

  struct Follower {
    ReplyTo to;
    Seq next;             // none: the oldest there is
    bool follow = false;  // goes on as events happen
  };
  void continue_feeding(ConnectionId connection);
  bool feed(Follower& follower, JournalLoop& journal);

  DeskSurroundings s_;
  FanOut fan_out_;
  Backups backups_;
  OrderKeeper order_;
  AnswerCache answers_;
  MessageCounts counts_;
  RateLimiter limiter_;
  std::mutex mutex_;
  std::map<std::uint64_t, Follower> followers_;  // by connection; guarded by mutex_
  // As somebody said since the configuration was read; guarded by mutex_.
  std::string debug_level_;
  std::optional<std::set<std::string>> debug_flags_;
  // Apart from mutex_, which is held while followers are fed: nobody's request waits for that.
  std::mutex admission_mutex_;
  std::set<std::uint64_t> sent_away_;                // connections; guarded by admission_mutex_
  std::shared_ptr<const ClusterConfig> limited_by_;  // whose rules limiter_ has; guarded likewise
  LongAnswers long_answers_;                         // the last: its thread uses all of the above
};

}  // namespace ym
