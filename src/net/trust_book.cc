// SPDX-License-Identifier: Apache-2.0
#include "net/trust_book.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::size_t kWordMax = 256;

bool is_word(std::string_view text) {
  if (text.empty() || text.size() > kWordMax) return false;
  for (unsigned char c : text)
    if (c <= ' ' || c == 0x7f) return false;
  return true;
}

}  // namespace

// issued SERIAL NAME UNTIL good|revoked
// blocked NAME
// join TOKEN NODE UNTIL
std::string TrustBook::text() const {
  std::string out;
  for (const auto& [serial, one] : issued_)
    out += fmt::format("issued {} {} {} {}\n", serial, one.name, one.until.unix_seconds(),
                       one.revoked ? "revoked" : "good");
  for (const std::string& name : blocked_) out += fmt::format("blocked {}\n", name);
  for (const auto& [id, one] : invitations_)
    out += fmt::format("join {} {} {}\n", join_text(one.token), one.node, one.until.unix_seconds());
  return out;
}

Status TrustBook::read_line(const std::vector<std::string_view>& words) {
  auto odd = fail(fmt::format("a line that begins with \"{}\" makes no sense",
                              printable(words.front().substr(0, 20))));
  for (std::string_view word : words)
    if (!is_word(word)) return odd;
  if (words[0] == "blocked" && words.size() == 2) {
    blocked_.emplace(words[1]);
    return {};
  }
  if (words[0] == "issued" && words.size() == 5 && (words[4] == "good" || words[4] == "revoked")) {
    auto until = parse_unsigned<std::uint32_t>(words[3]);
    if (!until) return odd;
    issued_[std::string(words[1])] = {.name = std::string(words[2]),
                                      .until = Instant::from_unix_seconds(*until),
                                      .revoked = words[4] == "revoked"};
    return {};
  }
  if (words[0] == "join" && words.size() == 4) {
    auto token = parse_join_text(words[1]);
    auto until = parse_unsigned<std::uint32_t>(words[3]);
    if (!token || !until) return odd;
    std::string id = token->id;
    invitations_[id] = {.token = std::move(*token),
                        .node = std::string(words[2]),
                        .until = Instant::from_unix_seconds(*until)};
    return {};
  }
  return odd;
}

Result<TrustBook> TrustBook::parse(std::string_view text) {
  TrustBook book;
  std::size_t lines = 0;
  for (std::string_view line : split_words(text, '\n')) {
    if (line.empty()) continue;
    if (++lines > 3 * kTrustEntriesMax) return fail("there are too many entries");
    if (Status read = book.read_line(split_words(line, ' ')); !read)
      return std::unexpected(read.error());
  }
  return book;
}

void TrustBook::forget_old(Instant now) {
  std::erase_if(issued_, [now](const auto& one) { return one.second.until <= now; });
  std::erase_if(invitations_, [now](const auto& one) { return one.second.until <= now; });
}

std::vector<std::string> TrustBook::revoked() const {
  std::vector<std::string> out;
  for (const auto& [serial, one] : issued_)
    if (one.revoked) out.push_back(serial);
  return out;
}

Status TrustBook::may_have(const std::string& node) const {
  if (blocked_.contains(node))
    return fail(fmt::format("the certificates of {} were revoked; it comes back with a join token",
                            printable(node)));
  return {};
}

void TrustBook::note(const CertificateFacts& facts, Instant now) {
  forget_old(now);
  // Somebody who renews all the time must not fill our memory: what is forgotten first is what
  // ends first, and what was revoked stays.
  while (issued_.size() >= kTrustEntriesMax) {
    auto oldest = issued_.end();
    for (auto at = issued_.begin(); at != issued_.end(); ++at)
      if (!at->second.revoked &&
          (oldest == issued_.end() || at->second.until < oldest->second.until))
        oldest = at;
    if (oldest == issued_.end()) return;
    issued_.erase(oldest);
  }
  issued_[facts.serial] = {.name = facts.name, .until = facts.until, .revoked = false};
}

Result<bool> TrustBook::revoke_name(const std::string& name, Instant now) {
  forget_old(now);
  if (!is_word(name)) return fail("that is no name of a node");
  if (blocked_.size() >= kTrustEntriesMax) return fail("too many nodes are revoked already");
  bool news = blocked_.insert(name).second;
  for (auto& [serial, one] : issued_) {
    if (one.name != name || one.revoked) continue;
    one.revoked = news = true;
  }
  return news;
}

Status TrustBook::revoke_serial(const std::string& serial, Instant now) {
  forget_old(now);
  auto at = issued_.find(serial);
  if (at == issued_.end())
    return fail(
        fmt::format("this authority has issued no certificate with serial {} that is still "
                    "good",
                    printable(serial)));
  at->second.revoked = true;
  return {};
}

void TrustBook::add(const TrustBook& other) {
  for (const auto& [serial, one] : other.issued_) {
    auto [at, is_new] = issued_.emplace(serial, one);
    at->second.revoked = at->second.revoked || one.revoked;
  }
  blocked_.insert(other.blocked_.begin(), other.blocked_.end());
  // A certificate that one book gave to a name that the other one blocks.
  for (auto& [serial, one] : issued_) one.revoked = one.revoked || blocked_.contains(one.name);
}

Result<JoinToken> TrustBook::invite(const std::string& node, Duration life, Instant now,
                                    const Entropy& entropy) {
  forget_old(now);
  if (!is_word(node)) return fail("that is no name of a node");
  if (life <= Duration{0} || life > kJoinLifeMax)
    return fail("a join token lives for a second at least, and for a week at most");
  if (invitations_.size() >= kTrustEntriesMax) return fail("too many join tokens wait already");
  JoinToken token = new_join_token(entropy);
  invitations_[token.id] = {.token = token, .node = node, .until = now + life};
  return token;
}

const TrustBook::Invitation* TrustBook::invitation(const std::string& id, Instant now) const {
  auto at = invitations_.find(id);
  return at == invitations_.end() || at->second.until <= now ? nullptr : &at->second;
}

Result<std::string> TrustBook::accept(const std::string& id, Instant now) {
  const Invitation* one = invitation(id, now);
  if (!one) return fail("the join token has been used, or has expired");
  std::string node = one->node;
  invitations_.erase(id);
  blocked_.erase(node);
  forget_old(now);
  return node;
}

}  // namespace ym
