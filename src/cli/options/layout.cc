// SPDX-License-Identifier: Apache-2.0
// Which nodes of those that would do: side by side, under few switches, spread out; and what is
// done to them.
#include "cli/options/setters.h"
#include "notation/cpu_freq.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

// COUNT[@TIME]
Status set_switches(JobOptions& options, std::string_view value) {
  auto at = value.find('@');
  auto count = parse_unsigned<std::uint32_t>(value.substr(0, at));
  if (!count || *count == 0) return bad_number();
  options.specials.switches = *count;
  if (at == std::string_view::npos) return {};
  auto wait = parse_time_limit(value.substr(at + 1));
  if (!wait || wait->unlimited) return fail("after @ stands how long to wait for them at most");
  if (wait->span.count() > 0x7fffffff) return fail("that is too long to wait");
  options.specials.switch_wait_s = static_cast<std::uint32_t>(wait->span.count());
  return {};
}

// The second half of --switches as a variable of its own.
Status set_switch_wait(JobOptions& options, std::string_view value) {
  auto wait = parse_time_limit(value);
  if (!wait || wait->unlimited || wait->span.count() > 0x7fffffff) return fail("not a time");
  options.specials.switch_wait_s = static_cast<std::uint32_t>(wait->span.count());
  return {};
}

Status set_delay_boot(JobOptions& options, std::string_view value) {
  auto delay = parse_time_limit(value);
  if (!delay || delay->unlimited || delay->span.count() > 0x7fffffff)
    return fail("not a time: minutes, or hours:minutes:seconds");
  options.specials.delay_boot_s = static_cast<std::uint32_t>(delay->span.count());
  return {};
}

Status set_wait_all_nodes(JobOptions& options, std::string_view value) {
  if (value != "0" && value != "1") return bad_number();
  options.specials.wait_all_nodes = value == "0" ? 1 : 2;
  return {};
}

// FREQUENCY, MIN-MAX[:GOVERNOR] or GOVERNOR
Status set_cpu_freq(JobOptions& options, std::string_view value) {
  auto freq = CpuFreq::parse(value);
  if (!freq)
    return fail(kWholeText, fmt::format("unrecognized --cpu-freq argument \"{}\"\n"
                                        "Invalid --cpu-freq argument",
                                        printable(value)));
  options.specials.cpu_freq = freq->str();
  return {};
}

// Runtimes differ by site (oci.conf), not by job.
Status refuse_container_type(JobOptions&, std::string_view value) {
  if (value.empty()) return {};
  return fail(kWholeTextOne, "Container runtime not configured or invalid");
}

std::span<const JobOption> node_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "contiguous", .help = "Nodes that stand side by side"},
                  .set = set_flag<&JobSpec::contiguous>}},
      {.option = {.info = {.name = "spread-job",
                           .help = "As many nodes as there may be",
                           .variable = "SPREAD_JOB"},
                  .set = set_flag<&JobSpecials::spread>}},
      {.option = {.info = {.name = "use-min-nodes",
                           .help = "Of a range of node counts rather the smaller ones",
                           .variable = "USE_MIN_NODES"},
                  .set = set_flag<&JobSpecials::use_min_nodes>}},
      {.option = {.info = {.name = "switches",
                           .takes = Takes::Value,
                           .argument = "N[@TIME]",
                           .help = "Wait so long for nodes under at most so many switches",
                           .variable = "REQ_SWITCH"},
                  .set = set_switches}},
      {.option = {.info = {.name = "switches-wait",
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "The time of --switches",
                           .variable = "WAIT4SWITCH",
                           .hidden = true},
                  .set = set_switch_wait}},
      {.option = {.info = {.name = "segment",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help =
                               "Nodes come in groups of so many of one block or ring, which may "
                               "be anywhere",
                           .variable = "SEGMENT_SIZE"},
                  .set = set_count<&JobSpecials::segment>},
       .srun_variable = "SRUN_SEGMENT_SIZE"},
      {.option = {.info = {.name = "consolidate-segments",
                           .help = "All segments in one aggregated block",
                           .variable = "CONSOLIDATE_SEGMENTS"},
                  .set = set_flag<&JobSpecials::consolidate_segments>}},
      {.option = {.info = {.name = "spread-segments",
                           .help = "No two segments in the same base block",
                           .variable = "SPREAD_SEGMENTS"},
                  .set = set_flag<&JobSpecials::spread_segments>}},
      {.option = {.info = {.name = "network",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "Wishes for the network, handed on as SLURM_NETWORK",
                           .variable = "NETWORK"},
                  .set = set_text<&JobExtras::network>}},
  };
  return kRows;
}

std::span<const JobOption> care_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "cpu-freq",
                           .takes = Takes::Value,
                           .argument = "MIN[-MAX[:GOVERNOR]]",
                           .help =
                               "Frequency of the steps' CPUs: kHz, low, medium, high, highm1, or "
                               "a governor of CpuFreqGovernors"},
                  .set = set_cpu_freq},
       .srun_variable = "SLURM_CPU_FREQ_REQ"},
      {.option = {.info = {.name = "reboot",
                           .help = "Boot the nodes first, by RebootProgram; for administrators"},
                  .set = set_flag<&JobSpecials::reboot>}},
      {.option = {.info = {.name = "delay-boot",
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "Wait so long before nodes are booted for their features, which "
                                   "they never are here",
                           .variable = "DELAY_BOOT"},
                  .set = set_delay_boot}},
      {.option =
           {.info =
                {.name = "wait-all-nodes",
                 .takes = Takes::Value,
                 .argument = "0|1",
                 .help =
                     "Wait until all nodes are up (1, as without it), or begin with the first (0)",
                 .variable = "WAIT_ALL_NODES"},
            .set = set_wait_all_nodes},
       .commands = kAllocators},
      {.option = {.info = {.name = "container",
                           .takes = Takes::Value,
                           .argument = "PATH",
                           .help = "Run in this OCI bundle, by the runtime of oci.conf",
                           .variable = "CONTAINER"},
                  .set = set_text<&JobExtras::container>}},
      {.option = {.info = {.name = "container-id",
                           .takes = Takes::Value,
                           .argument = "ID",
                           .help = "Name of the container; kept and shown",
                           .variable = "CONTAINER_ID"},
                  .set = set_text<&JobSpecials::container_id>}},
      {.option = {.info = {.name = "container-type",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "Kind of container; refused: oci.conf has one",
                           .variable = "CONTAINER_TYPE"},
                  .set = refuse_container_type}},
  };
  return kRows;
}

}  // namespace

void add_layout_options(std::vector<JobOption>& table) {
  table.insert(table.end(), node_rows().begin(), node_rows().end());
  table.insert(table.end(), care_rows().begin(), care_rows().end());
}

}  // namespace ym::cli
