// SPDX-License-Identifier: Apache-2.0
// Lists of trackable resources:
// cpu=4,mem=8G,node=1,billing=4,gres/gpu=2,gres/gpu:a100=1,license/foo=3.
//
// Invariants: (1) entries are in Slurm's order: cpu mem energy node billing fs/disk vmem pages,
// then all others by name; (2) each name stands once. Amounts of mem, vmem and bb/… are megabytes,
// all others plain counts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ym {

class Tres {
 public:
  static constexpr std::size_t kEntriesMax = 256;
  static constexpr std::size_t kNameMax = 128;
  // "-1" in a list of limits: the limit is to be removed.
  static constexpr std::uint64_t kNoLimit = UINT64_MAX;

  struct Entry {
    std::string name;
    std::uint64_t amount = 0;
    bool operator==(const Entry&) const = default;
  };

  // The empty text is the empty list. The type (before '/') is taken in any case, names within a
  // type as they are.
  static Result<Tres> parse(std::string_view text);
  // The same where -1 is allowed, as in sacctmgr's GrpTRES=cpu=-1.
  static Result<Tres> parse_limits(std::string_view text);

  bool operator==(const Tres&) const = default;
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  std::optional<std::uint64_t> find(std::string_view name) const;
  std::uint64_t get(std::string_view name) const { return find(name).value_or(0); }
  // Canonical; parse(str()) gives the same list (parse_limits if it holds kNoLimit).
  std::string str() const;

  // Adds the entry or replaces its amount.
  void set(std::string_view name, std::uint64_t amount);
  void erase(std::string_view name);
  // Sums, entry by entry; a sum beyond 64 bits stays at its largest amount below kNoLimit, and no
  // limit plus anything is none.
  void add(const Tres& other);
  // Takes over every entry of `other`, replacing amounts.
  void merge(const Tres& other);

 private:
  std::vector<Entry> entries_;
};

}  // namespace ym
