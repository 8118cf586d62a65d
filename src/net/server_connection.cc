// SPDX-License-Identifier: Apache-2.0
#include "net/server_connection.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"

namespace ym {

ServerConnection::ServerConnection(std::shared_ptr<ServerCore> core, ConnectionId id,
                                   Accepted&& accepted)
    : core_(std::move(core)),
      id_(id),
      place_(std::move(accepted.place)),
      peer_(std::move(accepted.peer)),
      frames_(core_->options.frame_max) {}

Result<std::shared_ptr<ServerConnection>> ServerConnection::create(std::shared_ptr<ServerCore> core,
                                                                   Loop& loop, ConnectionId id,
                                                                   Accepted accepted) {
  Fd fd = std::move(accepted.fd);
  std::shared_ptr<ServerConnection> made(
      new ServerConnection(std::move(core), id, std::move(accepted)));
  auto stream = Stream::create(loop, std::move(fd), *made, made->core_->options.outgoing_max);
  if (!stream) return std::unexpected(stream.error());
  made->stream_ = std::move(*stream);
  made->deadline_ = Deadline::in(made->core_->options.handshake_deadline);
  if (made->peer_.kind == PeerKind::Token && made->core_->options.tls)
    if (auto context = made->core_->options.tls()) made->stream_->accept_tls(std::move(context));
  made->stream_->start_reading();
  return made;
}

void ServerConnection::on_bytes(std::string_view bytes) {
  auto self = shared_from_this();
  active_ = true;
  if (state_ == State::Greeting) return greet(bytes);
  if (state_ == State::Open) return take_frames(bytes);
}

void ServerConnection::greet(std::string_view bytes) {
  auto whole = hello_.feed(bytes);
  if (!whole) return refuse(whole.error());
  if (!*whole) return;
  auto peer = judge(hello_.client());
  if (!peer) return refuse(peer.error());
  if (*peer) return welcome(std::move(**peer));
  const std::string& token = hello_.client().token;
  if (core_->options.may_block && core_->options.may_block(token)) return authenticate_aside();
  welcome(authenticated(core_->options.authenticate(token, stream_->binding())));
}

// Nothing is read meanwhile. The thread beside us knows the connection by its number: it must not
// be the one that destroys it.
void ServerConnection::authenticate_aside() {
  stream_->pause();
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  auto work = [core = core_, id = id_, wanted = wanted_, token = hello_.client().token,
               binding = stream_->binding()] {
    if (!*wanted) return;
    auto peer = core->options.authenticate(token, binding);
    core->shard_of(id).loop->post([core, id, wanted, peer = std::move(peer)] {
      auto self = core->find(id);
      if (!self || self->state_ != State::Greeting) return;
      self->wanted_.reset();
      self->stream_->resume();
      self->welcome(self->authenticated(peer));
    });
  };
  if (Status begun = core_->aside.run(std::move(work)); !begun) {
    stream_->resume();
    refuse(begun.error());
  }
}

void ServerConnection::welcome(Result<Peer> peer) {
  if (!peer) return refuse(peer.error());
  bool trusted = core_->options.trusted ? core_->options.trusted(*peer)
                                        : peer->kind == PeerKind::Unix && peer->uid == 0;
  if (Status in = core_->admission.enter(place_, peer->uid, trusted); !in)
    return refuse(in.error());

  peer_ = std::move(*peer);
  peer_.version = version_;
  waits_in_turn_ = !trusted;
  stream_->set_unread(place_.unread, !trusted);
  state_ = State::Open;
  known_ = true;
  Duration idle = core_->options.idle_deadline;
  deadline_ = idle > Duration{0} ? Deadline::in(idle) : Deadline();
  if (!deadline_.never()) core_->watch_deadlines(shared_from_this());
  ServerHello welcome{.version = version_, .cluster = core_->options.cluster, .proof = {}};
  if (peer_.kind == PeerKind::Token && core_->options.prove)
    welcome.proof = core_->options.prove(hello_.client().token, stream_->binding());
  stream_->enqueue_raw(encode_welcome(welcome));
  stream_->may_write_at_once();
  std::string rest = hello_.take_rest();
  core_->handlers.on_open(id_, peer_);
  if (rest.empty()) return;
  if (stream_->paused())
    held_ = std::move(rest);
  else if (state_ == State::Open)
    take_frames(rest);
}

Result<std::optional<Peer>> ServerConnection::judge(const ClientHello& hello) {
  auto chosen = choose_version(core_->options.versions, hello.versions);
  if (!chosen) return std::unexpected(chosen.error());
  version_ = *chosen;
  const std::string& cluster = core_->options.cluster;
  if (!hello.cluster.empty() && !cluster.empty() && hello.cluster != cluster)
    return fail(fmt::format("this is cluster {}, not {}", cluster, printable(hello.cluster)));
  if (peer_.kind == PeerKind::Unix) {
    if (peer_.uid == ~0u) return fail("the kernel does not say who you are");
    return peer_;
  }
  if (core_->options.tls_required && !stream_->secured())
    return fail(
        "TLS is needed over the network, and this connection has none (does its slurm.conf say "
        "another TLSType?)");
  if (!core_->options.authenticate) return fail("this server accepts nobody over the network");
  if (hello.token.empty()) return fail("a token is needed over the network, and none was given");
  return std::nullopt;
}

Result<Peer> ServerConnection::authenticated(Result<Peer> peer) const {
  if (!peer) return peer;
  peer->secure = stream_->secured();
  peer->kind = PeerKind::Token;
  peer->pid = 0;
  peer->address = peer_.address;
  return peer;
}

void ServerConnection::refuse(const Error& error) {
  if (wanted_) *wanted_ = false;
  linger(encode_refusal(core_->options.versions, error));
}

// Last bytes out, then wait for the other side to read them and end.
void ServerConnection::linger(std::string_view last_bytes) {
  state_ = State::Closing;
  deadline_ = Deadline::in(core_->options.linger_deadline);
  core_->watch_deadlines(shared_from_this());
  if (!last_bytes.empty()) stream_->enqueue_raw(last_bytes);
  stream_->finish();
}

void ServerConnection::take_frames(std::string_view bytes) {
  std::vector<Frame> frames;
  bool was_unfinished = frames_.in_frame();
  Status fed = frames_.feed(bytes, frames);
  if (fed) fed = note_unfinished(bytes.size(), !was_unfinished || !frames.empty());
  answer_net_frames(frames);
  if (!frames.empty()) core_->handlers.on_frames(id_, peer_, std::move(frames));
  if (!fed && state_ == State::Open) close(fed.error().text);
}

Status ServerConnection::note_unfinished(std::size_t came, bool is_new) {
  Duration limit = core_->admission.limits().message_deadline;
  if (!frames_.in_frame()) {
    message_deadline_ = Deadline();
    unfinished_ = 0;
  } else if (is_new) {
    if (limit > Duration{0}) message_deadline_ = Deadline::in(limit);
    core_->watch_deadlines(shared_from_this());
    unfinished_ = came;
  } else {
    unfinished_ += came;
  }
  return core_->admission.hold(place_, unfinished_);
}

void ServerConnection::answer_net_frames(std::vector<Frame>& frames) {
  auto is_net = [](const Frame& frame) { return frame.header.type < kFirstMessageType; };
  if (std::none_of(frames.begin(), frames.end(), is_net)) return;
  for (const Frame& frame : frames)
    if (frame.header.type == static_cast<std::uint16_t>(NetType::Ping))
      stream_->enqueue({.type = static_cast<std::uint16_t>(NetType::Pong),
                        .correlation = frame.header.correlation},
                       {}, WhenFull::Cut);
  std::erase_if(frames, is_net);
}

void ServerConnection::close(const std::string& reason) {
  if (state_ != State::Open) return;
  std::string farewell;
  if (!reason.empty())
    append_frame(farewell, {.type = static_cast<std::uint16_t>(NetType::Error)},
                 encode_error({.text = reason}));
  linger(farewell);
  core_->handlers.on_close(id_, reason);
}

void ServerConnection::resume() {
  if (state_ != State::Open) return;
  auto self = shared_from_this();
  stream_->resume();
  if (!held_.empty()) take_frames(std::exchange(held_, {}));
}

void ServerConnection::detach(std::function<void(Result<Detached>)> done) {
  if (state_ != State::Open) return done(fail("the connection is gone"));
  state_ = State::Detaching;
  deadline_ = Deadline::in(core_->options.handshake_deadline);
  core_->watch_deadlines(shared_from_this());
  detached_ = std::move(done);
  stream_->pause();
  stream_->notify_when_flushed();
}

void ServerConnection::on_flushed() {
  if (state_ != State::Detaching) return;
  auto self = shared_from_this();
  auto fd = hand_over();
  auto done = std::move(detached_);
  leave();
  if (!fd) return done(std::unexpected(fd.error()));
  done(Detached{.fd = fd->release(), .peer = peer_, .residual = frames_.residual() + held_});
}

// The socket itself; within TLS, one that is carried on here.
Result<Fd> ServerConnection::hand_over() {
  if (!stream_->secured()) return stream_->take_fd();
  ServerShard& shard = core_->shard_of(id_);
  auto forget = [core = core_, id = id_] { core->shard_of(id).relays.erase(id.value); };
  auto started =
      SecureRelay::start(*shard.loop, stream_, core_->options.relay_silence, std::move(forget));
  if (!started) {
    stream_->drop();
    return std::unexpected(started.error());
  }
  shard.relays.emplace(id_.value, std::move(started->relay));
  return std::move(started->plain);
}

bool ServerConnection::reads_at_once() {
  if (state_ != State::Open || !waits_in_turn_) return true;
  if (!std::exchange(wants_turn_, true)) ServerCore::read_soon(core_, shared_from_this());
  return false;
}

void ServerConnection::read_turn() {
  wants_turn_ = false;
  stream_->read_turn();
}

void ServerConnection::on_room() {
  if (state_ == State::Open) ServerCore::go_on_soon(core_, shared_from_this());
}

void ServerConnection::go_on() {
  if (state_ == State::Open) core_->handlers.on_writable(id_);
}

void ServerConnection::on_end(const std::string& reason) {
  auto self = shared_from_this();
  State was = state_;
  leave();
  if (was == State::Open || was == State::Detaching) core_->handlers.on_close(id_, reason);
  if (was == State::Detaching)
    detached_(fail("the connection broke before it was handed over: " + reason));
}

void ServerConnection::leave() {
  state_ = State::Gone;
  if (wanted_) *wanted_ = false;
  core_->admission.leave(place_);
  core_->remove(id_);
}

bool ServerConnection::check_deadlines() {
  auto self = shared_from_this();
  Duration idle = core_->options.idle_deadline;
  // A connection that we do not read from cannot be blamed for its silence.
  bool active = std::exchange(active_, false) || stream_->paused();
  if (active && state_ == State::Open && idle > Duration{0}) deadline_ = Deadline::in(idle);
  if (state_ == State::Open && !stream_->paused() && message_deadline_.passed())
    close(fmt::format("a message was not whole after {} ms",
                      core_->admission.limits().message_deadline.count()));
  else if (deadline_.passed())
    overstayed(idle);
  return state_ != State::Gone && !(deadline_.never() && message_deadline_.never());
}

void ServerConnection::overstayed(Duration idle) {
  switch (state_) {
    case State::Greeting:
      if (wanted_) {
        stream_->resume();
        return refuse({.text = fmt::format("authentication took longer than {} ms, come back later",
                                           core_->options.handshake_deadline.count())});
      }
      return refuse(
          {.text = fmt::format("no {}hello within {} ms", hello_.started() ? "whole " : "",
                               core_->options.handshake_deadline.count())});
    case State::Open: return close(fmt::format("nothing came for {} ms", idle.count()));
    case State::Detaching: return stream_->cut("it read too slowly");
    case State::Closing: stream_->drop(); return leave();
    case State::Gone: return;
  }
}

// At once, without waiting for it to be read: who is sent away must not take up anything.
void ServerConnection::make_room() {
  if (known_ || state_ == State::Gone) return;
  auto self = shared_from_this();
  if (state_ == State::Greeting)
    stream_->enqueue_raw(
        encode_refusal(core_->options.versions,
                       {.text = "too many connections wait for authentication, come back later"}));
  stream_->flush_now();
  stream_->drop();
  leave();
}

void ServerConnection::shut(const std::string& reason) {
  auto self = shared_from_this();
  stream_->flush_now();
  stream_->drop();
  if (state_ != State::Gone) on_end(reason);
}

}  // namespace ym
