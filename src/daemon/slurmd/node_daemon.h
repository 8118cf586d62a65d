// SPDX-License-Identifier: Apache-2.0
// slurmd put together: one loop, one thread. Holds no rules: agent/ decides, launch/ makes orders.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "base/result.h"
#include "daemon/launch/gres_order.h"
#include "daemon/launch/orders.h"
#include "daemon/launch/programs.h"
#include "daemon/slurmd/cpu_choice.h"
#include "daemon/slurmd/health.h"
#include "daemon/slurmd/node_trust.h"
#include "daemon/slurmd/reboot.h"
#include "daemon/slurmd/revoked.h"
#include "daemon/slurmd/shepherds.h"
#include "daemon/slurmd/spool.h"
#include "daemon/slurmd/step_queries.h"
#include "daemon/slurmd/tree.h"
#include "daemon/trust/token_rate.h"
#include "model/control_messages.h"
#include "model/x11_messages.h"
#include "net/authenticator.h"
#include "net/key_watch.h"
#include "net/keyring.h"
#include "net/link.h"
#include "net/loop.h"
#include "net/server.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/machine.h"
#include "site/configuration.h"

namespace ym {

inline constexpr Duration kHeartbeat = std::chrono::seconds(5);
inline constexpr Duration kTick = std::chrono::seconds(1);

// The line of slurm.conf that is about this machine: by -N, else by host name.
Result<NodeSpec> find_own_node(const ClusterConfig& config, const std::string& name,
                               const std::string& host);

// The agent only measures how long ago something was: a wall clock that is set must not lengthen
// or shorten anybody's grace.
inline Instant agent_time() { return Instant{monotonic_clock().count()}; }

class NodeDaemon {
 public:
  struct Parts {
    LoadedConfiguration loaded;
    NodeSpec node;
    KeyRing keys;
    Machine machine;
    Log& log;
    std::string spool, shepherd_program;
    bool clean = false;
    bool booted = false;  // -b: say that the machine has just booted
  };
  explicit NodeDaemon(Parts parts);
  ~NodeDaemon();

  // Finds what is alive, listens, connects. After that run() serves.
  Status start();
  void run() { loop_.run(); }
  void stop() { loop_.stop(); }
  Loop& loop() { return loop_; }
  // Takes over what may change while we run: times, the controllers' addresses.
  void reconfigure(LoadedConfiguration loaded, KeyRing keys);
  void set_on_reconfigure(std::function<void()> wish) { on_reconfigure_ = std::move(wish); }

 private:
  using Key = std::pair<Sluid, StepId>;
  // srun's connection that came before its launch.
  struct AwaitingStream {
    ResumeStream request;
    std::uint32_t uid = 0;  // who waits
    Shepherds::Connection connection;
    TimerId timer;
  };
  // An attempt's display on this node, as its clients see it.
  struct X11Here {
    std::uint32_t display = 0;
    std::string file;          // XAUTHORITY
    std::string argument;      // the same, as slurm-x11 takes it
    std::optional<int> aside;  // the process behind it
  };
  // A step between srun's wish and its shepherd.
  struct PendingStep {
    ShepherdOrder order;
    Shepherds::Connection connection;
    CpuWish cpus;
    std::optional<JobFacts> facts;  // of the job, for a prolog
    GresGiven gres;
  };

  Status recover();
  void forget_lost_jobs(std::vector<agent::Recovered>& found);
  Status listen();
  void connect();
  std::vector<Address> controller_addresses() const;
  std::string fresh_token(std::string_view binding) const;
  Status check_proof(const Greeting& greeting, std::string_view proof) const;
  // certificates.cc
  void on_link_up();
  bool ask_for_certificate();
  void say_everything();
  bool on_certificate_frame(const Frame& frame);
  void look_after_certificate();
  NodeRegistration registration() const;

  void on_controller_frames(const std::vector<Frame>& frames);
  void on_controller_frame(const Frame& frame, agent::Outbox& out);
  void on_client_frames(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void launch_tasks(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  // The credential inside, if the controller signed it and it is for this cluster.
  Result<StepCredential> open_credential(const std::string& credential,
                                         const std::string& signature) const;
  Result<ShepherdOrder> order_for(const LaunchTasks& request, const Peer& peer) const;
  // A launch that was judged, ready but for its connection.
  Result<PendingStep> judge_launch(const std::string& payload, const Peer& peer) const;
  // What the agent refuses leaves `step` as it was.
  Status begin_step(PendingStep& step);
  void resume_stream(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void query_steps_here(ConnectionId from, const Peer& peer, const Frame& frame);
  bool ask_steps(const QueryStepsHere& query, std::uint32_t uid,
                 std::function<void(StepsHere)> done);
  Pong pong() const;
  // tree_orders.cc
  void take_tree_order(ConnectionId from, const Peer& peer, const Frame& frame);
  void carry_out(TreeOrder order, std::function<void(TreeAnswers)> done);
  void do_own_part(const TreeOrder& order, std::function<void(TreeAnswer)> done);
  Status do_once(const TreeOrder& order);
  Status launch_from_tree(const TreeOrder& order);
  Status signal_step(const TreeOrder& order);
  Result<Address> address_of(const std::string& node) const;
  // streams.cc
  void join_stream(AwaitingStream stream);
  void await_launch(AwaitingStream stream);
  Shepherds::Connection take_awaiting(const ShepherdOrder& order);
  // Tells its srun, or will when that comes.
  void refuse_step(PendingStep step, const std::string& text);
  void attach_step(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void receive_file(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void refuse_bcast(ConnectionId to, const Frame& frame, const std::string& text);
  void give_token(ConnectionId to, const Peer& peer, const Frame& frame);
  void follow_leader(ConnectionId from, const Peer& peer, const Frame& frame);
  void refuse(ConnectionId to, const std::string& text);
  // The same where the connection is ours already; it may be none.
  void refuse_stream(Shepherds::Connection connection, const std::string& text);
  // Hands the connection and all frames but the first to `done`.
  void take_connection(ConnectionId from, std::vector<Frame> frames,
                       std::function<void(Shepherds::Connection)> done);

  Result<LaunchFacts> facts_for(std::uint32_t uid, std::uint32_t gid) const;
  void obey(agent::Outbox out);
  void obey(agent::Persist& effect);
  void obey(agent::Launch& effect);
  void obey(agent::Signal& effect);
  void obey(agent::Freeze& effect);
  void obey(agent::Report& effect);
  void obey(agent::Forget& effect);
  // memory.cc
  void obey(agent::Limit& effect);
  void obey_memory_limit(ShepherdOrder& order) const;
  // programs.cc
  void obey(agent::Refuse& effect);
  bool ask_own_state();
  agent::Around around() const;
  bool wants_job_facts() const;
  Result<ShepherdOrder> around_order(const agent::Persist& effect) const;
  // x11.cc
  void open_x11(ConnectionId from, const Peer& peer, std::vector<Frame> frames);
  void open_x11_of_batch(const LaunchJob& job, const LaunchFacts& facts);
  Result<Fd> start_display(Sluid sluid, const LaunchFacts& facts);
  Status start_x11(Sluid sluid, const LaunchFacts& facts, Shepherds::Aside wish);
  void close_x11(Sluid sluid);
  // Puts the job's display into the order's environment, if it has one here.
  void show_display(ShepherdOrder& order) const;
  // gres.cc
  void look_for_gres();
  // CPUs and generic resources of the order, and the binding of its tasks to them.
  void give_resources(ShepherdOrder& order, CpuWish cpus, const GresGiven& gres);

  LoadedConfiguration loaded_;
  const NodeSpec node_;
  Keys keys_;
  KeyWatch key_watch_;
  Authenticator authenticator_;
  TokenRate token_rate_;
  const Machine machine_;
  const bool clean_, booted_;
  const std::string boot_id_;
  const Instant started_;
  Log& log_;
  Loop loop_;
  Spool spool_;
  RevokedList revoked_;
  NodeTrust trust_;
  Shepherds shepherds_;
  StepQueries queries_;
  agent::Agent agent_;
  CpuChoice cpus_;
  GresHere gres_;
  std::map<Key, PendingStep> pending_;
  std::map<Key, std::string> failed_;  // launches that failed while effects were carried out
  std::set<Key> strangers_;            // of those: their user is unknown here
  std::unique_ptr<Server> server_;
  std::unique_ptr<Link> link_;
  std::vector<Address> addresses_;    // that link_ tries
  bool said_everything_ = false;      // on this connection
  std::set<std::string> waits_said_;  // why it was not reached, since it was last
  std::uint64_t last_epoch_ = 0;      // of the controllers that have called
  TreeRelay relay_;
  DoneOrders done_orders_;
  std::map<std::uint64_t, AwaitingStream> awaiting_;
  std::uint64_t last_awaiting_ = 0;
  std::map<std::string, std::string> failed_streams_;  // by srun_id
  std::function<void()> on_reconfigure_;
  std::map<Sluid, X11Here> x11_;
  HealthCheck health_;
  Reboot reboot_;
};

}  // namespace ym
