// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ym {

// Which certificates are believed? Nothing in the answer, TrustNews, is secret.
struct QueryTrust {};

}  // namespace ym
