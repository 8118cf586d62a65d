// SPDX-License-Identifier: Apache-2.0
#include "schedule/fair_tree.h"

#include <algorithm>
#include <tuple>

namespace ym {
namespace {

using Places = std::vector<std::size_t>;

class Ranking {
 public:
  explicit Ranking(const std::vector<Association>& all)
      : all_(all), usage_(all.size()), children_(all.size()), out_(all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      usage_[i] = all[i].usage;
      if (all[i].parent < i)
        children_[all[i].parent].push_back(i);
      else
        roots_.push_back(i);
      users_ += all[i].user.empty() ? 0 : 1;
    }
    for (std::size_t i = all.size(); i-- > 0;)
      if (all[i].parent < i) usage_[all[i].parent] += usage_[i];
  }

  std::vector<FairShare> run() {
    find_levels(roots_);
    for (const Places& siblings : children_) find_levels(siblings);
    left_ = rank_ = users_;
    visit(roots_, false);
    return std::move(out_);
  }

 private:
  void find_levels(const Places& siblings) {
    double shares = 0, usage = 0;
    for (std::size_t i : siblings) {
      shares += all_[i].shares;
      usage += usage_[i];
    }
    for (std::size_t i : siblings) {
      double share = shares > 0 ? all_[i].shares / shares : 0;
      double used = usage > 0 ? usage_[i] / usage : 0;
      out_[i].level = share <= 0  ? 0
                      : used <= 0 ? std::numeric_limits<double>::infinity()
                                  : share / used;
    }
  }

  // The better first; of those alike users before accounts.
  void visit(Places siblings, bool tied) {
    std::ranges::sort(siblings, {}, [&](std::size_t i) {
      return std::tuple(-out_[i].level, all_[i].user.empty(), i);
    });
    for (std::size_t at = 0; at < siblings.size();) {
      std::size_t i = siblings[at];
      if (at > 0) tied = out_[siblings[at - 1]].level == out_[i].level;
      if (!all_[i].user.empty()) {
        if (!tied) rank_ = left_;
        out_[i].factor = static_cast<double>(rank_) / static_cast<double>(users_);
        --left_;
        ++at;
        continue;
      }
      Places below;
      for (; at < siblings.size() && out_[siblings[at]].level == out_[i].level; ++at)
        below.insert(below.end(), children_[siblings[at]].begin(), children_[siblings[at]].end());
      visit(std::move(below), tied);
    }
  }

  const std::vector<Association>& all_;
  std::vector<double> usage_;  // with everybody's below
  std::vector<Places> children_;
  Places roots_;
  std::vector<FairShare> out_;
  std::size_t users_ = 0, left_ = 0, rank_ = 0;
};

}  // namespace

std::vector<FairShare> fair_tree(const std::vector<Association>& associations) {
  return Ranking(associations).run();
}

ShareTable::ShareTable(const std::vector<Association>& associations) {
  std::vector<FairShare> shares = fair_tree(associations);
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (const Association& one = associations[i]; !one.user.empty())
      factors_[{one.account, one.user}] = shares[i].factor;
}

double ShareTable::factor(const std::string& account, const std::string& user) const {
  auto at = factors_.find({account, user});
  return at == factors_.end() ? 0 : at->second;
}

}  // namespace ym
