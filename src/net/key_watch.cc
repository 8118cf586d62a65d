// SPDX-License-Identifier: Apache-2.0
#include "net/key_watch.h"

#include "base/format.h"

namespace ym {
namespace {

constexpr Duration kDay = std::chrono::hours(24), kHour = std::chrono::hours(1);

std::string shown(const NamedKey& key) { return key.name.empty() ? "slurm.key" : key.name; }

std::string cure(const KeyRing& ring) {
  return ring.keys().size() > 1 ? "make another key of slurm.jwks the default"
                                : "add another key to slurm.jwks";
}

}  // namespace

KeyWatch::Stage KeyWatch::stage_of(const KeyRing& ring, Instant now) {
  const NamedKey& wanted = ring.preferred();
  if (!wanted.expires) return Stage::Fresh;
  if (!ring.can_sign(now)) return Stage::Hopeless;
  if (ring.signing().name != wanted.name) return Stage::Replaced;
  Duration left = wanted.expires - now;
  return left <= kHour ? Stage::Hour : left <= kDay ? Stage::Day : Stage::Fresh;
}

std::optional<std::string> KeyWatch::look(Keys& keys, Instant now) {
  auto ring = keys.ring();
  KeyRing turned = *ring;
  if (turned.choose(now)) {
    keys.replace(ring, turned);
    ring = keys.ring();
  }
  const NamedKey& wanted = ring->preferred();
  Stage stage = stage_of(*ring, now);
  bool same = stage == stage_ && wanted.name == name_ && wanted.expires == expires_;
  stage_ = stage;
  name_ = wanted.name;
  expires_ = wanted.expires;
  trouble_ = stage != Stage::Hopeless
                 ? ""
                 : fmt::format(
                       "every key has expired ({}): no step can start, and who comes over "
                       "the network is refused. Put a new key into slurm.jwks on every "
                       "machine, and restart or reconfigure the daemons",
                       ring->describe());
  if (same) return std::nullopt;
  switch (stage) {
    case Stage::Fresh: return std::nullopt;
    case Stage::Day:
    case Stage::Hour:
      return fmt::format("key {}, which signs, expires within {}: {}", shown(wanted),
                         stage == Stage::Day ? "a day" : "an hour", cure(*ring));
    case Stage::Replaced:
      return fmt::format("key {}, the default, has come to its end: {} signs now. {}",
                         shown(wanted), shown(ring->signing()),
                         "Make it the default in slurm.jwks on every machine");
    case Stage::Hopeless: return trouble_;
  }
  return std::nullopt;
}

}  // namespace ym
