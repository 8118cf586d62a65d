// SPDX-License-Identifier: Apache-2.0
// Fair share by the fair-tree algorithm: who used less of what it was given goes first.
//
// Accounts and users form a tree. At each level siblings are compared by shares / usage alone, and
// everybody below the better one goes before everybody below the other. Users are ranked in that
// order; a user's factor is its rank over the number of users, 1 for the first.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ym {

inline constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

struct Association {
  std::size_t parent = kNoParent;  // its place in the list, before this one's; kNoParent: the root
  std::string account, user;       // user: empty for an account
  std::uint32_t shares = 1;        // as the site gave them
  double usage = 0;                // decayed, of this one alone; accounts have their users' too
};

struct FairShare {
  double level = 0;   // shares / usage among its siblings; infinite without usage
  double factor = 0;  // of users: from 0 to 1
};

// One for each association, in their order. O(n log n).
// REQUIRES: parents come before their children.
//
// Ties: users alike have the same rank; the children of accounts alike are compared as if they were
// siblings; of a user and an account alike, the account's first users have the user's rank.
std::vector<FairShare> fair_tree(const std::vector<Association>& associations);

// What accounting knows of fair share, as the priority asks for it. Who is not known has none of
// it: 0.
class ShareTable {
 public:
  ShareTable() = default;
  explicit ShareTable(const std::vector<Association>& associations);

  double factor(const std::string& account, const std::string& user) const;
  bool empty() const { return factors_.empty(); }

 private:
  std::map<std::pair<std::string, std::string>, double> factors_;  // by account and user
};

}  // namespace ym
