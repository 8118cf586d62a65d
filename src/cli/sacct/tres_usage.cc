// SPDX-License-Identifier: Apache-2.0
// sacct's TRESUsage… fields: blank for jobs, and for steps that were not measured.
#include "cli/common/tres_usage.h"

#include "cli/sacct/sacct.h"

namespace ym::cli {
namespace {

template <auto Tell>
std::string of(const SacctRow& row) {
  bool measured = row.step && row.step->step.usage.tasks;
  return measured ? Tell(row.step->step.usage) : std::string();
}

}  // namespace

std::vector<SacctField> tres_usage_fields() {
  return {
      {"TRESUsageInAve", 15, of<tres_usage::in_average>},
      {"TRESUsageInMax", 15, of<tres_usage::in_max>},
      {"TRESUsageInMaxNode", 18, of<tres_usage::in_max_node>},
      {"TRESUsageInMaxTask", 18, of<tres_usage::in_max_task>},
      {"TRESUsageInMin", 15, of<tres_usage::in_min>},
      {"TRESUsageInMinNode", 18, of<tres_usage::in_min_node>},
      {"TRESUsageInMinTask", 18, of<tres_usage::in_min_task>},
      {"TRESUsageInTot", 15, of<tres_usage::in_total>},
      {"TRESUsageOutAve", 15, of<tres_usage::out_average>},
      {"TRESUsageOutMax", 15, of<tres_usage::out_max>},
      {"TRESUsageOutMaxNode", 19, of<tres_usage::out_max_node>},
      {"TRESUsageOutMaxTask", 19, of<tres_usage::out_max_task>},
      {"TRESUsageOutMin", 15, of<tres_usage::not_measured>},
      {"TRESUsageOutMinNode", 19, of<tres_usage::not_measured>},
      {"TRESUsageOutMinTask", 19, of<tres_usage::not_measured>},
      {"TRESUsageOutTot", 15, of<tres_usage::out_total>},
  };
}

}  // namespace ym::cli
