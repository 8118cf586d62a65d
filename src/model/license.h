// SPDX-License-Identifier: Apache-2.0
// Licences: things that are counted for the whole cluster and belong to no node.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ym {

// `used` is kept by the events that start and end jobs, as a node's cpus are. A licence that left
// the configuration stays with a total of 0 until the last job has given it back.
struct License {
  std::string name;
  std::uint32_t total = 0;
  std::uint32_t used = 0;
  std::uint32_t free() const { return total - (used < total ? used : total); }
  bool operator==(const License&) const = default;
};
using Licenses = std::map<std::string, License, std::less<>>;

struct QueryLicenses {
  std::string name;  // empty: all
};
struct LicenseRow {
  License license;
  std::uint32_t reserved = 0;  // by reservations that are active now
};
struct LicenseRows {
  std::vector<LicenseRow> rows;
};

}  // namespace ym
