// SPDX-License-Identifier: Apache-2.0
// What options about generic resources say together.
#pragma once
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "cli/options/job_options.h"
#include "model/gres.h"

namespace ym::cli {

// The options of a job or a step as the controller takes them.
GresOptions gres_options_of(const JobOptions& options);

// Wishes for GPUs and tasks that contradict each other, in Slurm's words. `in_job`: a step of a job
// that is there.
Status check_gres(const JobOptions& options, bool in_job);

// Tasks that follow from GPUs, where the user has not told them: --gpus and --gpus-per-task, or
// --ntasks-per-gpu and how many GPUs there are.
std::optional<std::uint32_t> tasks_by_gpus(const JobOptions& options);

// CPUs of each task of a step, where only --cpus-per-gpu and --gpus-per-task tell them; else 1.
std::uint32_t cpus_by_gpus(const JobOptions& options);

// --gpu-bind, or what --gpus-per-task and --ntasks-per-gpu imply.
std::string gpu_binding(const JobOptions& options);

}  // namespace ym::cli
