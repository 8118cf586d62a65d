// SPDX-License-Identifier: Apache-2.0
// Lists of host names in Slurm's bracket notation: `n[001-100,200],m7`, `rack[0-3]n[01-16]`.
//
// Nothing is expanded: n[1-5000000] costs seven runs. Every function is O(runs) or better unless it
// says otherwise.
//
// Invariants:
//  (1) A name is `prefix` and the longest tail of digits, of which at most 18 count as the number.
//  So n[10-12] and
//      n1[0-2] are the same value, and a name has one representation only.
//  (2) All names of a run print with exactly `length` digits; 9 and 10 therefore live in two runs,
//  and padding needs
//      no other rule. Printing joins them again.
//  (3) Neighbouring runs that can be one run are one run. So == compares the sequences of names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

class Hostlist {
 public:
  static constexpr std::size_t kTextMax = 4 << 20;        // bytes of text, read or printed
  static constexpr std::size_t kNameMax = 255;            // bytes of one name
  static constexpr std::uint64_t kNamesMax = 64'000'000;  // names in one parsed list
  static constexpr std::uint64_t kExpandedMax = 65'536;   // names made by all but the last brackets
  static constexpr std::size_t kRunsMax = 1'000'000;      // runs in one parsed list
  static constexpr unsigned kDigitsMax = 18;              // digits of a number

  struct Run {
    std::string prefix;
    unsigned length = 0;    // digits printed; 0: the name has no number, and low and high are 0
    std::uint64_t low = 0;  // both ends belong to the run
    std::uint64_t high = 0;
    std::uint64_t at = 0;  // position in the list of the run's first name
    std::uint64_t count() const { return high - low + 1; }
    bool operator==(const Run&) const = default;
  };

  Hostlist() = default;

  // Names are separated by commas or blanks; empty ones are skipped, as Slurm does. The order and
  // repeated names are kept. The error names the position (from 1) of the first character that is
  // wrong.
  static Result<Hostlist> parse(std::string_view text);
  // The names in the order given. O(bytes); hostlist_bench: 100k names.
  static Hostlist of(const std::vector<std::string>& names);
  // Letters, digits, '-', '_' and '.', at most kNameMax of them, at least one.
  static bool valid_name(std::string_view host);

  bool operator==(const Hostlist&) const = default;
  bool empty() const { return runs_.empty(); }
  std::uint64_t count() const { return runs_.empty() ? 0 : runs_.back().at + runs_.back().count(); }
  const std::vector<Run>& runs() const { return runs_; }
  // The compressed form; parse(str()) gives the same list.
  std::string str() const;
  // REQUIRES: n < count(). O(log runs).
  std::string nth(std::uint64_t n) const;
  // The first position of the name. O(log runs) on a sorted list, else O(runs).
  std::optional<std::uint64_t> find(std::string_view host) const;
  bool contains(std::string_view host) const { return find(host).has_value(); }
  // All names, expanded: for lists known to be short.
  std::vector<std::string> names() const;

  // Runs by prefix, then digits printed, then number: n1 n2 n10 n001. Repeated names stay, and a
  // run that overlaps another is not cut: n[1-5],n[3-4] stays so, because any other order could
  // cost a run per name. O(runs log runs).
  Hostlist sorted() const;
  // Sorted, each name once.
  Hostlist uniq() const;
  // As sets: the results are sorted and without repeated names.
  Hostlist united(const Hostlist& other) const;
  Hostlist intersected(const Hostlist& other) const;
  Hostlist minus(const Hostlist& other) const;

  // REQUIRES: valid_name(host). An empty name is ignored; other names are taken as they are but
  // will not parse again.
  void push_back(std::string_view host);
  void append(const Hostlist& other);

  // Calls visit(std::string_view) for each name in order. O(names). The view lives for one call.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::string name;
    for (const Run& run : runs_) {
      write(run, run.low, name);
      for (std::uint64_t left = run.count();; increment(name)) {
        visit(std::string_view(name));
        if (--left == 0) break;
      }
    }
  }

 private:
  friend class HostlistParser;
  static void write(const Run& run, std::uint64_t number, std::string& name);
  static void increment(std::string& name);
  void append_run(std::string_view prefix, const Run& numbers);

  std::vector<Run> runs_;
  bool ordered_ = true;  // each run sorts after the one before and does not overlap it
};

}  // namespace ym
