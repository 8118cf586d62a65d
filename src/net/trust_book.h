// SPDX-License-Identifier: Apache-2.0
// What a cluster's authority remembers: which certificates it issued, which of them are believed no
// more, who gets none, and the join tokens that have not served yet. A value: text in, text out;
// time and chance are arguments.
//
// Invariants: (1) what has expired is forgotten with the next change; (2) a join token serves once;
// (3) there are never more than kTrustEntriesMax entries of a kind.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/certificate.h"
#include "net/join_token.h"

namespace ym {

inline constexpr std::size_t kTrustEntriesMax = 100000;
inline constexpr Duration kJoinLifeMax = std::chrono::hours(24 * 7);

class TrustBook {
 public:
  struct Issued {
    std::string name;
    Instant until;
    bool revoked = false;
    bool operator==(const Issued&) const = default;
  };
  struct Invitation {
    JoinToken token;
    std::string node;
    Instant until;
    bool operator==(const Invitation&) const = default;
  };

  static Result<TrustBook> parse(std::string_view text);
  std::string text() const;
  bool operator==(const TrustBook&) const = default;

  const std::map<std::string, Issued>& issued() const { return issued_; }  // by serial
  const std::set<std::string>& blocked() const { return blocked_; }
  std::vector<std::string> revoked() const;  // serials

  // The node may have a certificate; says why not.
  Status may_have(const std::string& node) const;
  void note(const CertificateFacts& facts, Instant now);
  // All certificates of this name, and it gets no other until it joins again. True if that is news.
  Result<bool> revoke_name(const std::string& name, Instant now);
  Status revoke_serial(const std::string& serial, Instant now);

  // What another book of the same authority knows as issued and as revoked is known here, too.
  // Nothing becomes good again by that. Its join tokens are not taken: they may have served since.
  void add(const TrustBook& other);

  // A node that was revoked may come back with it.
  Result<JoinToken> invite(const std::string& node, Duration life, Instant now,
                           const Entropy& entropy);
  // Null: there is none, or it has served or expired.
  const Invitation* invitation(const std::string& id, Instant now) const;
  // It has served. The node it was for.
  Result<std::string> accept(const std::string& id, Instant now);

 private:
  void forget_old(Instant now);
  Status read_line(const std::vector<std::string_view>& words);

  std::map<std::string, Issued> issued_;           // by serial
  std::map<std::string, Invitation> invitations_;  // by id
  std::set<std::string> blocked_;
};

}  // namespace ym
