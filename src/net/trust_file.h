// SPDX-License-Identifier: Apache-2.0
// Whom to believe, as a file that daemons write for the commands of their machine: certificates in
// PEM, and a line "# revoked SERIAL" for each that is believed no more. Nothing in it is secret.
#pragma once
#include <string>
#include <string_view>

#include "net/tls.h"

namespace ym {

inline constexpr std::size_t kRevokedMax = 100000;

std::string trust_text(const TlsTrust& trust);
// Takes any text; what makes no sense is not believed.
TlsTrust parse_trust(std::string_view text);

}  // namespace ym
