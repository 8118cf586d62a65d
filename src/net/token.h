// SPDX-License-Identifier: Apache-2.0
// Tokens and signatures made with the cluster's key. Pure: time and chance are arguments.
//
// A token is a JWT (RFC 7519) in compact form, HS256 only, signed with the key itself, so that
// sites' own tools that mint `sun`/`iat`/`exp` tokens go on working.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/keyring.h"

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
  std::string binding;   // cb: of the only channel that it serves on; empty: any
  bool once = false;     // serves one connection to each server (net/replay.h)
};

// REQUIRES: expires > issued. The whole token is at most kTokenMax bytes.
Result<std::string> sign_token(const KeyRing& keys, TokenClaims claims, const Entropy& entropy);

// What a daemon signs for a local user whom the kernel vouches for. Lives at most
// kUserTokenLifeMax; one that lives for no more than kOnceLife serves once.
inline constexpr Duration kUserTokenLifeMax = std::chrono::hours(24 * 365);
// What sackd and slurmd sign for the users of their machine serves for no longer: commands ask
// again, and one that leaks is soon worth nothing. Long ones are the controller's to give.
inline constexpr Duration kLocalTokenLifeMax = std::chrono::hours(1);
inline constexpr Duration kOnceLife = std::chrono::seconds(60);
struct UserToken {
  std::string user;
  std::uint32_t uid = 0, gid = 0;
  std::string cluster;
  Instant now;
  Duration life{0};
  std::string binding = {};  // as base64url, as the user told it; empty: for any channel
};
Result<std::string> sign_user_token(const KeyRing& keys, const UserToken& token,
                                    const Entropy& entropy);

struct TokenRules {
  Instant now;
  Duration skew{std::chrono::seconds(60)};  // how far clocks of one cluster may differ
  std::string_view audience;                // must equal the token's; empty: not looked at
  std::string_view kind;                    // the same
};
// The signature is checked, in constant time, before anything inside is believed.
Result<TokenClaims> verify_token(const KeyRing& keys, std::string_view token,
                                 const TokenRules& rules);
// The inside of a token without any check, for fuzzing and for `scontrol token` style display.
Result<TokenClaims> parse_claims(std::string_view json);

// 32 bytes of HMAC-SHA256 over (context, bytes), and the key's name. Signatures of one context are
// worthless in another and as tokens.
std::string sign_blob(const KeyRing& keys, std::string_view context, std::string_view bytes);
// Says why not.
Status verify_blob(const KeyRing& keys, std::string_view context, std::string_view bytes,
                   std::string_view signature, const TokenRules& rules);

// The proof that a server of this cluster has read the token.
struct Greeting {
  std::string_view token, binding;  // of the channel; empty without TLS
};
std::string prove_server(const KeyRing& keys, const Greeting& greeting);
Status check_server(const KeyRing& keys, const Greeting& greeting, std::string_view proof,
                    const TokenRules& rules);

std::string base64url_encode(std::string_view bytes);
// Strict: no padding, no blanks, no stray bits.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace ym
