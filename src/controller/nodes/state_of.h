// SPDX-License-Identifier: Apache-2.0
// A node's state as the event that would leave it as it is: to be changed in part.
#pragma once
#include "model/event.h"
#include "model/node.h"

namespace ym {

inline NodeStateChanged state_of(const Node& node) {
  return {.node = node.id,
          .condition = node.condition,
          .drain = node.drain,
          .fail = node.fail,
          .down_by_admin = node.down_by_admin,
          .reason = node.reason,
          .by = node.reason_uid};
}

}  // namespace ym
