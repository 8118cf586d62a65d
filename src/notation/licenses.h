// SPDX-License-Identifier: Apache-2.0
// Licences as users write them: "matlab:2,ansys" wants both, "matlab:2|octave" one of them. A name
// may carry its server: "matlab@lic1:2". Without a count one is meant.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

struct LicenseList {
  static constexpr std::size_t kTermsMax = 256;
  static constexpr std::size_t kNameMax = 128;

  struct Term {
    std::string name;
    std::uint32_t count = 1;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;  // each name once, in the user's order
  bool any = false;         // one of the terms suffices

  // The empty text is the empty list. A name that stands twice counts twice.
  static Result<LicenseList> parse(std::string_view text);
  // "matlab:2,ansys:1"
  std::string str() const;
  bool operator==(const LicenseList&) const = default;
};

}  // namespace ym
