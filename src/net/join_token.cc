// SPDX-License-Identifier: Apache-2.0
#include "net/join_token.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/check.h"
#include "base/format.h"
#include "net/token.h"

namespace ym {
namespace {

constexpr std::size_t kIdSize = 16;
constexpr std::size_t kSecretSize = 32;
constexpr std::string_view kClientContext = "join-client", kServerContext = "join-server";

KeyRing ring_of(const JoinToken& token) { return ClusterKey::from_bytes(token.secret).value(); }

// "join.ID.REST", REST in base64.
struct Parts {
  std::string id, rest;
};
Result<Parts> split(std::string_view text) {
  auto odd =
      fail("that is no join token: it is join.ID.SECRET, as `scontrol token join=NODE` says");
  if (!text.starts_with(kJoinPrefix)) return odd;
  text.remove_prefix(kJoinPrefix.size());
  if (text.size() <= kIdSize || text[kIdSize] != '.') return odd;
  Parts parts{.id = std::string(text.substr(0, kIdSize)), .rest = {}};
  if (!std::ranges::all_of(parts.id, [](unsigned char c) { return std::isxdigit(c) != 0; }))
    return odd;
  auto rest = base64url_decode(text.substr(kIdSize + 1));
  if (!rest) return odd;
  parts.rest = std::move(*rest);
  return parts;
}

std::string server_input(std::string_view greeting, std::string_view binding) {
  return fmt::format("{}\n{}", greeting, binding);
}

}  // namespace

JoinToken new_join_token(const Entropy& entropy) {
  std::array<std::uint8_t, kIdSize / 2> id{};
  std::array<std::uint8_t, kSecretSize> secret{};
  entropy(id);
  entropy(secret);
  JoinToken token;
  for (std::uint8_t byte : id) token.id += fmt::format("{:02x}", byte);
  token.secret.assign(secret.begin(), secret.end());
  return token;
}

std::string join_text(const JoinToken& token) {
  return fmt::format("{}{}.{}", kJoinPrefix, token.id, base64url_encode(token.secret));
}

Result<JoinToken> parse_join_text(std::string_view text) {
  auto parts = split(text);
  if (!parts) return std::unexpected(parts.error());
  if (parts->rest.size() != kSecretSize) return fail("the join token is damaged");
  return JoinToken{.id = std::move(parts->id), .secret = std::move(parts->rest)};
}

std::string join_greeting(const JoinToken& token, std::string_view binding) {
  YM_CHECK(!binding.empty());
  return fmt::format("{}{}.{}", kJoinPrefix, token.id,
                     base64url_encode(sign_blob(ring_of(token), kClientContext, binding)));
}

Result<std::string> joining_id(std::string_view greeting) {
  auto parts = split(greeting);
  if (!parts) return std::unexpected(parts.error());
  return std::move(parts->id);
}

Status check_join_greeting(const JoinToken& token, std::string_view greeting,
                           std::string_view binding) {
  if (binding.empty()) return fail("a join token serves over TLS only");
  auto parts = split(greeting);
  if (!parts) return std::unexpected(parts.error());
  return verify_blob(ring_of(token), kClientContext, binding, parts->rest, {});
}

std::string prove_join(const JoinToken& token, std::string_view greeting,
                       std::string_view binding) {
  return sign_blob(ring_of(token), kServerContext, server_input(greeting, binding));
}

Status check_join_proof(const JoinToken& token, std::string_view greeting, std::string_view binding,
                        std::string_view proof) {
  return verify_blob(ring_of(token), kServerContext, server_input(greeting, binding), proof, {});
}

}  // namespace ym
