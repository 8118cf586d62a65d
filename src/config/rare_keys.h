// SPDX-License-Identifier: Apache-2.0
// Keys of slurm.conf that few sites set, from their text to what it means.
#pragma once
#include <string_view>

#include "model/config.h"

namespace ym {

// MCSPlugin: mcs/none, user, group, account or label.
void set_mcs_plugin(McsRules& rules, std::string_view text);
// MCSParameters: [ondemand|enforced][,noselect|select|ondemandselect][,privatedata][:GROUP|GROUP…]
void set_mcs_parameters(McsRules& rules, std::string_view text);
// MpiParams: ports=FIRST-LAST among others.
void set_mpi_ports(MainConfig& config, std::string_view text);

}  // namespace ym
