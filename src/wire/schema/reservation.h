// SPDX-License-Identifier: Apache-2.0
// Reservations and licences. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/license.h"
#include "model/reservation.h"
#include "wire/codec_impl.h"
#include "wire/schema/gres.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const License*) {
  f(1, "name", &License::name);
  f(2, "total", &License::total);
  f(3, "used", &License::used);
}
template <class F>
void fields(F&& f, const ReservedNode*) {
  f(1, "node", &ReservedNode::node);
  f(2, "cpus", &ReservedNode::cpus);
  f(3, "whole", &ReservedNode::whole);
}
template <class F>
void fields(F&& f, const Reservation*) {
  f(1, "id", &Reservation::id);
  f(2, "name", &Reservation::name);
  f(3, "start", &Reservation::start);
  f(4, "end", &Reservation::end);
  f(5, "flags", &Reservation::flags);
  f(6, "nodes", &Reservation::nodes);
  f(7, "node_text", &Reservation::node_text);
  f(8, "node_count", &Reservation::node_count);
  f(9, "core_count", &Reservation::core_count);
  f(10, "partition", &Reservation::partition);
  f(11, "features", &Reservation::features);
  f(12, "users", &Reservation::users);
  f(13, "groups", &Reservation::groups);
  f(14, "accounts", &Reservation::accounts);
  f(15, "licenses", &Reservation::licenses);
  f(16, "tres", &Reservation::tres);
  f(17, "burst_buffer", &Reservation::burst_buffer);
  f(18, "comment", &Reservation::comment);
  f(19, "allowed_partitions", &Reservation::allowed_partitions);
  f(20, "qos", &Reservation::qos);
  f(21, "max_start_delay_s", &Reservation::max_start_delay_s);
  f(22, "purge_after_s", &Reservation::purge_after_s);
  f(23, "float_by", &Reservation::float_by);
  f(24, "gres", &Reservation::gres);
}
template <class F>
void fields(F&& f, const UpdateReservation*) {
  f(1, "wanted", &UpdateReservation::wanted);
  f(2, "changed", &UpdateReservation::changed);
  f(3, "create", &UpdateReservation::create);
  f(4, "remove", &UpdateReservation::remove);
  f(5, "skip", &UpdateReservation::skip);
  f(6, "duration_s", &UpdateReservation::duration_s);
  f(7, "flags_added", &UpdateReservation::flags_added);
  f(8, "flags_removed", &UpdateReservation::flags_removed);
}
template <class F>
void fields(F&& f, const ReservationCreated*) {
  f(1, "name", &ReservationCreated::name);
}
template <class F>
void fields(F&& f, const QueryReservations*) {
  f(1, "name", &QueryReservations::name);
}
template <class F>
void fields(F&& f, const ReservationRow*) {
  f(1, "reservation", &ReservationRow::reservation);
  f(2, "nodes", &ReservationRow::nodes);
  f(3, "cores", &ReservationRow::cores);
  f(4, "cpus", &ReservationRow::cpus);
}
template <class F>
void fields(F&& f, const ReservationRows*) {
  f(1, "rows", &ReservationRows::rows);
}
template <class F>
void fields(F&& f, const QueryLicenses*) {
  f(1, "name", &QueryLicenses::name);
}
template <class F>
void fields(F&& f, const LicenseRow*) {
  f(1, "license", &LicenseRow::license);
  f(2, "reserved", &LicenseRow::reserved);
}
template <class F>
void fields(F&& f, const LicenseRows*) {
  f(1, "rows", &LicenseRows::rows);
}

}  // namespace ym::wire
