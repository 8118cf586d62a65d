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

constexpr std::size_t kClaimTextMax = 256;
constexpr std::string_view kProofContext = "welcome";
// Times beyond this (about the year 5138) are damage, and would overflow milliseconds some day.
constexpr std::int64_t kTimeMax = 100'000'000'000;

using Signature = std::array<std::uint8_t, 32>;

std::string_view bytes_of(const Signature& signature) {
  return {reinterpret_cast<const char*>(signature.data()), signature.size()};
}

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

// The name of the key that the header says it was signed with; empty if it names none.
Result<std::string> read_header(std::string_view encoded) {
  auto json = base64url_decode(encoded);
  if (!json) return fail("the token's header is damaged");
  auto header = JsonObject::parse(*json);
  if (!header) return fail("the token's header is damaged");
  std::string algorithm, key_name;
  if (!take_text(*header, "alg", algorithm) || algorithm != "HS256")
    return fail("the token is not signed with HS256");
  if (!take_text(*header, "kid", key_name)) return fail("the token's header is damaged");
  return key_name;
}

// A token without a key's name is of slurm.key, or of a tool that knows one key only: any may be
// meant.
Status check_signature(const KeyRing& keys, std::string_view key_name, std::string_view signed_text,
                       std::string_view signature, const TokenRules& rules) {
  auto named = keys.find(key_name, rules.now, rules.skew);
  if (named && same_signature(hmac((*named)->key, signed_text), signature)) return {};
  bool genuine = false;
  if (key_name.empty())
    for (const NamedKey& one : keys.keys())
      genuine = genuine || (keys.find(one.name, rules.now, rules.skew) &&
                            same_signature(hmac(one.key, signed_text), signature));
  if (genuine) return {};
  if (!named && !key_name.empty()) return fail("the token is not valid: " + named.error().text);
  return fail("the token was not signed with this cluster's key");
}

// A token has no line end. Without TLS it is the token alone, as it was before there was TLS.
std::string proof_input(const Greeting& greeting) {
  if (greeting.binding.empty()) return std::string(greeting.token);
  return fmt::format("{}\n{}", greeting.token, greeting.binding);
}

// What is signed of (context, bytes). No token's signing input (ASCII, with a dot) begins like
// this, and the length keeps context and bytes apart.
std::string blob_input(std::string_view context, std::string_view bytes) {
  std::string input("yardmaster blob\0", 16);
  input.resize(16 + 8);
  store_u64(&input[16], context.size());
  input.append(context);
  input.append(bytes);
  return input;
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

Result<std::string> sign_token(const KeyRing& keys, TokenClaims claims, const Entropy& entropy) {
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
  if (claims.once) member("once", "1");
  if (!claims.binding.empty()) text("cb", base64url_encode(claims.binding));
  json += "}";

  const NamedKey& key = keys.signing();
  std::string name = key.name.empty() ? "" : fmt::format(R"(,"kid":{})", json_quoted(key.name));
  std::string header = fmt::format(R"({{"alg":"HS256","typ":"JWT"{}}})", name);
  std::string token = base64url_encode(header) + "." + base64url_encode(json);
  token += "." + base64url_encode(bytes_of(hmac(key.key, token)));
  if (token.size() > kTokenMax) return fail("the names are too long for a token");
  return token;
}

Result<TokenClaims> parse_claims(std::string_view json) {
  auto object = JsonObject::parse(json);
  if (!object) return fail("the token's inside is damaged: " + object.error().text);
  TokenClaims claims;
  std::optional<std::int64_t> issued, expires, not_before, once;
  Status took;
  for (auto [name, to] : {std::pair{"sun", &claims.user},
                          {"aud", &claims.audience},
                          {"kind", &claims.kind},
                          {"cb", &claims.binding},
                          {"jti", &claims.id}})
    if (took = take_text(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  for (auto [name, to] :
       {std::pair{"iat", &issued}, {"exp", &expires}, {"nbf", &not_before}, {"once", &once}})
    if (took = take_number(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  for (auto [name, to] : {std::pair{"uid", &claims.uid}, {"gid", &claims.gid}})
    if (took = take_user_id(*object, name, *to); !took)
      return fail("the token is damaged: " + took.error().text);
  if (!expires) return fail("the token never expires, which is not allowed");
  claims.issued = Instant::from_unix_seconds(std::max(issued.value_or(0), not_before.value_or(0)));
  claims.expires = Instant::from_unix_seconds(*expires);
  claims.once = once.value_or(0) != 0;
  auto binding = base64url_decode(claims.binding);
  if (!binding) return fail("the token is damaged: its cb is not in base64");
  claims.binding = std::move(*binding);
  if (claims.once && claims.id.empty()) return fail("the token serves once and has no jti");
  return claims;
}

Result<std::string> sign_user_token(const KeyRing& keys, const UserToken& token,
                                    const Entropy& entropy) {
  Duration life = std::clamp<Duration>(token.life, std::chrono::seconds(1), kUserTokenLifeMax);
  auto binding = base64url_decode(token.binding);
  if (!binding) return fail("no token: the channel's binding is not in base64");
  return sign_token(keys,
                    {.user = token.user,
                     .uid = token.uid,
                     .gid = token.gid,
                     .issued = token.now,
                     .expires = token.now + life,
                     .audience = token.cluster,
                     .kind = "user",
                     .id = {},
                     .binding = std::move(*binding),
                     .once = life <= kOnceLife},
                    entropy);
}

Result<TokenClaims> verify_token(const KeyRing& keys, std::string_view token,
                                 const TokenRules& rules) {
  if (token.size() > kTokenMax) return fail("the token is too long");
  auto parts = split(token, '.');
  if (parts.size() != 3) return fail("the token does not consist of three parts");
  auto signature = base64url_decode(parts[2]);
  if (!signature) return fail("the token's signature is damaged");
  // Of what is not proved yet only the header is looked at: it says with which key to prove it.
  auto key_name = read_header(parts[0]);
  if (!key_name) return std::unexpected(key_name.error());
  std::string_view signed_text = token.substr(0, parts[0].size() + 1 + parts[1].size());
  if (Status ok = check_signature(keys, *key_name, signed_text, *signature, rules); !ok)
    return std::unexpected(ok.error());
  auto json = base64url_decode(parts[1]);
  if (!json) return fail("the token's inside is damaged");
  auto claims = parse_claims(*json);
  if (!claims) return claims;
  if (Status ok = check_rules(*claims, rules); !ok) return std::unexpected(ok.error());
  return claims;
}

std::string sign_blob(const KeyRing& keys, std::string_view context, std::string_view bytes) {
  const NamedKey& key = keys.signing();
  return std::string(bytes_of(hmac(key.key, blob_input(context, bytes)))) + key.name;
}

Status verify_blob(const KeyRing& keys, std::string_view context, std::string_view bytes,
                   std::string_view signature, const TokenRules& rules) {
  constexpr std::size_t kSize = sizeof(Signature);
  if (signature.size() < kSize) return fail("its signature is damaged");
  auto key = keys.find(signature.substr(kSize), rules.now, rules.skew);
  if (!key) return std::unexpected(key.error());
  if (!same_signature(hmac((*key)->key, blob_input(context, bytes)), signature.substr(0, kSize)))
    return fail("its signature is wrong");
  return {};
}

std::string prove_server(const KeyRing& keys, const Greeting& greeting) {
  return sign_blob(keys, kProofContext, proof_input(greeting));
}

Status check_server(const KeyRing& keys, const Greeting& greeting, std::string_view proof,
                    const TokenRules& rules) {
  return verify_blob(keys, kProofContext, proof_input(greeting), proof, rules);
}

}  // namespace ym
