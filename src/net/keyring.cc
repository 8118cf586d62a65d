// SPDX-License-Identifier: Apache-2.0
#include "net/keyring.h"

#include <openssl/crypto.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <variant>

#include "base/format.h"
#include "base/text.h"
#include "net/json_object.h"
#include "net/token.h"

namespace ym {
namespace {

// A key of kKeySizeMax bytes in base64, with room for the rest, kKeysMax times.
constexpr std::size_t kEntryMax = 8192;
constexpr std::size_t kSetMax = kEntryMax * kKeysMax;
constexpr std::int64_t kTimeMax = 100'000'000'000;

std::optional<std::string> text_of(const JsonObject& from, std::string_view name) {
  const JsonObject::Value* found = from.find(name);
  const std::string* text = found ? std::get_if<std::string>(found) : nullptr;
  return text ? std::optional(*text) : std::nullopt;
}

// Base64 with or without padding, in either alphabet: administrators make these by hand.
std::optional<std::string> decode_key(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  auto bytes = base64url_decode(text);
  OPENSSL_cleanse(text.data(), text.size());
  return bytes;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kKeyNameMax &&
         std::ranges::all_of(name, [](char c) { return c > 0x20 && c < 0x7f; });
}

Result<NamedKey> read_key(const JsonObject& entry, bool& is_default) {
  auto name = text_of(entry, "kid");
  if (!name || !is_name(*name))
    return fail(fmt::format("a key has no kid of 1 to {} visible characters", kKeyNameMax));
  auto wrong = [&](std::string_view what) { return fail(fmt::format("key {}: {}", *name, what)); };
  if (auto kind = text_of(entry, "kty"); kind && *kind != "oct") return wrong("its kty is not oct");
  if (text_of(entry, "alg").value_or("HS256") != "HS256") return wrong("its alg is not HS256");
  auto text = text_of(entry, "k");
  auto bytes = text ? decode_key(*text) : std::nullopt;
  if (!bytes) return wrong("its k is not in base64");
  auto key = ClusterKey::from_bytes(std::move(*bytes));
  if (!key) return wrong(key.error().text);
  NamedKey out{.name = *name, .key = std::move(*key), .expires = {}};
  if (const JsonObject::Value* expires = entry.find("exp")) {
    const auto* seconds = std::get_if<std::int64_t>(expires);
    if (!seconds || *seconds <= 0 || *seconds > kTimeMax)
      return wrong("its exp is no time in seconds since 1970");
    out.expires = Instant::from_unix_seconds(*seconds);
  }
  is_default = text_of(entry, "use").value_or("") == "default";
  return out;
}

Status no_file(const std::string& path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0 && errno == ENOENT) return {};
  return fail("it is there");
}

}  // namespace

KeyRing::KeyRing(ClusterKey key) {
  keys_.push_back({.name = "", .key = std::move(key), .expires = {}});
}

Result<KeyRing> KeyRing::from_jwks(std::string_view json, const ClusterKey* slurm_key,
                                   Instant now) {
  auto set = JsonObject::parse(json, kSetMax);
  if (!set) return std::unexpected(set.error());
  const JsonObject::Value* found = set->find("keys");
  const auto* list = found ? std::get_if<JsonObject::Other>(found) : nullptr;
  auto entries = JsonObject::parse_array(list ? list->text : "", kSetMax);
  if (!entries) return fail("it has no array of keys: " + entries.error().text);
  if (entries->empty()) return fail("it has no keys");
  if (entries->size() > kKeysMax) return fail(fmt::format("it has more than {} keys", kKeysMax));
  KeyRing ring;
  std::optional<std::size_t> signing;
  for (const JsonObject& entry : *entries) {
    bool is_default = false;
    auto key = read_key(entry, is_default);
    if (!key) return std::unexpected(key.error());
    if (std::ranges::find(ring.keys_, key->name, &NamedKey::name) != ring.keys_.end())
      return fail(fmt::format("key {} is there twice", key->name));
    if (is_default && signing) return fail("more than one key has \"use\":\"default\"");
    if (is_default) signing = ring.keys_.size();
    ring.keys_.push_back(std::move(*key));
  }
  if (slurm_key) {
    if (!signing) signing = ring.keys_.size();
    ring.keys_.push_back({.name = "", .key = *slurm_key, .expires = {}});
  }
  if (!signing && ring.keys_.size() > 1) return fail("no key has \"use\":\"default\"");
  ring.default_ = ring.signing_ = signing.value_or(0);
  ring.choose(now);
  if (!ring.can_sign(now))
    return fail(
        fmt::format("key {}, which signs, has expired, and so has every other: add a new one",
                    ring.signing().name));
  return ring;
}

bool KeyRing::choose(Instant now) {
  std::size_t before = signing_;
  signing_ = default_;
  Instant needed = now + kSigningMargin;
  if (!keys_[default_].good_at(needed)) {
    // The one that lasts longest, the first of equals.
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const NamedKey &one = keys_[i], &best = keys_[signing_];
      bool longer = !one.expires ? bool(best.expires) : best.expires && one.expires > best.expires;
      if (one.good_at(needed) && longer) signing_ = i;
    }
  }
  return signing_ != before;
}

Result<const NamedKey*> KeyRing::find(std::string_view name, Instant now, Duration skew) const {
  auto at = std::ranges::find(keys_, name, &NamedKey::name);
  if (at == keys_.end() && name.empty())
    return fail("it was signed with slurm.key, which is not used any more");
  if (at == keys_.end())
    return fail(fmt::format("it was signed with key {}, which is not known", printable(name)));
  if (at->expires && at->expires + skew <= now)
    return fail(fmt::format("it was signed with key {}, which has expired", printable(name)));
  return &*at;
}

std::string KeyRing::describe() const {
  std::string out;
  for (std::size_t i = 0; i < keys_.size(); ++i)
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ",
                       keys_[i].name.empty() ? "slurm.key" : keys_[i].name,
                       i == signing_ ? " (signs)" : "");
  return out;
}

Result<KeyRing> load_keyring(const KeyFiles& files, bool create, Instant now) {
  bool without_set = no_file(files.jwks).has_value();
  bool without_key = no_file(files.key).has_value();
  if (without_set) {
    auto key = create ? load_or_create_key(files.key, system_entropy()) : load_key(files.key);
    if (!key) return std::unexpected(key.error());
    return KeyRing(std::move(*key));
  }
  std::optional<ClusterKey> slurm_key;
  if (!without_key) {
    auto key = load_key(files.key);
    if (!key) return std::unexpected(key.error());
    slurm_key = std::move(*key);
  }
  auto text = read_secret(files.jwks, kSetMax);
  if (!text) return std::unexpected(text.error());
  auto ring = KeyRing::from_jwks(*text, slurm_key ? &*slurm_key : nullptr, now);
  OPENSSL_cleanse(text->data(), text->size());
  if (!ring) return fail(fmt::format("{}: {}", files.jwks, ring.error().text));
  return ring;
}

}  // namespace ym
