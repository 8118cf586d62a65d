// SPDX-License-Identifier: Apache-2.0
// The fields of a node, as they are in the log and on the wire.
// NUMBERS ARE NEVER CHANGED OR REUSED. New fields take the next number; a removed one leaves a gap
// and a comment.
#pragma once
#include "model/node.h"
#include "wire/schema/gres.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const NodeSpec*) {
  f(1, "name", &NodeSpec::name);
  f(2, "hostname", &NodeSpec::hostname);
  f(3, "address", &NodeSpec::address);
  f(4, "port", &NodeSpec::port);
  f(5, "cpus", &NodeSpec::cpus);
  f(6, "boards", &NodeSpec::boards);
  f(7, "sockets", &NodeSpec::sockets);
  f(8, "cores_per_socket", &NodeSpec::cores_per_socket);
  f(9, "threads_per_core", &NodeSpec::threads_per_core);
  f(10, "memory_mb", &NodeSpec::memory_mb);
  f(11, "tmp_mb", &NodeSpec::tmp_mb);
  f(12, "weight", &NodeSpec::weight);
  f(13, "features", &NodeSpec::features);
  f(14, "gres", &NodeSpec::gres);
  f(15, "reason", &NodeSpec::reason);
  f(16, "state", &NodeSpec::state);
  f(17, "cpu_spec_list", &NodeSpec::cpu_spec_list);
  f(18, "core_spec_count", &NodeSpec::core_spec_count);
  f(19, "mem_spec_limit_mb", &NodeSpec::mem_spec_limit_mb);
  f(20, "system_cpus", &NodeSpec::system_cpus);
  f(50, "dynamic", &NodeSpec::dynamic);
  f(51, "suspend_time_s", &NodeSpec::suspend_time_s);
}

template <class F>
void fields(F&& f, const NodeRegistration*) {
  f(1, "cpus", &NodeRegistration::cpus);
  f(2, "boards", &NodeRegistration::boards);
  f(3, "sockets", &NodeRegistration::sockets);
  f(4, "cores_per_socket", &NodeRegistration::cores_per_socket);
  f(5, "threads_per_core", &NodeRegistration::threads_per_core);
  f(6, "memory_mb", &NodeRegistration::memory_mb);
  f(7, "tmp_mb", &NodeRegistration::tmp_mb);
  f(8, "version", &NodeRegistration::version);
  f(9, "os", &NodeRegistration::os);
  f(10, "arch", &NodeRegistration::arch);
  f(11, "boot_time", &NodeRegistration::boot_time);
  f(12, "slurmd_start", &NodeRegistration::slurmd_start);
  f(13, "address", &NodeRegistration::address);
  f(14, "port", &NodeRegistration::port);
  f(15, "boot_id", &NodeRegistration::boot_id);
  f(20, "gres", &NodeRegistration::gres);
}

template <class F>
void fields(F&& f, const NodeReboot*) {
  f(1, "phase", &NodeReboot::phase);
  f(2, "next", &NodeReboot::next);
  f(3, "drained", &NodeReboot::drained);
  f(4, "issued", &NodeReboot::issued);
}

template <class F>
void fields(F&& f, const NodePower*) {
  f(1, "phase", &NodePower::phase);
  f(2, "since", &NodePower::since);
  f(3, "drained", &NodePower::drained);
  f(4, "up_wanted", &NodePower::up_wanted);
}

template <class F>
void fields(F&& f, const Node*) {
  f(1, "id", &Node::id);
  f(2, "spec", &Node::spec);
  f(3, "registration", &Node::registration);
  f(4, "condition", &Node::condition);
  f(5, "drain", &Node::drain);
  f(6, "fail", &Node::fail);
  f(7, "responding", &Node::responding);
  f(8, "down_by_admin", &Node::down_by_admin);
  f(9, "reason", &Node::reason);
  f(10, "reason_uid", &Node::reason_uid);
  f(11, "reason_time", &Node::reason_time);
  f(12, "last_busy", &Node::last_busy);
  f(13, "cpus_used", &Node::cpus_used);
  f(14, "memory_used_mb", &Node::memory_used_mb);
  f(15, "jobs", &Node::jobs);
  f(16, "completing", &Node::completing);
  f(17, "exclusive", &Node::exclusive);
  f(18, "reboot", &Node::reboot);
  f(22, "comment", &Node::comment);
  f(23, "extra", &Node::extra);
  f(24, "reserved", &Node::reserved);
  f(25, "maintenance", &Node::maintenance);
  f(19, "owner", &Node::owner);
  f(20, "several_owners", &Node::several_owners);
  f(21, "for_user", &Node::for_user);
  f(30, "gres", &Node::gres);
  f(50, "instance_id", &Node::instance_id);
  f(51, "instance_type", &Node::instance_type);
  f(52, "cpu_bind", &Node::cpu_bind);
  f(53, "active_features", &Node::active_features);
  f(54, "features_chosen", &Node::features_chosen);
  f(55, "resume_after", &Node::resume_after);
  f(56, "power", &Node::power);
  f(75, "parked", &Node::parked);
  f(76, "parked_cpus", &Node::parked_cpus);
  f(77, "for_topo", &Node::for_topo);
  f(78, "mcs_label", &Node::mcs_label);
  f(79, "several_mcs", &Node::several_mcs);
  f(80, "for_mcs", &Node::for_mcs);
  f(81, "kept_for", &Node::kept_for);
  f(82, "planned", &Node::planned);
  f(83, "rows", &Node::rows);
  f(84, "invalid", &Node::invalid);
  f(85, "blocked", &Node::blocked);
}

}  // namespace ym::wire
