// SPDX-License-Identifier: Apache-2.0
// The number of a message, as in messages.h. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/trust_query.h"
#include "wire/messages.h"

namespace ym::wire {

template <>
inline constexpr std::uint16_t message_number<QueryTrust> = 394;

}  // namespace ym::wire
