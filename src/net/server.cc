// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "net/listener.h"
#include "net/secure_relay.h"
#include "net/server_connection.h"
#include "net/server_core.h"

namespace ym {

// A command's connection is over after one question: to wake another thread for it would cost more
// than to answer it here, as long as there are few. Others go to whoever has least.
ConnectionId ServerCore::next_id(const Peer& peer) {
  constexpr std::size_t kKept = 8;
  auto load = [](const auto& shard) { return shard->load.load(); };
  auto least = std::ranges::min_element(shards, {}, load);
  bool stays = peer.kind == PeerKind::Unix && load(shards[0]) <= load(*least) + kKept;
  auto index = stays ? 0 : static_cast<std::uint64_t>(least - shards.begin());
  std::uint64_t next = last_id + 1;
  next += (index + shards.size() - next % shards.size()) % shards.size();
  last_id = next;
  return {next};
}

std::shared_ptr<ServerConnection> ServerCore::find(ConnectionId id) {
  ServerShard& shard = shard_of(id);
  std::lock_guard lock(shard.mutex);
  auto found = shard.connections.find(id.value);
  return found == shard.connections.end() ? nullptr : found->second;
}

namespace {

// Connections above the limit, for whoever would mend things on this machine.
constexpr std::size_t kKeptForRoot = 16;

// Then the loop looks for what has come meanwhile.
constexpr Duration kReadingTurn{1}, kRoomTurn{2};

void serve(const std::shared_ptr<ServerCore>& core, ServerShard& shard);

// What waits in a loop does not keep the core, which owns the loop.
void serve_later(const std::shared_ptr<ServerCore>& core, ServerShard& shard) {
  shard.loop->post([kept = std::weak_ptr(core), &shard] {
    if (auto core = kept.lock()) serve(core, shard);
  });
}

// Long answers go on after reading, and only one while somebody still wants to be read.
// `core` keeps the shard.
void serve(const std::shared_ptr<ServerCore>& core, ServerShard& shard) {
  Deadline reading = Deadline::in(kReadingTurn);
  while (!shard.reading.empty()) {
    shard.reading.take()->read_turn();
    if (reading.passed()) break;
  }
  Deadline room = Deadline::in(kRoomTurn);
  while (!shard.room.empty()) {
    shard.room.take()->go_on();
    if (!shard.reading.empty() || room.passed()) break;
  }
  shard.serving = !shard.reading.empty() || !shard.room.empty();
  if (shard.serving) serve_later(core, shard);
}

void serve_soon(const std::shared_ptr<ServerCore>& core, ServerShard& shard) {
  if (!std::exchange(shard.serving, true)) serve_later(core, shard);
}

}  // namespace

void ServerCore::read_soon(const std::shared_ptr<ServerCore>& core,
                           std::shared_ptr<ServerConnection> connection) {
  ServerShard& shard = core->shard_of(connection->id());
  std::uint32_t lane = connection->uid();
  shard.reading.add(lane, std::move(connection));
  serve_soon(core, shard);
}

void ServerCore::go_on_soon(const std::shared_ptr<ServerCore>& core,
                            std::shared_ptr<ServerConnection> connection) {
  ServerShard& shard = core->shard_of(connection->id());
  std::uint32_t lane = connection->uid();
  shard.room.add(lane, std::move(connection));
  serve_soon(core, shard);
}

namespace {

// Deadlines are looked at several times within the shortest of them, but not all the time.
Duration sweep_period(const ServerOptions& options) {
  Duration shortest = std::min(options.handshake_deadline, options.linger_deadline);
  if (options.idle_deadline > Duration{0}) shortest = std::min(shortest, options.idle_deadline);
  return std::clamp(shortest / 4, Duration{5}, Duration{1000});
}

// The timer ends with the last deadline: an idle server sleeps.
void sweep(ServerShard& shard) {
  auto timed = shard.timed;  // a deadline that is met may change them
  for (const auto& [id, connection] : timed)
    if (!connection->check_deadlines()) shard.timed.erase(id);
  if (shard.timed.empty()) shard.loop->cancel(std::exchange(shard.sweep, {}));
}

}  // namespace

void ServerCore::watch_deadlines(std::shared_ptr<ServerConnection> connection) {
  ServerShard& shard = shard_of(connection->id());
  shard.timed.insert_or_assign(connection->id().value, std::move(connection));
  if (!shard.sweep)
    shard.sweep = shard.loop->every(sweep_period(options), [&shard] { sweep(shard); });
}

void ServerCore::remove(ConnectionId id) {
  ServerShard& shard = shard_of(id);
  std::shared_ptr<ServerConnection> gone;  // destroyed after the lock
  std::lock_guard lock(shard.mutex);
  auto found = shard.connections.find(id.value);
  if (found == shard.connections.end()) return;
  gone = std::move(found->second);
  shard.connections.erase(found);
  shard.timed.erase(id.value);
  --shard.load;
  --connections;
}

struct Server::Impl {
  std::shared_ptr<ServerCore> core;
  std::vector<std::unique_ptr<Listener>>
      listeners;  // used on shard 0's loop; changed while it is held up
  bool stopped = false;

  Impl(ServerOptions options, ServerHandlers handlers, Loop* loop);
  void on_shard(ServerShard& shard, Callback work);
  void accept(Accepted accepted);
  void send_away(ConnectionId id);
  Status start(std::unique_ptr<Listener> listener);
};

namespace {

std::vector<std::shared_ptr<ServerConnection>> connections_of(ServerShard& shard) {
  std::vector<std::shared_ptr<ServerConnection>> all;
  std::lock_guard lock(shard.mutex);
  for (const auto& [id, connection] : shard.connections) all.push_back(connection);
  return all;
}

// Signals are for the daemon's own threads: a network thread inherits a mask that blocks them all.
std::thread start_thread(Loop& loop) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread([&loop] { loop.run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), "net");
  return thread;
}

void fill_in(ServerHandlers& handlers) {
  if (!handlers.on_open) handlers.on_open = [](ConnectionId, const Peer&) {};
  if (!handlers.on_frames)
    handlers.on_frames = [](ConnectionId, const Peer&, std::vector<Frame>) {};
  if (!handlers.on_close) handlers.on_close = [](ConnectionId, const std::string&) {};
  if (!handlers.on_writable) handlers.on_writable = [](ConnectionId) {};
}

}  // namespace

Server::Impl::Impl(ServerOptions options, ServerHandlers handlers, Loop* loop) {
  fill_in(handlers);
  core = std::make_shared<ServerCore>(shares_of(options.connections_max, options.admission));
  core->options = std::move(options);
  core->handlers = std::move(handlers);
  YM_CHECK(core->options.cluster.size() <= kClusterNameMax);
  int threads = loop ? 1 : std::max(1, core->options.threads);
  for (int i = 0; i < threads; ++i) {
    auto shard = std::make_unique<ServerShard>();
    if (!loop) shard->own_loop = std::make_unique<Loop>();
    shard->loop = loop ? loop : shard->own_loop.get();
    core->shards.push_back(std::move(shard));
  }
  for (auto& shard : core->shards)
    if (shard->own_loop) shard->thread = start_thread(*shard->loop);
}

// Does `work` on the shard's thread and waits for it. If the loop is somebody else's we are on its
// thread, by contract.
void Server::Impl::on_shard(ServerShard& shard, Callback work) {
  if (!shard.own_loop || shard.loop->in_loop_thread()) return work();
  std::promise<void> done;
  shard.loop->post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

// Its begin was posted before, if it is another thread's.
void Server::Impl::send_away(ConnectionId id) {
  Loop& loop = *core->shard_of(id).loop;
  loop.post([core = core, id] {
    if (auto connection = core->find(id)) connection->make_room();
  });
}

// On shard 0's thread.
void Server::Impl::accept(Accepted accepted) {
  const ServerOptions& options = core->options;
  bool root = accepted.peer.kind == PeerKind::Unix && accepted.peer.uid == 0;
  if (core->connections >= options.connections_max + (root ? kKeptForRoot : 0))
    return refuse_at_once(
        accepted.fd.get(),
        encode_refusal(options.versions,
                       {.text = "the server has too many connections, come back later"}));
  ConnectionId id = core->next_id(accepted.peer);
  auto entrance = core->admission.knock(accepted.peer, id);
  if (!entrance)
    return refuse_at_once(accepted.fd.get(), encode_refusal(options.versions, entrance.error()));
  if (entrance->instead_of) send_away(entrance->instead_of);
  accepted.place = std::move(entrance->place);
  ++core->connections;
  ServerShard& shard = core->shard_of(id);
  ++shard.load;
  auto begin = [core = core, id, &shard, accepted = std::move(accepted)]() mutable {
    Admission::Place taken = accepted.place;
    auto connection = ServerConnection::create(core, *shard.loop, id, std::move(accepted));
    if (!connection) {
      core->admission.leave(taken);
      --shard.load;
      --core->connections;
      return;
    }
    core->watch_deadlines(*connection);
    std::lock_guard lock(shard.mutex);
    shard.connections.emplace(id.value, std::move(*connection));
  };
  if (shard.loop->in_loop_thread())
    begin();
  else
    shard.loop->post(std::move(begin));
}

Status Server::Impl::start(std::unique_ptr<Listener> listener) {
  YM_CHECK(!stopped);
  Status started;
  ServerShard& first = *core->shards[0];
  on_shard(first, [&] {
    started =
        listener->start(*first.loop, [this](Accepted accepted) { accept(std::move(accepted)); });
    if (started) listeners.push_back(std::move(listener));
  });
  return started;
}

Server::Server(ServerOptions options, ServerHandlers handlers)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(handlers), nullptr)) {}
Server::Server(ServerOptions options, ServerHandlers handlers, Loop& loop)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(handlers), &loop)) {}
Server::~Server() { stop(); }

Status Server::listen_unix(const std::string& path, unsigned mode) {
  auto listener = Listener::on_unix(path, mode);
  if (!listener) return std::unexpected(listener.error());
  return impl_->start(std::move(*listener));
}

Result<std::uint16_t> Server::listen_tcp(const std::string& host, std::uint16_t port) {
  auto listener = Listener::on_tcp(host, port);
  if (!listener) return std::unexpected(listener.error());
  std::uint16_t bound = (*listener)->port();
  if (Status started = impl_->start(std::move(*listener)); !started)
    return std::unexpected(started.error());
  return bound;
}

void Server::stop() {
  if (std::exchange(impl_->stopped, true)) return;
  ServerCore& core = *impl_->core;
  impl_->on_shard(*core.shards[0], [&] { impl_->listeners.clear(); });
  core.aside.stop();  // nothing of it comes to a loop that has ended
  for (auto& shard : core.shards) {
    impl_->on_shard(*shard, [&] {
      shard->loop->cancel(std::exchange(shard->sweep, {}));
      shard->timed.clear();
      shard->reading.clear();
      shard->room.clear();
      for (const auto& connection : connections_of(*shard)) connection->shut("the server stopped");
      shard->relays.clear();
      // After all that was posted: what stays in the loop would keep its connection, that the core,
      // and the core the loop.
      if (shard->own_loop) shard->loop->post([loop = shard->loop] { loop->stop(); });
    });
    if (!shard->own_loop) continue;
    YM_CHECK(!shard->loop->in_loop_thread());
    shard->thread.join();
  }
}

SendResult Server::send(ConnectionId to, FrameHeader header, std::string_view payload,
                        WhenFull when_full, std::size_t limit) {
  auto connection = impl_->core->find(to);
  if (!connection) return SendResult::Gone;
  return connection->stream().enqueue(header, payload, when_full, limit);
}

SendResult Server::send_now(ConnectionId to, FrameHeader header, std::string_view payload) {
  auto connection = impl_->core->find(to);
  return connection ? connection->stream().send_now(header, payload) : SendResult::Gone;
}

SendResult Server::send_error(ConnectionId to, std::uint64_t correlation, const Error& error) {
  return send(to, {.type = static_cast<std::uint16_t>(NetType::Error), .correlation = correlation},
              encode_error(error));
}

// Always posted, so that on_close never comes in the middle of another handler of the connection.
void Server::close(ConnectionId id, std::string reason) {
  auto connection = impl_->core->find(id);
  if (!connection) return;
  impl_->core->shard_of(id).loop->post(
      [connection, reason = std::move(reason)] { connection->close(reason); });
}

void Server::pause(ConnectionId id) {
  auto connection = impl_->core->find(id);
  if (!connection) return;
  Loop& loop = *impl_->core->shard_of(id).loop;
  if (loop.in_loop_thread())
    connection->pause();
  else
    loop.post([connection] { connection->pause(); });
}

// Posted, so that frames held back never come in the middle of a handler.
void Server::resume(ConnectionId id) {
  auto connection = impl_->core->find(id);
  if (!connection) return;
  impl_->core->shard_of(id).loop->post([connection] { connection->resume(); });
}

void Server::detach(ConnectionId id, std::function<void(Result<Detached>)> done) {
  auto connection = impl_->core->find(id);
  if (!connection) return done(fail("the connection is gone"));
  Loop& loop = *impl_->core->shard_of(id).loop;
  if (loop.in_loop_thread())
    connection->detach(std::move(done));
  else
    loop.post(
        [connection, done = std::move(done)]() mutable { connection->detach(std::move(done)); });
}

std::size_t Server::connection_count() const { return impl_->core->connections; }
Loop& Server::loop() { return *impl_->core->shards[0]->loop; }

}  // namespace ym
