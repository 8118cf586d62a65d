// SPDX-License-Identifier: Apache-2.0
// scrontab: jobs that come back at their times, one for each line of a user's crontab.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "model/crontab.h"

namespace ym::cli {

struct ScrontabSettings {
  bool edit = false, list = false, remove = false;
  std::string user;
};

// A line of a crontab with what stands before it.
struct CrontabEntry {
  std::uint32_t line = 0;              // counted from 1
  std::vector<std::string> options;    // of the #SCRON lines right before it
  std::vector<std::string> variables;  // NAME=value, of all lines before it
  std::string time, command;
};
inline constexpr std::size_t kCrontabTextMax = 1 << 20, kCrontabEntriesMax = 1000;

// The error names the line.
Result<std::vector<CrontabEntry>> parse_crontab(std::string_view text);
// The job that the entry stands for.
Result<SubmitJob> crontab_job(const CrontabEntry& entry, const std::string& home,
                              const std::string& user);
// "USER's" new crontab, or an error that says what is wrong with which line.
Result<UpdateCrontab> crontab_request(std::string_view text, const std::string& home,
                                      const std::string& user);

CommandPage scrontab_page();
std::vector<Option<ScrontabSettings>> scrontab_table();
int scrontab_main(const Arguments& arguments);

}  // namespace ym::cli
