// SPDX-License-Identifier: Apache-2.0
// sdiag: how the controller fares.
#pragma once
#include <string>
#include <vector>

#include "cli/common/report.h"
#include "model/control_messages.h"

namespace ym::cli {

enum class MessageSort : std::uint8_t { Count, Id, Time, Average };

struct SdiagSettings {
  ReportWish report;
  bool reset = false;
  MessageSort sort = MessageSort::Count;
};

CommandPage sdiag_page();
std::vector<Option<SdiagSettings>> sdiag_table();
std::string render_statistics(const SdiagSettings& settings, Statistics statistics, Instant now);
std::string statistics_data(const SdiagSettings& settings, const Statistics& statistics,
                            Instant now);
int sdiag_main(const Arguments& arguments);

}  // namespace ym::cli
