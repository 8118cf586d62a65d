// SPDX-License-Identifier: Apache-2.0
// Templates of Desk, for its own files.
#pragma once
#include "daemon/slurmctld/desk.h"
#include "model/errc.h"
#include "model/rate_limit.h"
#include "os/clock.h"
#include "schedule/priority.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

// How priorities are counted in this view. O(nodes) where they are.
inline PriorityScale scale_of(const View& view) {
  return scale_of(*view.config, view.state);
}

template <class T>
void Desk::answer(ReplyTo to, const T& message, std::uint16_t flags) {
  s_.server->send(to.connection,
                  {.type = wire::message_number<T>, .flags = flags, .correlation = to.correlation},
                  wire::encode(message));
}

template <class T>
void Desk::answer(ReplyTo to, const T& message, Pace pace) {
  if (pace == Pace::Gathered) return answer(to, message);
  s_.server->send_now(to.connection,
                      {.type = wire::message_number<T>, .correlation = to.correlation},
                      wire::encode(message));
}

// False after having said what is wrong with the message.
template <class T>
bool Desk::read(ReplyTo to, const Frame& frame, T& message) {
  auto decoded = wire::decode<T>(frame.payload);
  if (!decoded) {
    deny(to, ym::refuse(Errc::BadMessage, decoded.error().text).error());
    return false;
  }
  message = std::move(*decoded);
  return true;
}

// The client's own number for its request, if it may ask again.
inline std::uint64_t key_of(const FrameHeader& header) {
  return header.flags & wire::kFlagKeyed ? header.correlation : 0;
}

template <class T>
void Desk::to_core(ReplyTo to, const Peer& peer, Frame& frame) {
  // A flood is refused before it costs anything.
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!has_room(caller)) return send_away(to);
  T message;
  if (!read(to, frame, message)) return;
  hand_on(to, std::move(caller), frame, std::move(message));
}

}  // namespace ym
