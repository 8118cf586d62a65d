// SPDX-License-Identifier: Apache-2.0
// Orders that came down a tree: this node's own part, and the others behind it
// (docs/decisions/0009).
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmd/node_daemon.h"
#include "site/configuration.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

template <class T>
bool is(const TreeOrder& order) {
  return order.type == wire::message_number<T>;
}

bool is_administrator(std::uint32_t uid) { return uid == 0 || uid == ::geteuid(); }

// Another slurmd, or somebody who could do anything here as well.
bool may_act_for_others(const Peer& peer) {
  return is_administrator(peer.uid) || (peer.kind == PeerKind::Token && peer.role == "node");
}

}  // namespace

void NodeDaemon::take_tree_order(ConnectionId from, const Peer& peer, const Frame& frame) {
  auto order = wire::decode<TreeOrder>(frame.payload);
  std::uint64_t correlation = frame.header.correlation;
  if (!order) return server_->close(from, order.error().text);
  if (order->forward.size() > kTreeNodesMax)
    return server_->close(from, fmt::format("more than {} nodes at once", kTreeNodesMax));
  bool believed = may_act_for_others(peer);
  if (!believed || !order->uid) order->uid = Uid{peer.uid};
  if (!believed || !order->gid) order->gid = Gid{peer.gid};
  // Of somebody on this machine the others know only where this machine is.
  if (!believed || order->asker.empty())
    order->asker = peer.kind == PeerKind::Unix ? registration().address
                                               : peer.address.substr(0, peer.address.rfind(':'));
  carry_out(std::move(*order), [this, from, correlation](const TreeAnswers& answers) {
    server_->send(from, {.type = wire::message_number<TreeAnswers>, .correlation = correlation},
                  encode_answers(answers));
  });
}

void NodeDaemon::carry_out(TreeOrder order, std::function<void(TreeAnswers)> done) {
  struct Parts {
    TreeAnswers answers;
    int missing = 2;
    std::function<void(TreeAnswers)> done;
    void take(std::vector<TreeAnswer> rows) {
      for (TreeAnswer& row : rows) answers.rows.push_back(std::move(row));
      if (--missing == 0) done(std::move(answers));
    }
  };
  auto parts = std::make_shared<Parts>();
  std::uint32_t width = loaded_.config.tree_width;
  order.tree_width = order.tree_width ? std::min(order.tree_width, width) : width;
  parts->done = std::move(done);
  TreeOrder own = order;
  own.forward.clear();
  if (order.forward.empty()) {
    --parts->missing;
  } else {
    // First the others: what takes time here need not take theirs.
    std::vector<NodeAddress> behind = order.forward;
    log_.debug("order {} goes on to {} nodes", order.type, behind.size());
    auto taken = [parts](std::vector<TreeAnswer> rows) { parts->take(std::move(rows)); };
    if (!relay_.pass_on(std::move(order), taken)) {
      std::vector<TreeAnswer> rows;
      for (const NodeAddress& node : behind)
        rows.push_back({.node = node.name,
                        .error = fmt::format("{} is busy: too many orders at once", node_.name),
                        .type = 0,
                        .payload = {}});
      parts->take(std::move(rows));
    }
  }
  do_own_part(own, [parts](TreeAnswer row) { parts->take({std::move(row)}); });
}

void NodeDaemon::do_own_part(const TreeOrder& order, std::function<void(TreeAnswer)> done) {
  TreeAnswer row{.node = node_.name, .error = {}, .type = 0, .payload = {}};
  if (is<Ping>(order)) {
    row.type = wire::message_number<Pong>;
    row.payload = wire::encode(pong());
    return done(std::move(row));
  }
  if (is<QueryStepsHere>(order)) {
    auto query = wire::decode<QueryStepsHere>(order.payload);
    auto answer = [row, done](const StepsHere& answers) mutable {
      row.type = wire::message_number<StepsHere>;
      row.payload = wire::encode(answers);
      done(std::move(row));
    };
    if (query && ask_steps(*query, order.uid->value, answer)) return;
    row.error = query ? kTooManyQuestions : query.error().text;
    return done(std::move(row));
  }
  if (const std::string* before = done_orders_.find(order.id)) {
    row.error = *before;
    return done(std::move(row));
  }
  if (Status did = do_once(order); !did) row.error = did.error().text;
  done_orders_.add(order.id, row.error);
  done(std::move(row));
}

Status NodeDaemon::do_once(const TreeOrder& order) {
  if (is<LaunchTasks>(order)) return launch_from_tree(order);
  if (is<SignalStep>(order)) return signal_step(order);
  if (!is<KillJob>(order) && !is<SignalJob>(order))
    return fail(fmt::format("slurmd knows no order {}", order.type));
  if (!is_administrator(order.uid->value)) return fail("Access/permission denied");
  agent::Outbox out;
  on_controller_frame({.header = {.type = order.type}, .payload = order.payload}, out);
  obey(std::move(out));
  return {};
}

Status NodeDaemon::launch_from_tree(const TreeOrder& order) {
  Peer asker{.kind = PeerKind::Token,
             .uid = order.uid->value,
             .gid = order.gid->value,
             .user = {},
             .role = {},
             .address = order.asker + ":0"};
  auto step = judge_launch(order.payload, asker);
  if (!step) return std::unexpected(step.error());
  step->connection = take_awaiting(step->order);
  return begin_step(*step);
}

Status NodeDaemon::signal_step(const TreeOrder& order) {
  auto request = wire::decode<SignalStep>(order.payload);
  if (!request) return std::unexpected(request.error());
  auto sluid = agent_.running_attempt(request->job, request->step);
  auto known = sluid ? spool_.read_order(*sluid, request->step) : fail("");
  if (!known) return fail("the step is over");
  if (!is_administrator(order.uid->value) && order.uid->value != known->uid)
    return fail("Access/permission denied");
  agent::Outbox out;
  SignalJob signal{.job = request->job, .sluid = *sluid, .signal = request->signal};
  signal.step = request->step;
  agent_.handle(signal, out);
  obey(std::move(out));
  return {};
}

// As slurm.conf here says, whatever the order does: we prove to that address that we are a node.
Result<Address> NodeDaemon::address_of(const std::string& node) const {
  auto known = std::ranges::find(loaded_.config.nodes, node, &NodeSpec::name);
  if (known == loaded_.config.nodes.end())
    return fail(fmt::format("slurm.conf of {} has no node {}", node_.name, printable(node)));
  std::string path = node_socket(loaded_.config, known->name);
  if (::access(path.c_str(), W_OK) == 0) return Address{.path = path, .host = {}};
  std::string host = !known->address.empty()    ? known->address
                     : !known->hostname.empty() ? known->hostname
                                                : known->name;
  std::uint16_t port = known->port ? known->port : loaded_.config.node_port;
  return Address{.path = {}, .host = std::move(host), .port = port};
}

}  // namespace ym
