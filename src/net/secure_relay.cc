// SPDX-License-Identifier: Apache-2.0
#include "net/secure_relay.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "net/silence.h"

namespace ym {

Result<SecureRelay::Started> SecureRelay::start(Loop& loop, std::shared_ptr<Stream> secured,
                                                Duration silence, std::function<void()> on_over) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return fail("no socket: " + errno_text(errno));
  Fd plain(pair[0]), ours(pair[1]);
  std::shared_ptr<SecureRelay> relay(new SecureRelay(loop, std::move(on_over)));
  auto near = Stream::create(loop, std::move(ours), relay->near_, kRelayWindow);
  if (!near) return std::unexpected(near.error());
  watch_for_silence(secured->fd(), silence);
  relay->near_.stream = std::move(*near);
  relay->far_.stream = std::move(secured);
  relay->near_.other = &relay->far_;
  relay->far_.other = &relay->near_;
  relay->near_.relay = relay->far_.relay = relay.get();
  relay->far_.stream->set_owner(relay->far_);
  relay->near_.stream->start_reading();
  relay->far_.stream->resume();
  return Started{.relay = std::move(relay), .plain = std::move(plain)};
}

SecureRelay::~SecureRelay() {
  loop_.cancel(linger_);
  for (Side* side : {&far_, &near_})
    if (side->stream) side->stream->drop();
}

void SecureRelay::Side::on_bytes(std::string_view bytes) {
  other->stream->enqueue_raw(bytes);
  if (other->stream->unsent() <= kRelayWindow) return;
  stream->pause();
  other->stream->notify_when_flushed();
}

// What this side had to write has left: the other may be read again.
void SecureRelay::Side::on_flushed() {
  if (!other->ended) other->stream->resume();
}

// What came from here still leaves there, and then that side ends, too.
void SecureRelay::Side::on_end(const std::string&) {
  ended = true;
  if (other->ended) return relay->over();
  other->stream->finish();
  relay->linger_ = relay->loop_.after(kRelayLinger, [it = relay] { it->over(); });
}

// Not at once: a stream of ours may be on the stack.
void SecureRelay::over() {
  loop_.cancel(std::exchange(linger_, {}));
  if (on_over_) loop_.post([done = std::exchange(on_over_, {})] { done(); });
}

}  // namespace ym
