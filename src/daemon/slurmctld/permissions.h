// SPDX-License-Identifier: Apache-2.0
// Who may ask the controller what: one row for each request. The desk looks here before it does
// anything with a request; one without a row is refused as unknown.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "model/caller.h"
#include "model/errc.h"
#include "net/peer.h"

namespace ym {

// What a caller is to a request. Somebody may be several at once.
enum class CallerKind : std::uint16_t {
  Root = 1,
  SlurmUser = 2,
  Administrator = 4,  // AdminLevel of accounting
  Operator = 8,       // the same
  Coordinator = 16,   // of the account of the job that is meant
  Owner = 32,         // of the job, trigger or crontab that is meant
  Other = 64,         // any other user
  Node = 128,         // a slurmd of this cluster
};
inline constexpr std::uint16_t kCallerKinds = 8;

class CallerKinds {
 public:
  constexpr CallerKinds() = default;
  constexpr CallerKinds(CallerKind one)  // NOLINT(google-explicit-constructor)
      : bits_(static_cast<std::uint16_t>(one)) {}
  constexpr CallerKinds operator|(CallerKinds other) const {
    CallerKinds both;
    both.bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
    return both;
  }
  constexpr bool has(CallerKind one) const {
    return (bits_ & static_cast<std::uint16_t>(one)) != 0;
  }

 private:
  std::uint16_t bits_ = 0;
};

enum class DecidedBy : std::uint8_t {
  Desk,     // by who asks alone: nothing of the request is looked at before
  Handler,  // by what is meant, too: whose job it is, what is to be done with it
};

struct Permission {
  std::uint16_t message;  // its number
  std::string_view name;  // in Slurm's words
  CallerKinds may;
  DecidedBy decided_by;
  Errc refusal = Errc::AccessDenied;  // of the desk
};

std::span<const Permission> permissions();
// Null: no such request.
const Permission* permission_for(std::uint16_t message);

// What the caller is whatever is meant: Owner, Coordinator and Other are left to the handler.
CallerKinds kinds_of(const Peer& peer, const Caller& caller);
// The desk's part: refuses who may not ask this at all.
Status check_permission(const Permission& permission, const Peer& peer, const Caller& caller);

}  // namespace ym
