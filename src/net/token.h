// SPDX-License-Identifier: Apache-2.0
// Tokens and signatures made with the cluster's key. Pure: time and chance are arguments.
//
// A token is a JWT (RFC 7519) in compact form, HS256 only, signed with the key itself, so that
// sites' own tools that mint `sun`/`iat`/`exp` tokens go on working.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/key.h"
#include "net/peer.h"

namespace ym {

struct TokenClaims {
  std::string user;                  // sun; may be empty if uid is given
  std::optional<std::uint32_t> uid;  // tokens of other tools have none: look the user up
  std::optional<std::uint32_t> gid;
  Instant issued;        // iat, whole seconds
  Instant expires;       // exp, whole seconds
  std::string audience;  // aud: the cluster's name
  std::string kind;      // "user", "node", …
  std::string id;        // jti, 32 hex digits; sign_token draws it, whatever stands here
};

// REQUIRES: expires > issued. The whole token is at most kTokenMax bytes.
Result<std::string> sign_token(const ClusterKey& key, TokenClaims claims, const Entropy& entropy);

// What a daemon signs for a local user whom the kernel vouches for. Lives at most
// kUserTokenLifeMax.
inline constexpr Duration kUserTokenLifeMax = std::chrono::hours(24 * 365);
struct UserToken {
  std::string user;
  std::uint32_t uid = 0, gid = 0;
  std::string cluster;
  Instant now;
  Duration life{0};
};
Result<std::string> sign_user_token(const ClusterKey& key, const UserToken& token,
                                    const Entropy& entropy);

struct TokenRules {
  Instant now;
  Duration skew{std::chrono::seconds(60)};  // how far clocks of one cluster may differ
  std::string_view audience;                // must equal the token's; empty: not looked at
  std::string_view kind;                    // the same
};
// The signature is checked, in constant time, before anything inside is believed.
Result<TokenClaims> verify_token(const ClusterKey& key, std::string_view token,
                                 const TokenRules& rules);
// The inside of a token without any check, for fuzzing and for `scontrol token` style display.
Result<TokenClaims> parse_claims(std::string_view json);

// For a Server: refuses tokens without uid and gid. `now` is called on network threads.
Authenticate authenticate_with(ClusterKey key, std::string audience, std::function<Instant()> now);

using Signature = std::array<std::uint8_t, 32>;
// HMAC-SHA256 over (context, bytes). Signatures of one context are worthless in another and as
// tokens.
Signature sign_blob(const ClusterKey& key, std::string_view context, std::string_view bytes);
bool verify_blob(const ClusterKey& key, std::string_view context, std::string_view bytes,
                 std::span<const std::uint8_t> signature);

std::string base64url_encode(std::string_view bytes);
// Strict: no padding, no blanks, no stray bits.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace ym
