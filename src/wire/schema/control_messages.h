// SPDX-License-Identifier: Apache-2.0
// Everything else that is said to the controller.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/control_messages.h"
#include "wire/schema/events.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const Failure*) {
  f(1, "code", &Failure::code);
  f(2, "text", &Failure::text);
}
template <class F>
void fields(F&& f, const Done*) {
  f(1, "text", &Done::text);
}
template <class F>
void fields(F&&, const Ping*) {}
template <class F>
void fields(F&& f, const Pong*) {
  f(1, "host", &Pong::host);
  f(2, "mode", &Pong::mode);
  f(3, "version", &Pong::version);
  f(4, "cluster", &Pong::cluster);
  f(5, "started", &Pong::started);
  f(6, "log_writable", &Pong::log_writable);
  f(7, "trouble", &Pong::trouble);
  f(8, "index", &Pong::index);
  f(9, "epoch", &Pong::epoch);
  f(10, "leader", &Pong::leader);
}
template <class F>
void fields(F&&, const Takeover*) {}
template <class F>
void fields(F&& f, const ControllerLeads*) {
  f(1, "epoch", &ControllerLeads::epoch);
  f(2, "index", &ControllerLeads::index);
  f(3, "name", &ControllerLeads::name);
}
template <class F>
void fields(F&&, const QueryConfig*) {}
template <class F>
void fields(F&& f, const KeyValue*) {
  f(1, "key", &KeyValue::key);
  f(2, "value", &KeyValue::value);
}
template <class F>
void fields(F&& f, const ConfigAnswer*) {
  f(1, "values", &ConfigAnswer::values);
  f(2, "boot", &ConfigAnswer::boot);
}
template <class F>
void fields(F&&, const FetchConfig*) {}
template <class F>
void fields(F&& f, const ConfigFile*) {
  f(1, "name", &ConfigFile::name);
  f(2, "text", &ConfigFile::text);
}
template <class F>
void fields(F&& f, const ConfigFiles*) {
  f(1, "files", &ConfigFiles::files);
}
template <class F>
void fields(F&& f, const Reconfigure*) {
  f(1, "nodes", &Reconfigure::nodes);
}
template <class F>
void fields(F&& f, const Shutdown*) {
  f(1, "controller_only", &Shutdown::controller_only);
}
template <class F>
void fields(F&& f, const GetToken*) {
  f(1, "user", &GetToken::user);
  f(2, "lifespan_s", &GetToken::lifespan_s);
  f(3, "binding", &GetToken::binding);
}
template <class F>
void fields(F&& f, const Token*) {
  f(1, "text", &Token::text);
}
template <class F>
void fields(F&& f, const FollowEvents*) {
  f(1, "from", &FollowEvents::from);
  f(2, "follow", &FollowEvents::follow);
}
template <class F>
void fields(F&& f, const Events*) {
  f(1, "events", &Events::events);
  f(2, "next", &Events::next);
}
template <class F>
void fields(F&& f, const QueryStatistics*) {
  f(1, "reset", &QueryStatistics::reset);
}
template <class F>
void fields(F&& f, const MessageCount*) {
  f(1, "number", &MessageCount::number);
  f(2, "name", &MessageCount::name);
  f(3, "count", &MessageCount::count);
  f(4, "total_us", &MessageCount::total_us);
}
template <class F>
void fields(F&& f, const Statistics*) {
  f(1, "values", &Statistics::values);
  f(2, "by_kind", &Statistics::by_kind);
  f(3, "by_user", &Statistics::by_user);
}
template <class F>
void fields(F&& f, const SetDebug*) {
  f(1, "level", &SetDebug::level);
  f(2, "flags_on", &SetDebug::flags_on);
  f(3, "flags_off", &SetDebug::flags_off);
  f(4, "nodes", &SetDebug::nodes);
}
template <class F>
void fields(F&& f, const OwnerNotice*) {
  f(1, "job", &OwnerNotice::job);
  f(2, "text", &OwnerNotice::text);
}

}  // namespace ym::wire
