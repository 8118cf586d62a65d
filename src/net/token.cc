// SPDX-License-Identifier: Apache-2.0
#include "net/token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "net/bytes.h"
#include "net/handshake.h"
#include "net/json_object.h"

namespace ym {
namespace {

constexpr std::string_view kHeader = R"({"alg":"HS256","typ":"JWT"})";
constexpr std::size_t kClaimTextMax = 256;
// Times beyond this (about the year 5138) are damage, and would overflow milliseconds some day.
constexpr std::int64_t kTimeMax = 100'000'000'000;

Signature hmac(const ClusterKey& key, std::string_view bytes) {
  Signature out;
  unsigned size = 0;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  auto* made = HMAC(EVP_sha256(), key.bytes().data(), static_cast<int>(key.bytes().size()), data,
                    bytes.size(), out.data(), &size);
  YM_CHECK(made != nullptr);
  YM_CHECK(size == out.size());
  return out;
}

bool same_signature(const Signature& ours, std::string_view theirs) {
  return theirs.size() == ours.size() &&
         CRYPTO_memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

// Leaves `to` as it is if there is no such claim.
Status take_text(const JsonObject& from, const char* name, std::string& to) {
  const JsonObject::Value* found = from.find(name);
  if (!found) return {};
  const std::string* text = std::get_if<std::string>(found);
  if (!text || text->size() > kClaimTextMax)
    return fail(fmt::format("its {} is no short text", name));
  for (char c : *text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return fail(fmt::format("its {} has control characters", name));
  to = *text;
  return {};
}

Status take_number(const JsonObject& from, const char* name, std::optional<std::int64_t>& to) {
  const JsonObject::Value* found = from.find(name);
  if (!found) return {};
  // Other tools write 1.7e9 now and then.
  if (const auto* whole = std::get_if<std::int64_t>(found)) to = *whole;
  if (const auto* real = std::get_if<double>(found);
      real && *real >= 0 && *real <= double{kTimeMax})
    to = static_cast<std::int64_t>(*real);
  if (!to || *to < 0 || *to > kTimeMax)
    return fail(fmt::format("its {} is no sensible number", name));
  return {};
}

Status take_user_id(const JsonObject& from, const char* name, std::optional<std::uint32_t>& to) {
  const JsonObject::Value* found = from.find(name);
  if (!found) return {};
  // ~0 means "no change" to the kernel and "nobody asked" to us, never a user.
  const auto* number = std::get_if<std::int64_t>(found);
  if (!number || *number < 0 || *number >= std::int64_t{~0u})
    return fail(fmt::format("its {} is no user or group number", name));
  to = static_cast<std::uint32_t>(*number);
  return {};
}

Status check_rules(const TokenClaims& claims, const TokenRules& rules) {
  if (claims.expires + rules.skew <= rules.now) {
    auto ago = (rules.now - claims.expires).count() / 1000;
    return fail(fmt::format("the token expired {} seconds ago", ago));
  }
  if (claims.issued && claims.issued - rules.skew > rules.now)
    return fail("the token was issued in the future; do the clocks differ?");
  if (!rules.audience.empty() && claims.audience != rules.audience)
    return fail(fmt::format("the token is for cluster \"{}\", not \"{}\"", claims.audience,
                            rules.audience));
  if (!rules.kind.empty() && claims.kind != rules.kind)
    return fail(fmt::format("the token is of kind \"{}\", not \"{}\"", claims.kind, rules.kind));
  return {};
}

Status check_header(std::string_view encoded) {
  auto json = base64url_decode(encoded);
  if (!json) return fail("the token's header is damaged");
  auto header = JsonObject::parse(*json);
  if (!header) return fail("the token's header is damaged");
  std::string algorithm;
  if (!take_text(*header, "alg", algorithm) || algorithm != "HS256")
    return fail("the token is not signed with HS256");
  return {};
}

}  // namespace

std::string base64url_encode(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (have += 8; have >= 6;) out += kDigits[bits >> (have -= 6) & 63];
  }
  if (have > 0) out += kDigits[bits << (6 - have) & 63];
  return out;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int have = 0;
  for (char c : text) {
    std::uint32_t digit;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<std::uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<std::uint32_t>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      digit = static_cast<std::uint32_t>(c - '0' + 52);
    else if (c == '-')
      digit = 62;
    else if (c == '_')
      digit = 63;
    else
      return std::nullopt;
    bits = bits << 6 | digit;
    have += 6;
    if (have >= 8) out += static_cast<char>(bits >> (have -= 8) & 255);
  }
  if ((bits & ((1u << have) - 1)) != 0) return std::nullopt;
  return out;
}

Result<std::string> sign_token(const ClusterKey& key, TokenClaims claims, const Entropy& entropy) {
  YM_CHECK(claims.expires > claims.issued);
  for (const std::string* text : {&claims.user, &claims.audience, &claims.kind})
    if (text->size() > kClaimTextMax) return fail("a name is too long for a token");
  std::array<std::uint8_t, 16> chance;
  entropy(chance);
  std::string id;
  for (std::uint8_t byte : chance) id += fmt::format("{:02x}", byte);
  std::string json = "{";
  auto member = [&](std::string_view name, std::string_view value) {
    json += fmt::format("{}\"{}\":{}", json.size() > 1 ? "," : "", name, value);
  };
  auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) member(name, json_quoted(value));
  };
  text("sun", claims.user);
  if (claims.uid) member("uid", std::to_string(*claims.uid));
  if (claims.gid) member("gid", std::to_string(*claims.gid));
  member("iat", std::to_string(claims.issued.unix_seconds()));
  member("exp", std::to_string(claims.expires.unix_seconds()));
  text("aud", claims.audience);
  text("kind", claims.kind);
  text("jti", id);
  json += "}";

  std::string token = base64url_encode(kHeader) + "." + base64url_encode(json);
  Signature signature = hmac(key, token);
  token +=
      "." + base64url_encode({reinterpret_cast<const char*>(signature.data()), signature.size()});
  if (token.size() > kTokenMax) return fail("the names are too long for a token");
  return token;
}

Result<TokenClaims> parse_claims(std::string_view json) {
  auto object = JsonObject::parse(json);
  if (!object) return fail("the token's inside is damaged: " + object.error().text);
  TokenClaims claims;
  std::optional<std::int64_t> issued, expires, not_before;
  Status took;
  for (auto [name, to] : {std::pair{"sun", &claims.user},
                          {"aud", &claims.audience},
                          {"kind", &claims.kind},
                          {"jti", &claims.id}})
    if (took = take_text(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  for (auto [name, to] : {std::pair{"iat", &issued}, {"exp", &expires}, {"nbf", &not_before}})
    if (took = take_number(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  for (auto [name, to] : {std::pair{"uid", &claims.uid}, {"gid", &claims.gid}})
    if (took = take_user_id(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  if (!expires) return fail("the token never expires, which is not allowed");
  claims.issued = Instant::from_unix_seconds(std::max(issued.value_or(0), not_before.value_or(0)));
  claims.expires = Instant::from_unix_seconds(*expires);
  return claims;
}

Result<std::string> sign_user_token(const ClusterKey& key, const UserToken& token,
                                    const Entropy& entropy) {
  Duration life = std::clamp<Duration>(token.life, std::chrono::seconds(1), kUserTokenLifeMax);
  return sign_token(key,
                    {.user = token.user,
                     .uid = token.uid,
                     .gid = token.gid,
                     .issued = token.now,
                     .expires = token.now + life,
                     .audience = token.cluster,
                     .kind = "user"},
                    entropy);
}

Result<TokenClaims> verify_token(const ClusterKey& key, std::string_view token,
                                 const TokenRules& rules) {
  if (token.size() > kTokenMax) return fail("the token is too long");
  auto parts = split(token, '.');
  if (parts.size() != 3) return fail("the token does not consist of three parts");
  auto signature = base64url_decode(parts[2]);
  if (!signature) return fail("the token's signature is damaged");
  if (!same_signature(hmac(key, token.substr(0, parts[0].size() + 1 + parts[1].size())),
                      *signature))
    return fail("the token was not signed with this cluster's key");
  if (Status ok = check_header(parts[0]); !ok) return std::unexpected(ok.error());
  auto json = base64url_decode(parts[1]);
  if (!json) return fail("the token's inside is damaged");
  auto claims = parse_claims(*json);
  if (!claims) return claims;
  if (Status ok = check_rules(*claims, rules); !ok) return std::unexpected(ok.error());
  return claims;
}

Authenticate authenticate_with(ClusterKey key, std::string audience, std::function<Instant()> now) {
  return [key = std::move(key), audience = std::move(audience),
          now = std::move(now)](std::string_view token) -> Result<Peer> {
    auto claims = verify_token(key, token, {.now = now(), .audience = audience});
    if (!claims) return std::unexpected(claims.error());
    if (!claims->uid || !claims->gid) return fail("the token names no uid and gid");
    return Peer{.kind = PeerKind::Token,
                .uid = *claims->uid,
                .gid = *claims->gid,
                .user = std::move(claims->user),
                .role = std::move(claims->kind)};
  };
}

// No token's signing input (ASCII, with a dot) begins like this, and the length keeps context and
// bytes apart.
Signature sign_blob(const ClusterKey& key, std::string_view context, std::string_view bytes) {
  std::string input("yardmaster blob\0", 16);
  input.resize(16 + 8);
  store_u64(&input[16], context.size());
  input.append(context);
  input.append(bytes);
  return hmac(key, input);
}

bool verify_blob(const ClusterKey& key, std::string_view context, std::string_view bytes,
                 std::span<const std::uint8_t> signature) {
  return same_signature(sign_blob(key, context, bytes),
                        {reinterpret_cast<const char*>(signature.data()), signature.size()});
}

}  // namespace ym
