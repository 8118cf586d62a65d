// SPDX-License-Identifier: Apache-2.0
// yardmaster sim: what would have become of these jobs under another policy or configuration.
#include "cli/yardmaster/sim.h"

#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/cluster.h"
#include "cli/yardmaster/yardmaster.h"
#include "os/files.h"
#include "os/stopwatch.h"
#include "trace/generate.h"
#include "trace/machine.h"

namespace ym::cli {
namespace {

constexpr std::size_t kRunsMax = 16;
constexpr std::string_view kRecorded = "recorded";

template <auto Member>
Status set_text(SimSettings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}

template <auto Member>
Status set_count(SimSettings& settings, std::string_view value) {
  using Number = std::remove_reference_t<decltype(settings.*Member)>;
  auto number = parse_unsigned<Number>(value);
  if (!number || *number == 0)
    return fail(fmt::format("'{}' is not a positive number", printable(value, 40)));
  settings.*Member = *number;
  return {};
}

Status set_procs(SimSettings& settings, std::string_view value) {
  if (Status done = set_count<&SimSettings::procs>(settings, value); !done) return done;
  if (settings.procs > trace::kProcsMax) return fail("more processors than any machine has");
  return {};
}

Status add_compare(SimSettings& settings, std::string_view value) {
  for (std::string_view word : split_words(value, ',')) settings.compare.emplace_back(word);
  if (settings.compare.size() >= kRunsMax)
    return fail(fmt::format("more than {} at once", kRunsMax - 1));
  return {};
}

std::vector<Option<SimSettings>> output_rows() {
  return {
      {{.name = "jobs-csv",
        .takes = Takes::Value,
        .argument = "FILE",
        .help = "Write a line for each job: when it was submitted, started and ended"},
       set_text<&SimSettings::csv>},
      {{.name = "json", .takes = Takes::Value, .argument = "FILE", .help = "Write the summary"},
       set_text<&SimSettings::json>},
      {{.name = "html",
        .takes = Takes::Value,
        .argument = "FILE",
        .help = "Write a page with plots that any browser shows, without a network"},
       set_text<&SimSettings::html>},
      {{.name = "swf",
        .takes = Takes::Value,
        .argument = "FILE",
        .help = "Write the workload in Standard Workload Format"},
       set_text<&SimSettings::swf>},
      {{.name = "quiet", .letter = 'q', .help = "No summary and no progress on the terminal"},
       [](SimSettings& s, std::string_view) -> Status {
         s.quiet = true;
         return {};
       }},
  };
}

std::vector<Option<SimSettings>> sim_table() {
  std::vector<Option<SimSettings>> table = {
      {{.name = "policy",
        .takes = Takes::Value,
        .argument = "NAME",
        .help = "Schedule by this policy; without it, as the configuration says"},
       set_text<&SimSettings::policy>},
      {{.name = "procs",
        .letter = 'n',
        .takes = Takes::Value,
        .argument = "N",
        .help = "The machine has so many processors, which are only counted"},
       set_procs},
      {{.name = "machine",
        .takes = Takes::Value,
        .argument = "NODESxCPUS[xGPUS]",
        .help = "The machine has so many nodes, each with so many CPUs and GPUs"},
       set_text<&SimSettings::machine>},
      {{.name = "conf",
        .takes = Takes::Value,
        .argument = "FILE",
        .help = "The machine is the one of this slurm.conf"},
       set_text<&SimSettings::conf>},
      {{.name = "compare",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "And also by these: policies, slurm.conf files, or 'recorded' for what the trace "
                "itself tells; separated by commas"},
       add_compare},
      {{.name = "generate",
        .takes = Takes::Value,
        .argument = "MODEL",
        .help = "In place of a trace, jobs of a model: lublin, arrays or gpus"},
       set_text<&SimSettings::model>},
      {{.name = "jobs",
        .takes = Takes::Value,
        .argument = "N",
        .help = "Generate so many; 10000 unless told"},
       set_count<&SimSettings::jobs>},
      {{.name = "seed",
        .takes = Takes::Value,
        .argument = "N",
        .help = "Generate others; the same number gives the same jobs"},
       set_count<&SimSettings::seed>},
  };
  for (auto& row : output_rows()) table.push_back(std::move(row));
  return table;
}

// A bar that is overwritten, on a terminal only.
class Bar {
 public:
  Bar(bool quiet, std::string label, std::size_t jobs)
      : shown_(!quiet && ::isatty(STDERR_FILENO) == 1), label_(std::move(label)), jobs_(jobs) {}
  ~Bar() {
    if (shown_) print_error("\r\033[K");
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void show(std::size_t done) const {
    if (!shown_ || !jobs_) return;
    constexpr std::size_t kWidth = 40;
    std::size_t filled = std::min(kWidth, done * kWidth / jobs_);
    print_error(fmt::format("\r{:<24} [{}{}] {:3} %\033[K", label_, std::string(filled, '#'),
                            std::string(kWidth - filled, ' '), done * 100 / jobs_));
  }

 private:
  const bool shown_;
  const std::string label_;
  const std::size_t jobs_;
};

// Not a policy but a file.
bool is_file(const std::string& word) {
  return word.find('/') != word.npos || word.ends_with(".conf");
}

Result<trace::Machine> machine_of_file(const std::string& path) {
  auto loaded = load_configuration(path);
  if (!loaded) return std::unexpected(loaded.error());
  return trace::site_machine(std::move(loaded->config));
}

Result<trace::Machine> machine_for(const SimSettings& settings, const trace::Workload& workload) {
  int given = !settings.conf.empty() + !settings.machine.empty();
  if (given > 1 || (given == 1 && settings.procs))
    return fail("only one of --procs, --machine and --conf tells what the machine is");
  if (!settings.conf.empty()) return machine_of_file(settings.conf);
  std::string machine = settings.machine;
  const trace::Model* model = trace::find_model(settings.model);
  if (model && machine.empty() && !settings.procs) machine = model->machine;
  if (!machine.empty()) return trace::uniform_machine(machine);
  std::uint32_t procs = settings.procs ? settings.procs : workload.procs;
  if (!procs)
    return fail(
        "the trace does not tell how large the machine is: use --procs, --machine or "
        "--conf");
  return trace::counted_machine(procs);
}

Result<SimRun> run_one(const SimSettings& settings, const trace::Workload& workload,
                       trace::Machine machine, const std::string& policy) {
  SimRun run{.procs = machine.procs()};
  Bar bar(settings.quiet, policy, workload.jobs.size());
  auto began = stopwatch();
  auto outcome = trace::replay({.workload = &workload,
                                .machine = std::move(machine),
                                .policy = policy,
                                .progress = [&](std::size_t done) { bar.show(done); }});
  if (!outcome) return std::unexpected(outcome.error());
  run.outcome = std::move(*outcome);
  std::string ignored;
  for (const std::string& one : run.outcome.ignored)
    ignored += fmt::format("{}{}", ignored.empty() ? "" : "; ", one);
  if (!ignored.empty())
    print_error(fmt::format("yardmaster: {}: ignored: {}\n", run.outcome.policy, ignored));
  run.label = run.outcome.policy;
  run.seconds = std::chrono::duration<double>(stopwatch() - began).count();
  run.summary = trace::summarise(workload, run.outcome, run.procs);
  return run;
}

// What one word of --compare asks for.
Result<SimRun> run_compared(const SimSettings& settings, const trace::Workload& workload,
                            const trace::Machine& machine, const std::string& word) {
  if (word == kRecorded) {
    if (!workload.has_recorded_starts) return fail("the trace does not tell when jobs started");
    SimRun run{.label = word, .procs = machine.procs()};
    run.outcome = trace::recorded_outcome(workload);
    run.summary = trace::summarise(workload, run.outcome, run.procs);
    return run;
  }
  if (!is_file(word)) return run_one(settings, workload, machine, word);
  auto other = machine_of_file(word);
  if (!other) return std::unexpected(other.error());
  auto run = run_one(settings, workload, std::move(*other), settings.policy);
  if (run) run->label = word;
  return run;
}

Result<SimReport> run_all(const SimSettings& settings, const std::string& path) {
  SimReport report;
  auto slash = path.rfind('/');
  report.title = settings.model.empty() ? path.substr(slash == path.npos ? 0 : slash + 1)
                                        : fmt::format("{}, seed {}", settings.model, settings.seed);
  auto workload = sim_workload(settings, path);
  if (!workload) return std::unexpected(workload.error());
  report.workload = std::move(*workload);
  if (report.workload.jobs.empty()) return fail(fmt::format("{}: no job that ran", path));
  auto machine = machine_for(settings, report.workload);
  if (!machine) return std::unexpected(machine.error());
  auto add = [&](Result<SimRun> run) -> Status {
    if (!run) return std::unexpected(run.error());
    report.runs.push_back(std::move(*run));
    return {};
  };
  Status done = add(run_one(settings, report.workload, *machine, settings.policy));
  for (const std::string& word : settings.compare)
    if (done) done = add(run_compared(settings, report.workload, *machine, word));
  if (!done) return std::unexpected(done.error());
  return report;
}

Status write_outputs(const SimSettings& settings, const SimReport& report) {
  auto write = [](const std::string& path, auto make) -> Status {
    if (path.empty()) return {};
    std::string text = make();
    if (path == "-") return print(text), Status();
    return write_file(path, text, 0644, Sync::No);
  };
  if (Status done = write(settings.swf, [&] { return trace::print_swf(report.workload); }); !done)
    return done;
  if (Status done = write(settings.csv, [&] { return sim_csv(report); }); !done) return done;
  if (Status done = write(settings.json, [&] { return sim_json(report); }); !done) return done;
  return write(settings.html, [&] { return sim_page(report); });
}

}  // namespace

CommandPage sim_page_of_help() {
  return {.name = "yardmaster sim",
          .summary = "replay a workload under another policy or configuration",
          .usage = {"[OPTION]... TRACE", "[OPTION]... --generate MODEL"},
          .description =
              "Replays the jobs of TRACE through the scheduler of slurmctld itself, in virtual "
              "time, and tells how long they would have waited. TRACE is a file in Standard "
              "Workload Format, or what `sacct --allusers --parsable2 --allocations "
              "--format=JobIDRaw,User,Partition,Submit,Eligible,Start,ElapsedRaw,TimelimitRaw,"
              "ReqCPUS,NNodes,ReqTRES,QOS,Account` printed; either may be compressed by gzip, and "
              "- is the "
              "standard input."};
}
std::vector<OptionInfo> sim_options() { return infos_of(sim_table()); }

int sim_main(const Arguments& arguments) {
  auto parsed = parse_command(sim_page_of_help(), sim_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  const SimSettings& settings = parsed.settings;
  if (parsed.operands.size() != (settings.model.empty() ? 1 : 0)) {
    complain(kYardmaster, settings.model.empty()
                              ? "sim wants one trace: yardmaster sim TRACE"
                              : "sim takes either a trace or --generate, not both");
    return 1;
  }
  auto report = run_all(settings, settings.model.empty() ? parsed.operands.front() : "");
  if (!report) return complain(kYardmaster, report.error().text), 1;
  if (!settings.quiet) print(sim_text(*report));
  if (Status done = write_outputs(settings, *report); !done)
    return complain(kYardmaster, done.error().text), 1;
  return 0;
}

}  // namespace ym::cli
