// SPDX-License-Identifier: Apache-2.0
// Generic resources, as they are in the log and on the wire.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/gres.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const GresItem*) {
  f(1, "name", &GresItem::name);
  f(2, "type", &GresItem::type);
  f(3, "count", &GresItem::count);
  f(4, "files", &GresItem::files);
  f(5, "cores", &GresItem::cores);
  f(6, "links", &GresItem::links);
  f(7, "flags", &GresItem::flags);
  f(8, "multiple", &GresItem::multiple);
}
template <class F>
void fields(F&& f, const GresDevice*) {
  f(1, "room", &GresDevice::room);
  f(2, "used", &GresDevice::used);
  f(3, "cores", &GresDevice::cores);
  f(4, "links", &GresDevice::links);
}
template <class F>
void fields(F&& f, const GresKind*) {
  f(1, "name", &GresKind::name);
  f(2, "type", &GresKind::type);
  f(3, "count", &GresKind::count);
  f(4, "used", &GresKind::used);
  f(5, "no_consume", &GresKind::no_consume);
  f(6, "shared", &GresKind::shared);
  f(7, "first", &GresKind::first);
  f(8, "devices", &GresKind::devices);
  f(9, "flags", &GresKind::flags);
}
template <class F>
void fields(F&& f, const GresShare*) {
  f(1, "node", &GresShare::node);
  f(2, "name", &GresShare::name);
  f(3, "type", &GresShare::type);
  f(4, "count", &GresShare::count);
  f(5, "devices", &GresShare::devices);
  f(6, "parts", &GresShare::parts);
}
template <class F>
void fields(F&& f, const GresOptions*) {
  f(1, "per_job", &GresOptions::per_job);
  f(2, "per_node", &GresOptions::per_node);
  f(3, "per_socket", &GresOptions::per_socket);
  f(4, "per_task", &GresOptions::per_task);
  f(5, "cpus_per", &GresOptions::cpus_per);
  f(6, "memory_per", &GresOptions::memory_per);
  f(7, "bind", &GresOptions::bind);
  f(8, "freq", &GresOptions::freq);
  f(9, "flags", &GresOptions::flags);
  f(10, "tasks_per", &GresOptions::tasks_per);
}
template <class F>
void fields(F&& f, const GresWish*) {
  f(1, "name", &GresWish::name);
  f(2, "type", &GresWish::type);
  f(3, "count", &GresWish::count);
  f(4, "per", &GresWish::per);
}
template <class F>
void fields(F&& f, const GresRequest*) {
  f(1, "wishes", &GresRequest::wishes);
  f(2, "cpus_per_gpu", &GresRequest::cpus_per_gpu);
  f(3, "memory_per_gpu_mb", &GresRequest::memory_per_gpu_mb);
  f(4, "tasks_per_gpu", &GresRequest::tasks_per_gpu);
  f(5, "enforce_binding", &GresRequest::enforce_binding);
  f(6, "many_per_shared", &GresRequest::many_per_shared);
  f(7, "one_task_per_shared", &GresRequest::one_task_per_shared);
}

}  // namespace ym::wire
