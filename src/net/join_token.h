// SPDX-License-Identifier: Apache-2.0
// How a machine that has nothing of the cluster's joins it: with a text that an administrator made
// for one node, that serves once and expires. The secret inside never travels: both sides prove
// over TLS that they know it, bound to the channel, so that who stands between learns nothing.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/key.h"

namespace ym {

inline constexpr std::string_view kJoinPrefix = "join.";

struct JoinToken {
  std::string id;      // 16 hex digits
  std::string secret;  // 32 bytes
  bool operator==(const JoinToken&) const = default;
};
JoinToken new_join_token(const Entropy& entropy);
// "join.ID.SECRET"
std::string join_text(const JoinToken& token);
Result<JoinToken> parse_join_text(std::string_view text);

// What the machine says in its hello instead of a cluster's token: "join.ID.PROOF".
// REQUIRES: binding is not empty.
std::string join_greeting(const JoinToken& token, std::string_view binding);
// The id that a hello claims; nothing is proved.
Result<std::string> joining_id(std::string_view greeting);
Status check_join_greeting(const JoinToken& token, std::string_view greeting,
                           std::string_view binding);
// The server's answer to the greeting, and its check.
std::string prove_join(const JoinToken& token, std::string_view greeting, std::string_view binding);
Status check_join_proof(const JoinToken& token, std::string_view greeting, std::string_view binding,
                        std::string_view proof);

}  // namespace ym
