// SPDX-License-Identifier: Apache-2.0
// Keys of `scontrol update job`.
#include <limits>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/options/mail_types.h"
#include "cli/scontrol/keys.h"
#include "notation/hostlist.h"
#include "notation/size.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

struct Setting {
  std::string_view name;  // as the table has it
  const Assignment& given;
  Instant now;
  const std::string& value() const { return given.value; }
};

struct JobKey {
  KeyInfo info;
  Status (*set)(const Setting&, JobPatch&);
};

std::unexpected<Error> invalid(const Setting& setting) {
  return fail(fmt::format("scontrol: error: Invalid {} value: {}", setting.name,
                          printable(setting.value())));
}

template <auto Field>
Status text(const Setting& setting, JobPatch& patch) {
  patch.*Field = setting.value();
  return {};
}

template <auto Field>
Status number(const Setting& setting, JobPatch& patch) {
  auto value = number_of(setting.value());
  if (!value) return invalid(setting);
  patch.*Field = *value;
  return {};
}

template <auto Field>
Status megabytes(const Setting& setting, JobPatch& patch) {
  auto value = parse_megabytes(setting.value());
  if (!value) return invalid(setting);
  patch.*Field = *value;
  return {};
}

template <auto Field>
Status truth(const Setting& setting, JobPatch& patch) {
  auto value = truth_of(setting.value());
  if (!value) return invalid(setting);
  patch.*Field = *value;
  return {};
}

template <auto Field>
Status span(const Setting& setting, JobPatch& patch) {
  auto value = seconds_of(setting.value());
  if (!value || *value == JobSpec::kUnlimited) return invalid(setting);
  patch.*Field = *value;
  return {};
}

template <auto Field>
Status time(const Setting& setting, JobPatch& patch) {
  auto value = parse_timestamp(setting.value(), setting.now, local_zone());
  if (!value)
    return fail(fmt::format("Invalid time specification (pos=0): {}\nNo changes specified",
                            printable(setting.value())));
  patch.*Field = *value;
  return {};
}

template <auto Field>
Status nodes(const Setting& setting, JobPatch& patch) {
  auto hosts = Hostlist::parse(setting.value());
  if (!hosts) return fail(hosts.error().text);
  patch.*Field = hosts->str();
  return {};
}

// "10", "UNLIMITED", and "+5" or "-10", which may be written TimeLimit+=5, too.
Status time_limit(const Setting& setting, JobPatch& patch) {
  std::string_view value = setting.value();
  char sign = setting.given.sign;
  if (sign == '=' && (value.starts_with('+') || value.starts_with('-')) && value != "-1") {
    sign = value[0];
    value.remove_prefix(1);
  }
  auto seconds = seconds_of(value);
  if (!seconds) return fail("scontrol: error: Invalid TimeLimit value");
  if (sign == '=') {
    patch.time_limit_s = *seconds;
    return {};
  }
  if (*seconds == JobSpec::kUnlimited) return fail("scontrol: error: Invalid TimeLimit value");
  patch.time_limit_change_s = sign == '+' ? std::int64_t{*seconds} : -std::int64_t{*seconds};
  return {};
}

Status nice(const Setting& setting, JobPatch& patch) {
  auto value = parse_i64(setting.value().empty() ? "100" : setting.value());
  if (!value || *value > std::numeric_limits<std::int32_t>::max() || *value < -2147483645)
    return invalid(setting);
  patch.nice = static_cast<std::int32_t>(*value);
  return {};
}

// What the site adds to a priority.
Status site_factor(const Setting& setting, JobPatch& patch) {
  auto value = parse_i64(setting.value());
  if (!value || *value > std::numeric_limits<std::int32_t>::max() || *value < -2147483645)
    return fail("scontrol: error: Invalid SiteFactor value");
  patch.site_factor = static_cast<std::int32_t>(*value);
  return {};
}

Status node_count(const Setting& setting, JobPatch& patch) {
  std::string_view value = setting.value();
  auto dash = value.find('-');
  auto low = number_of(value.substr(0, dash));
  auto high = dash == std::string_view::npos ? low : number_of(value.substr(dash + 1));
  if (!low || !high || *low > *high)
    return fail(
        fmt::format("scontrol: error: Invalid numeric value \"{}\" for requested node count.",
                    printable(value)));
  patch.min_nodes = *low;
  patch.max_nodes = *high;
  return {};
}

Status cpu_count(const Setting& setting, JobPatch& patch) {
  std::string_view value = setting.value();
  auto dash = value.find('-');
  auto low = number_of(value.substr(0, dash));
  auto high = dash == std::string_view::npos ? low : number_of(value.substr(dash + 1));
  if (!low || !high || *low > *high || *low == 0) return invalid(setting);
  patch.min_cpus = *low;
  return {};
}

Status switches(const Setting& setting, JobPatch& patch) {
  const std::string& value = setting.value();
  auto mark = value.find('@');
  auto count = number_of(std::string_view(value).substr(0, mark));
  if (!count) return invalid(setting);
  patch.switches = *count;
  if (mark == std::string::npos) return {};
  auto wait = parse_time_limit(std::string_view(value).substr(mark + 1));
  if (!wait || wait->unlimited) return invalid(setting);
  patch.switch_wait_s = static_cast<std::uint32_t>(wait->span.count());
  return {};
}

Status oversubscribe(const Setting& setting, JobPatch& patch) {
  auto value = truth_of(setting.value());
  if (same_ignoring_case(setting.value(), "ok")) value = false;
  if (!value) return invalid(setting);
  patch.oversubscribe = *value;
  return {};
}

Status reset_accrue(const Setting&, JobPatch& patch) {
  patch.reset_accrue = true;
  return {};
}

Status mail_type(const Setting& setting, JobPatch& patch) {
  auto types = parse_mail_types(setting.value());
  if (!types) return fail(fmt::format("Invalid MailType: {}", printable(setting.value())));
  patch.mail_types = *types;
  return {};
}

Status burst_buffer(const Setting& setting, JobPatch& patch) {
  if (!setting.value().empty())
    return fail("Requested operation not supported on this system: there are no burst buffers");
  patch.burst_buffer = "";
  return {};
}

Status no_federation(const Setting& setting, JobPatch&) {
  return fail(
      fmt::format("Requested operation not supported on this system: {}= is for clusters "
                  "of a federation, and this one is in none",
                  setting.name));
}

const std::vector<JobKey>& common_keys() {
  using P = JobPatch;
  static const std::vector<JobKey> keys = {
      {{"Account", "", "NAME", "Charge the job to this account"}, text<&P::account>},
      {{"AdminComment", "", "TEXT", "Administrators only"}, text<&P::admin_comment>},
      {{"SystemComment", "", "TEXT", "Administrators only"}, text<&P::system_comment>},
      {{"ArrayTaskThrottle", "", "COUNT", "Elements that may run at once; 0: all"},
       number<&P::array_max_running>},
      {{"BurstBuffer", "", "SPEC", "There are none: only an empty one is taken"}, burst_buffer},
      {{"ClusterFeatures", "", "LIST", "Kept and shown"}, text<&P::cluster_features>},
      {{"Clusters", "", "LIST", "Refused: the cluster is in no federation"}, no_federation},
      {{"Comment", "", "TEXT", "For people"}, text<&P::comment>},
      {{"ContainerID", "", "TEXT", "Kept and shown"}, text<&P::container_id>},
      {{"Contiguous", "", "YES|NO", "Neighbouring nodes only"}, truth<&P::contiguous>},
      {{"CoreSpec", "", "COUNT", "Cores of each node kept for the system"}, number<&P::core_spec>},
      {{"CPUsPerTask", "", "COUNT", "CPUs for each task"}, number<&P::cpus_per_task>},
      {{"Deadline", "", "TIME", "It must be over by then"}, time<&P::deadline>},
      {{"DelayBoot", "", "TIME", "Kept and shown"}, span<&P::delay_boot_s>},
      {{"Dependency", "", "LIST", "What it waits for; empty: nothing"}, text<&P::dependency>},
      {{"EndTime", "", "TIME", "Of a running job: the limit moves there"}, time<&P::end>},
      {{"ExcNodeList", "", "NODES", "Nodes that it must not get"}, nodes<&P::excluded_nodes>},
      {{"Extra", "", "TEXT", "For people and programs"}, text<&P::extra>},
      {{"Features", "", "EXPRESSION", "Features that its nodes must have"}, text<&P::features>},
      {{"Gres", "", "LIST", "Generic resources on each node"}, text<&P::gres>},
      {{"JobName", "Name", "NAME", "Its name; without JobId, whose jobs are meant"},
       text<&P::name>},
      {{"Licenses", "", "LIST", "Licences that it needs"}, text<&P::licenses>},
      {{"MailType", "", "LIST", "When mail is sent"}, mail_type},
      {{"MailUser", "", "NAME", "Who gets it"}, text<&P::mail_user>},
      {{"MCSLabel", "MCS_Label", "TEXT", "Its label, as MCSPlugin allows it"}, text<&P::mcs_label>},
      {{"Network", "", "SPEC", "Handed on as SLURM_NETWORK"}, text<&P::network>},
      {{"Nice", "", "NUMBER", "Lowers its priority by so much; 100 if no number is given"}, nice},
      {{"Partition", "", "LIST", "Where it may run"}, text<&P::partitions>},
      {{"Prefer", "", "EXPRESSION", "Features that are good to have"}, text<&P::prefer>},
      {{"Priority", "", "NUMBER", "Its priority; 0 holds it"}, number<&P::priority>},
      {{"QOS", "", "NAME", "Quality of service"}, text<&P::qos>},
      {{"Reboot", "", "YES|NO", "Whether its nodes boot first; administrators only"},
       truth<&P::reboot>},
      {{"Requeue", "", "1|0", "May it begin again after a node is lost?"}, truth<&P::requeue>},
      {{"ReservationName", "Reservation", "NAME", "The reservation to run in"},
       text<&P::reservation>},
      {{"ResetAccrueTime", "", "", "Its age begins anew"}, reset_accrue},
      {{"SiteFactor", "", "NUMBER", "What the site adds to its priority"}, site_factor},
  };
  return keys;
}

const std::vector<JobKey>& size_keys() {
  using P = JobPatch;
  static const std::vector<JobKey> keys = {
      {{"MinCPUsNode", "", "COUNT", "CPUs of each node at least"}, number<&P::min_cpus_per_node>},
      {{"MinMemoryCPU", "", "SIZE", "Memory for each CPU"}, megabytes<&P::memory_per_cpu_mb>},
      {{"MinMemoryNode", "", "SIZE", "Memory on each node"}, megabytes<&P::memory_per_node_mb>},
      {{"MinTmpDiskNode", "", "SIZE", "Temporary disk on each node"}, megabytes<&P::tmp_mb>},
      {{"NodeList", "", "NODES", "The same as ReqNodeList; of a running job: those it keeps"},
       nodes<&P::required_nodes>},
      {{"NumCPUs", "ReqProcs", "MIN[-MAX]", "CPUs: as many tasks as that takes"}, cpu_count},
      {{"NumNodes", "ReqNodes", "MIN[-MAX]", "Nodes; a running job gives the others back"},
       node_count},
      {{"NumTasks", "", "COUNT", "Tasks"}, number<&P::tasks>},
      {{"OverSubscribe", "Shared", "YES|NO", "May it share its CPUs?"}, oversubscribe},
      {{"ReqCores", "", "COUNT", "Cores of each socket at least"}, number<&P::cores_per_socket>},
      {{"ReqNodeList", "", "NODES", "Nodes that it must get"}, nodes<&P::required_nodes>},
      {{"ReqSockets", "", "COUNT", "Sockets of each node at least"}, number<&P::sockets_per_node>},
      {{"ReqThreads", "", "COUNT", "Threads of each core"}, number<&P::threads_per_core>},
      {{"StartTime", "EligibleTime", "TIME", "Not before then"}, time<&P::begin>},
      {{"StdErr", "", "FILE", "Where its errors go"}, text<&P::std_err>},
      {{"StdIn", "", "FILE", "Where its input comes from"}, text<&P::std_in>},
      {{"StdOut", "", "FILE", "Where its output goes"}, text<&P::std_out>},
      {{"Switches", "", "COUNT[@TIME]", "At most so many leaf switches, waited for so long"},
       switches},
      {{"TasksPerNode", "NtasksPerNode", "COUNT", "Tasks on each node"},
       number<&P::tasks_per_node>},
      {{"ThreadSpec", "", "COUNT", "Threads of each node kept for the system"},
       number<&P::thread_spec>},
      {{"TimeLimit", "", "[+|-]TIME", "How long it may run"}, time_limit},
      {{"TimeMin", "", "TIME", "How short the limit may be made"}, span<&P::time_min_s>},
      {{"TresPerNode", "", "LIST", "Generic resources on each node"}, text<&P::tres_per_node>},
      {{"UserID", "", "NAME", "With JobName and without JobId: whose jobs are meant"},
       text<&P::user_name>},
      {{"wait-for-switch", "", "SECONDS", "How long it waits for these"},
       number<&P::switch_wait_s>},
      {{"WCKey", "", "KEY", "For accounting"}, text<&P::wckey>},
      {{"WorkDir", "", "FOLDER", "Where it begins"}, text<&P::work_dir>},
  };
  return keys;
}

}  // namespace

std::vector<KeyInfo> job_key_infos() {
  std::vector<KeyInfo> out{{"JobId", "Job", "LIST", "Which jobs"}};
  for (const JobKey& key : common_keys()) out.push_back(key.info);
  for (const JobKey& key : size_keys()) out.push_back(key.info);
  return out;
}

Result<JobUpdate> job_update(const std::vector<Assignment>& assignments, Instant now) {
  JobUpdate out;
  for (const Assignment& one : assignments) {
    if (is_key(one.key, "JobId", "Job")) {
      out.job = one.value;
      continue;
    }
    const JobKey* key = find_in(common_keys(), one.key);
    const JobKey* other = find_in(size_keys(), one.key);
    if (!key || (other && is_key(one.key, other->info.name, other->info.alias))) key = other;
    bool signed_here = key && key->info.name == "TimeLimit";
    if (!key || (one.sign != '=' && !signed_here))
      return fail(not_supported(one, KeyKind::Job).text + "\nRequest aborted");
    if (Status set = key->set({key->info.name, one, now}, out.patch); !set)
      return std::unexpected(set.error());
    ++out.changes;
  }
  // Without an id the name says whose jobs are meant.
  if (out.job.empty() && out.patch.name) {
    out.name = std::move(*out.patch.name);
    out.patch.name.reset();
    --out.changes;
  }
  if (out.patch.user_name) {
    out.user = std::move(*out.patch.user_name);
    out.patch.user_name.reset();
    --out.changes;
  }
  if (out.job.empty() && out.name.empty()) return fail("No job was named; use JobId=");
  if (out.changes == 0) return fail("No changes specified");
  return out;
}

}  // namespace ym::cli
