// SPDX-License-Identifier: Apache-2.0
// Whom a partition takes, and to whom it is shown. ALL in a list, or no list, is everybody; names
// are compared without regard to case.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/caller.h"
#include "model/partition.h"

namespace ym {

// AllowGroups: one of the groups is enough.
bool admits_groups(const PartitionSpec& partition, const std::vector<std::string>& groups);
// Where a list says who may (AllowAccounts, AllowQos), the one that says who may not does not
// count.
bool admits_account(const PartitionSpec& partition, std::string_view account);
// AllocNodes: may jobs be submitted from there? A job that does not say where it comes from may.
bool admits_host(const PartitionSpec& partition, std::string_view host);
// Root's jobs may have any.
bool admits_qos(const PartitionSpec& partition, std::string_view qos, Uid owner);

// Without --all: neither what is hidden nor what is closed to the caller's groups, unless he is an
// operator. No secret: whoever asks for all is told of all.
bool is_shown_to(const PartitionSpec& partition, const Caller& caller);
// Whether is_shown_to() may differ from caller to caller.
bool is_for_some(const PartitionSpec& partition);

}  // namespace ym
