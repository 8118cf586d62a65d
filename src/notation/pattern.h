// SPDX-License-Identifier: Apache-2.0
// Names of output files: --output=slurm-%A_%a.out.
//
//   %A job id of the array    %a index in the array    %b that index modulo 10
//   %j job id                 %J job.step, or the job  %s step
//   %N short host name        %n number of the node in the job
//   %t task's rank            %u user                  %x job's name
//   %S SLUID                  %r how often the job was started again
//   %% a percent sign
//
// Digits between '%' and the letter pad numbers with zeros to that width, 10 at most; other fields
// ignore them. An unknown letter and a lone '%' stay as they are. A backslash anywhere switches all
// of this off: then each backslash goes away and shields the character behind it (so `\\` is one
// backslash, `\%j` is `%j`).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "notation/job_id.h"

namespace ym {

struct PatternValues {
  std::uint32_t job = 0;
  std::uint32_t array_job = 0;  // 0: the job is part of no array, and %A is the job id
  std::optional<std::uint32_t>
      task;  // in the array. Without one %a is 4294967294, which scripts know from Slurm.
  StepRef step{StepRef::Kind::Batch};
  std::string node;               // short host name
  std::uint32_t node_number = 0;  // within the job
  std::uint32_t rank = 0;         // of the task
  std::string user;
  std::string job_name;
  std::string sluid;
  std::uint32_t restarts = 0;
};

std::string expand(std::string_view pattern, const PatternValues& values);

// How many files a pattern makes for one step.
enum class PatternScope { Step, Node, Task };
PatternScope scope_of(std::string_view pattern);

}  // namespace ym
