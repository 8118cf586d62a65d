// SPDX-License-Identifier: Apache-2.0
// How many of each licence are free when: the like of a node's levels (levels.h), for the whole
// cluster. What is free now, what comes back when jobs reach their limits, less what is promised.
//
// Cost: a change is O(log changes); the first question after it O(changes of that licence), others
// O(log changes + changes within the time that is asked about).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/license.h"
#include "notation/licenses.h"

namespace ym {

class LicenseLevels {
 public:
  // What is taken in `licenses` stays so until it is told otherwise.
  LicenseLevels(const Licenses& licenses, Instant now);

  // They are held, or no longer held, from then until then. What came before `now` is now.
  // REQUIRES: texts of allocations.
  void take(const std::string& held, Instant from, Instant to);
  void give_back(const std::string& held, Instant from, Instant to);

  // Of the licences that are wanted, what is free all the time.
  Licenses between(const LicenseList& wanted, Instant from, Instant to) const;
  // A request that would run from `from` to `to` if it started at once cannot start before this, as
  // far as is seen within that time: `from` if it can start then. kNever: it never can.
  Instant start_of(const LicenseList& wanted, Instant from, Instant to) const;
  // When more of any of them comes back, after that moment, ascending for each.
  std::vector<Instant> rises(const LicenseList& wanted, Instant after) const;
  // Until when so many are free from now on, at most until `end`.
  Instant free_until(const std::string& held, Instant end) const;
  // Is more of them held at some time than there are?
  bool is_short(const std::string& held, Instant from, Instant to) const;

 private:
  struct Level {
    Instant from;
    std::int64_t free = 0;
  };
  struct One {
    std::map<Instant, std::int64_t> changes;
    mutable std::vector<Level> levels;  // empty: to be made
  };
  void change(const std::string& held, Instant from, Instant to, std::int64_t sign);
  const std::vector<Level>& levels_of(std::string_view name) const;
  template <class Visit>
  void for_each_level(std::string_view name, Instant from, Instant to, Visit&& visit) const;

  Instant now_;
  std::map<std::string, One, std::less<>> all_;
};

}  // namespace ym
