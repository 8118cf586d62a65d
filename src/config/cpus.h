// SPDX-License-Identifier: Apache-2.0
// How many CPUs a node has when its line says only part of it, as Slurm works it out.
#pragma once
#include <functional>
#include <string_view>

#include "config/fields.h"
#include "model/node.h"

namespace ym {

// From CPUs, Boards, Sockets, SocketsPerBoard, CoresPerSocket and ThreadsPerCore:
// - Sockets are all sockets of the node; SocketsPerBoard times Boards says the same.
// - Missing CPUs are sockets × cores × threads; missing sockets are what CPUs leave room for.
// - CPUs may count threads, cores or sockets. A number that counts none of them is replaced, with a
// warning: sites run
//   with such files, and refusing them would help nobody.
void derive_cpus(const Fields& fields, NodeSpec& spec,
                 const std::function<void(std::string_view)>& warn);

}  // namespace ym
