// SPDX-License-Identifier: Apache-2.0
#include "net/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/prng.h"
#include "net/stream.h"

namespace ym {

Duration retry_delay(Duration min, Duration max, unsigned failures, std::uint64_t chance) {
  Duration delay = min;
  for (unsigned i = 1; i < failures && delay < max; ++i) delay *= 2;
  delay = std::min(delay, max);
  auto half = static_cast<std::uint64_t>(delay.count() / 2);
  return delay - Duration{static_cast<Duration::rep>(half == 0 ? 0 : chance % (half + 1))};
}

//   Waiting ──► Resolving ──► Connecting ──► Greeting ──► Up
// Any failure leads back to Waiting.
struct Link::Impl : StreamOwner, std::enable_shared_from_this<Impl> {
  Impl(Loop& on, LinkOptions with, LinkHandlers to)
      : loop(on), options(std::move(with)), handlers(std::move(to)), prng(options.seed) {}

  void attempt();
  void connect_to(Result<std::vector<SocketAddress>> found);
  void connect_next();
  void on_connected();
  void begin_stream();
  void greet();
  void on_secured() override { greet(); }
  void come_up();
  void heartbeat();
  void take_frames(std::string_view bytes);
  void down(Error reason);
  void move_to(std::size_t address);
  void forget_attempt();
  std::shared_ptr<Stream> up_stream();

  void on_bytes(std::string_view bytes) override;
  void on_room() override {
    if (handlers.on_writable) handlers.on_writable();
  }
  void on_flushed() override {}
  void on_end(const std::string& reason) override;
  std::string name() const { return to_text(options.addresses[address_index]); }

  // Constant after construction.
  Loop& loop;
  const LinkOptions options;
  const LinkHandlers handlers;

  std::mutex mutex;
  std::shared_ptr<Stream> shared_stream;  // protected by mutex; set while up

  // The loop's thread only.
  Prng prng;
  bool closed = false;
  bool up = false;
  unsigned failures = 0;
  unsigned silent_ticks = 0;
  std::size_t address_index = 0;
  std::uint64_t attempt_number = 0;  // tells a late resolver's answer from the present attempt's
  std::vector<SocketAddress> targets;
  std::size_t target_index = 0;
  std::string last_failure;
  TimerId deadline, retry, heart, settled;
  Fd connecting;
  FdWatch connect_watch;
  std::shared_ptr<Stream> stream;
  HelloReader hello{HelloReader::Side::Server};
  FrameReader frames;
  Error farewell;
  std::string token;  // that was shown to the server
  bool opening_waits = false;
  std::thread resolver;
};

void Link::Impl::attempt() {
  retry = {};
  ++attempt_number;
  deadline = loop.after(options.connect_deadline, [this] {
    deadline = {};
    down({.text = fmt::format("no answer from {} in time", name())});
  });
  const Address& address = options.addresses[address_index];
  auto found = resolve_quickly(address);
  if (!found || !found->empty()) return connect_to(std::move(found));
  // The resolver may take its time: not on this thread.
  if (resolver.joinable()) resolver.join();
  resolver = std::thread([self = shared_from_this(), address, number = attempt_number, on = &loop] {
    auto slowly = resolve(address);
    on->post([self = std::move(self), number, slowly = std::move(slowly)]() mutable {
      if (!self->closed && self->attempt_number == number && self->deadline)
        self->connect_to(std::move(slowly));
    });
  });
}

void Link::Impl::connect_to(Result<std::vector<SocketAddress>> found) {
  if (!found) return down(found.error());
  targets = std::move(*found);
  target_index = 0;
  connect_next();
}

void Link::Impl::connect_next() {
  connect_watch = {};
  connecting = {};
  while (target_index < targets.size()) {
    const SocketAddress& target = targets[target_index++];
    connecting = Fd(::socket(target.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connecting) {
      last_failure = errno_text(errno);
      continue;
    }
    if (target.family() != AF_UNIX) {
      int on = 1;
      ::setsockopt(connecting.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ::setsockopt(connecting.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    }
    if (::connect(connecting.get(), target.get(), target.size) == 0) return begin_stream();
    if (errno != EINPROGRESS) {
      last_failure = errno_text(errno);
      continue;
    }
    auto watch = FdWatch::create(loop, connecting.get(), {}, [this] { on_connected(); });
    if (!watch) return down(watch.error());
    connect_watch = std::move(*watch);
    return connect_watch.arm_write();
  }
  down({.text = fmt::format("cannot connect to {}: {}", name(), last_failure)});
}

void Link::Impl::on_connected() {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(connecting.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    last_failure = errno_text(error);
    return connect_next();
  }
  begin_stream();
}

void Link::Impl::begin_stream() {
  connect_watch = {};
  auto made = Stream::create(loop, std::move(connecting), *this, options.outgoing_max);
  if (!made) return down(made.error());
  stream = std::move(*made);
  hello = HelloReader(HelloReader::Side::Server);
  frames = FrameReader(options.frame_max);
  farewell = {};
  bool local = options.addresses[address_index].is_unix();
  auto tls = options.tls && !local ? options.tls() : nullptr;
  opening_waits = !local && options.check_proof && !(tls && tls->verifies());
  if (!tls) return greet();
  if (Status begun = stream->begin_tls(*tls, options.tls_name); !begun) return down(begun.error());
  stream->start_reading();
}

void Link::Impl::greet() {
  token = options.token ? options.token(stream->binding()) : std::string();
  if (token.size() > kTokenMax) return down({.text = "the token is too long"});
  stream->enqueue_raw(encode_client_hello(
      {.versions = options.versions, .cluster = options.cluster, .token = token}));
  if (!options.opening.empty() && !opening_waits) stream->enqueue_raw(options.opening);
  stream->start_reading();
}

void Link::Impl::on_bytes(std::string_view bytes) {
  auto self = shared_from_this();
  silent_ticks = 0;
  if (up) return take_frames(bytes);
  auto whole = hello.feed(bytes);
  if (!whole)
    return down({whole.error().code, fmt::format("{} refused: {}", name(), whole.error().text)});
  if (!*whole) return;
  const std::string& cluster = hello.server().cluster;
  if (!options.cluster.empty() && cluster != options.cluster)
    return down(
        {.text = fmt::format("{} is of cluster {}, not {}", name(), cluster, options.cluster)});
  if (options.check_proof && !options.addresses[address_index].is_unix())
    if (Status genuine = options.check_proof({.token = token, .binding = stream->binding()},
                                             hello.server().proof);
        !genuine)
      return down({.text = fmt::format("{} does not prove that it is of cluster {}: {}", name(),
                                       cluster, genuine.error().text)});
  if (opening_waits) stream->enqueue_raw(options.opening);
  come_up();
  std::string rest = hello.take_rest();
  if (up && !rest.empty()) take_frames(rest);
}

void Link::Impl::come_up() {
  loop.cancel(std::exchange(deadline, {}));
  up = true;
  settled = loop.after(options.retry_max, [this] {
    settled = {};
    failures = 0;
  });
  {
    std::lock_guard lock(mutex);
    shared_stream = stream;
  }
  if (options.silence > Duration{0}) heart = loop.every(options.silence, [this] { heartbeat(); });
  if (handlers.on_up) handlers.on_up();
}

void Link::Impl::heartbeat() {
  if (stream->paused()) return;
  ++silent_ticks;
  if (silent_ticks > 3) return down({.text = fmt::format("nothing heard from {}", name())});
  if (silent_ticks > 1)
    stream->enqueue({.type = static_cast<std::uint16_t>(NetType::Ping)}, {}, WhenFull::Refuse);
}

void Link::Impl::take_frames(std::string_view bytes) {
  std::vector<Frame> batch;
  Status fed = frames.feed(bytes, batch);
  for (const Frame& frame : batch) {
    if (frame.header.type == static_cast<std::uint16_t>(NetType::Ping))
      stream->enqueue({.type = static_cast<std::uint16_t>(NetType::Pong),
                       .correlation = frame.header.correlation},
                      {}, WhenFull::Refuse);
    if (frame.header.type == static_cast<std::uint16_t>(NetType::Error) &&
        frame.header.correlation == 0)
      farewell = decode_error(frame.payload);
  }
  // An Error with a correlation is the answer to a request: the handler's.
  std::erase_if(batch, [](const Frame& frame) {
    bool answer = frame.header.type == static_cast<std::uint16_t>(NetType::Error) &&
                  frame.header.correlation != 0;
    return frame.header.type < kFirstMessageType && !answer;
  });
  if (!batch.empty() && handlers.on_frames) handlers.on_frames(std::move(batch));
  if (!fed && up) down(fed.error());
}

void Link::Impl::on_end(const std::string& reason) {
  auto self = shared_from_this();
  if (!farewell.text.empty())
    return down(
        {farewell.code, fmt::format("{} closed the connection: {}", name(), farewell.text)});
  down({.text = fmt::format("lost the connection to {}: {}", name(), reason)});
}

void Link::Impl::forget_attempt() {
  for (TimerId* timer : {&deadline, &retry, &heart, &settled})
    loop.cancel(std::exchange(*timer, {}));
  {
    std::lock_guard lock(mutex);
    shared_stream = nullptr;
  }
  if (stream) stream->drop();
  stream = nullptr;
  connect_watch = {};
  connecting = {};
  silent_ticks = 0;
}

void Link::Impl::down(Error reason) {
  auto self = shared_from_this();
  forget_attempt();
  bool was_up = std::exchange(up, false);
  // Whoever lets us in and shows us the door with a word would do so again at once. A connection
  // that was lost, or that another server is to have instead (a code), says nothing of the kind.
  bool dismissed = was_up && !farewell.text.empty() && farewell.code == 0;
  if (was_up && !dismissed) failures = 0;
  ++failures;
  Duration delay = retry_delay(options.retry_min, options.retry_max, failures, prng.next());
  // The next of the alternatives, unless the one that just worked was lost. One that closed with a
  // code does not want us.
  if (!was_up || reason.code != 0) address_index = (address_index + 1) % options.addresses.size();
  retry = loop.after(delay, [this] { attempt(); });
  if (handlers.on_down) handlers.on_down(reason, was_up, delay);
}

void Link::Impl::move_to(std::size_t address) {
  YM_CHECK(address < options.addresses.size());
  if (up && address_index == address) return;
  auto self = shared_from_this();
  std::string left = name();
  forget_attempt();
  bool was_up = std::exchange(up, false);
  failures = 0;
  address_index = address;
  retry = loop.after(Duration(0), [this] { attempt(); });
  if (handlers.on_down)
    handlers.on_down({.text = fmt::format("left {} for {}", left, name())}, was_up, Duration(0));
}

std::shared_ptr<Stream> Link::Impl::up_stream() {
  std::lock_guard lock(mutex);
  return shared_stream;
}

Link::Link(Loop& loop, LinkOptions options, LinkHandlers handlers)
    : impl_(std::make_shared<Impl>(loop, std::move(options), std::move(handlers))) {
  YM_CHECK(!impl_->options.addresses.empty());
  YM_CHECK(impl_->options.cluster.size() <= kClusterNameMax);
}

Link::~Link() {
  impl_->closed = true;
  impl_->forget_attempt();
  if (impl_->resolver.joinable()) impl_->resolver.join();
}

void Link::start() { impl_->attempt(); }

void Link::move_to(std::size_t address) { impl_->move_to(address); }

bool Link::is_up() const { return impl_->up_stream() != nullptr; }

SendResult Link::send(FrameHeader header, std::string_view payload, WhenFull when_full) {
  auto stream = impl_->up_stream();
  return stream ? stream->enqueue(header, payload, when_full) : SendResult::Gone;
}

void Link::pause() {
  if (impl_->stream) impl_->stream->pause();
}

void Link::resume() {
  if (impl_->stream) impl_->stream->resume();
}

}  // namespace ym
