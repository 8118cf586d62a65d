// SPDX-License-Identifier: Apache-2.0
// `yardmaster sim` in parts: what was asked for, the workload, the runs, and how they are shown.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/replay.h"
#include "trace/summary.h"
#include "trace/workload.h"

namespace ym::cli {

struct SimSettings {
  std::string policy, conf, machine, model, csv, json, html, swf;
  std::vector<std::string> compare;
  std::uint32_t procs = 0;
  std::size_t jobs = 10'000;
  std::uint64_t seed = 1;
  bool quiet = false;
};

// One replay of the workload, done.
struct SimRun {
  std::string label;
  std::uint64_t procs = 0;
  trace::Outcome outcome;
  trace::Summary summary;
  double seconds = 0;  // that it took
};

struct SimReport {
  std::string title;  // the trace's name
  trace::Workload workload;
  std::vector<SimRun> runs;
};

// --- sim_input.cc ---
// The trace, uncompressed if it was compressed; or what the model generates.
Result<trace::Workload> sim_workload(const SimSettings& settings, const std::string& path);
// A file's bytes; gzip is undone, up to `max` bytes. "-" is the standard input.
Result<std::string> read_maybe_compressed(const std::string& path, std::size_t max);
Result<std::string> gunzip(std::string_view bytes, std::string_view name, std::size_t max);

// --- sim_text.cc ---
std::string sim_text(const SimReport& report);

// --- sim_export.cc ---
// id,submit,start,end,procs,limit,run,user,partition,state,wait,bounded_slowdown,policy,restarts
std::string sim_csv(const SimReport& report);
std::string sim_json(const SimReport& report);

// --- sim_page.cc ---
// One page with all plots, which needs nothing from elsewhere.
std::string sim_page(const SimReport& report);

}  // namespace ym::cli
