// SPDX-License-Identifier: Apache-2.0
// A machine that has no key of the cluster's yet gets it with a join token (slurmd --join).
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace ym {

// `token`: its text (join.ID.SECRET), or the file that has it. Writes the key to `key_file`, mode
// 0600, and a set of keys beside it, if the cluster has one. Does nothing where there is a key
// already: the token has served. The first of `servers` that answers decides.
Status join_cluster(const std::vector<Address>& servers, const std::string& token,
                    const std::string& key_file);

}  // namespace ym
