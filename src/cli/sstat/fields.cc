// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/text.h"
#include "cli/common/tres_usage.h"
#include "cli/sstat/sstat.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Row = const SstatRow&;
using Settings = const SstatSettings&;

// As accounting prints sizes: the largest unit in which the number is whole, or plain bytes.
std::string size_text(std::uint64_t bytes, Settings settings) {
  constexpr std::string_view kUnits = "KMGTPE";
  if (!settings.convert) return fmt::format("{}", bytes);
  std::size_t unit = 0;
  while (bytes != 0 && bytes % 1024 == 0 && unit < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{}", bytes) : fmt::format("{}{}", bytes, kUnits[unit - 1]);
}
std::string kilobytes(std::uint64_t kb, Settings settings) {
  return size_text(kb * 1024, settings);
}
std::string time_text(std::uint64_t ms) {
  return print_span_long(Duration(static_cast<Duration::rep>(ms)));
}
std::uint64_t average(std::uint64_t sum, Row row) {
  return row.usage.tasks ? sum / row.usage.tasks : 0;
}
std::string task_text(const Extreme& extreme) { return fmt::format("{}", extreme.task); }

template <auto Member>
std::string node_of(Row row, Settings) {
  return (row.usage.*Member).node;
}
template <auto Member>
std::string task_of(Row row, Settings) {
  return task_text(row.usage.*Member);
}
template <auto Member>
std::string kilobytes_of(Row row, Settings s) {
  return kilobytes((row.usage.*Member).value, s);
}
template <auto Member>
std::string bytes_of(Row row, Settings s) {
  return size_text((row.usage.*Member).value, s);
}
template <auto Tell>
std::string tres(Row row, Settings) {
  return row.usage.tasks ? Tell(row.usage) : std::string();
}
std::string zero(Row, Settings) { return "0"; }

std::string pids_of(Row row, Settings) {
  std::string out;
  for (std::uint32_t pid : row.pids) out += fmt::format("{}{}", out.empty() ? "" : ",", pid);
  return out;
}

}  // namespace

const std::vector<SstatField>& sstat_fields() {
  using U = StepUsage;
  static const std::vector<SstatField> fields = {
      {"JobID", 12, [](Row r, Settings) { return r.id; }},
      {"MaxVMSize", 10, kilobytes_of<&U::max_vm_kb>},
      {"MaxVMSizeNode", 14, node_of<&U::max_vm_kb>},
      {"MaxVMSizeTask", 14, task_of<&U::max_vm_kb>},
      {"AveVMSize", 10,
       [](Row r, Settings s) { return kilobytes(average(r.usage.total.max_vm_kb, r), s); }},
      {"MaxRSS", 10, kilobytes_of<&U::max_rss_kb>},
      {"MaxRSSNode", 10, node_of<&U::max_rss_kb>},
      {"MaxRSSTask", 10, task_of<&U::max_rss_kb>},
      {"AveRSS", 10,
       [](Row r, Settings s) { return kilobytes(average(r.usage.total.max_rss_kb, r), s); }},
      {"MaxPages", 8, [](Row r, Settings) { return fmt::format("{}", r.usage.max_faults.value); }},
      {"MaxPagesNode", 12, node_of<&U::max_faults>},
      {"MaxPagesTask", 14, task_of<&U::max_faults>},
      {"AvePages", 10,
       [](Row r, Settings) { return fmt::format("{}", average(r.usage.total.major_faults, r)); }},
      {"MinCPU", 10, [](Row r, Settings) { return time_text(r.usage.min_cpu_ms.value); }},
      {"MinCPUNode", 10, node_of<&U::min_cpu_ms>},
      {"MinCPUTask", 10, task_of<&U::min_cpu_ms>},
      {"AveCPU", 10,
       [](Row r, Settings) {
         return time_text(average(r.usage.total.user_ms + r.usage.total.system_ms, r));
       }},
      {"NTasks", 8, [](Row r, Settings) { return fmt::format("{}", r.usage.tasks); }},
      {"AveCPUFreq", 10, zero},
      {"ReqCPUFreq", 13, zero},
      {"ReqCPUFreqMin", 13, zero},
      {"ReqCPUFreqMax", 13, zero},
      {"ReqCPUFreqGov", 13, zero},
      {"ConsumedEnergy", 14, zero},
      {"ConsumedEnergyRaw", 17, zero},
      {"MaxDiskRead", 12, bytes_of<&U::max_read>},
      {"MaxDiskReadNode", 15, node_of<&U::max_read>},
      {"MaxDiskReadTask", 15, task_of<&U::max_read>},
      {"AveDiskRead", 12,
       [](Row r, Settings s) { return size_text(average(r.usage.total.read_bytes, r), s); }},
      {"MaxDiskWrite", 12, bytes_of<&U::max_write>},
      {"MaxDiskWriteNode", 16, node_of<&U::max_write>},
      {"MaxDiskWriteTask", 16, task_of<&U::max_write>},
      {"AveDiskWrite", 12,
       [](Row r, Settings s) { return size_text(average(r.usage.total.write_bytes, r), s); }},
      {"TRESUsageInAve", 14, tres<tres_usage::in_average>},
      {"TRESUsageInMax", 14, tres<tres_usage::in_max>},
      {"TRESUsageInMaxNode", 18, tres<tres_usage::in_max_node>},
      {"TRESUsageInMaxTask", 18, tres<tres_usage::in_max_task>},
      {"TRESUsageInMin", 14, tres<tres_usage::in_min>},
      {"TRESUsageInMinNode", 18, tres<tres_usage::in_min_node>},
      {"TRESUsageInMinTask", 18, tres<tres_usage::in_min_task>},
      {"TRESUsageInTot", 14, tres<tres_usage::in_total>},
      {"TRESUsageOutAve", 15, tres<tres_usage::out_average>},
      {"TRESUsageOutMax", 15, tres<tres_usage::out_max>},
      {"TRESUsageOutMaxNode", 19, tres<tres_usage::out_max_node>},
      {"TRESUsageOutMaxTask", 19, tres<tres_usage::out_max_task>},
      {"TRESUsageOutMin", 15, tres<tres_usage::not_measured>},
      {"TRESUsageOutMinNode", 19, tres<tres_usage::not_measured>},
      {"TRESUsageOutMinTask", 19, tres<tres_usage::not_measured>},
      {"TRESUsageOutTot", 15, tres<tres_usage::out_total>},
      {"Nodelist", 20, [](Row r, Settings) { return r.nodes; }},
      {"Pids", 20, pids_of},
  };
  return fields;
}

namespace {

struct Chosen {
  const SstatField* field = nullptr;
  std::uint32_t width = 0;
  bool left = false;
};

constexpr std::uint32_t kWidthMax = 1000;

// "JobID,MaxRSS%-20": names in any case, each perhaps with a width.
Result<std::vector<Chosen>> choose(std::string_view text) {
  std::vector<Chosen> out;
  for (std::string_view word : split_words(text, ',')) {
    auto percent = word.find('%');
    std::string_view name = word.substr(0, percent);
    Chosen one;
    for (const SstatField& field : sstat_fields())
      if (same_ignoring_case(field.name, name)) one.field = &field;
    if (!one.field) return fail(fmt::format("Invalid field requested: \"{}\"", printable(name)));
    one.width = one.field->width;
    one.left = one.field->name == std::string_view("JobID");
    if (percent != word.npos) {
      std::string_view width = word.substr(percent + 1);
      one.left = width.starts_with('-');
      if (one.left) width.remove_prefix(1);
      auto number = parse_unsigned<std::uint32_t>(width);
      if (!number || *number > kWidthMax)
        return fail(fmt::format("Invalid width of a field: \"{}\"", printable(word)));
      one.width = *number;
    }
    out.push_back(one);
  }
  return out;
}

std::string usual_fields() {
  std::string out;
  for (const SstatField& field : sstat_fields()) {
    std::string_view name = field.name;
    if (name == "Nodelist" || name == "Pids" || name == "ConsumedEnergyRaw" || name == "ReqCPUFreq")
      continue;
    out += fmt::format("{}{}", out.empty() ? "" : ",", name);
  }
  return out;
}

}  // namespace

Result<std::string> render_usage(const SstatSettings& settings, const std::vector<SstatRow>& rows) {
  auto chosen = choose(settings.fields.empty() ? usual_fields() : settings.fields);
  if (!chosen) return std::unexpected(chosen.error());
  std::string out;
  bool bars = settings.bars || settings.last_bar;
  auto line = [&](auto&& value) {
    bool first = true;
    for (const Chosen& one : *chosen) {
      std::string text = value(one);
      if (bars) {
        out += fmt::format("{}{}", first ? "" : settings.delimiter, text);
      } else {
        if (text.size() > one.width) text = text.substr(0, one.width - (one.width ? 1 : 0)) + "+";
        out += one.left ? fmt::format("{:<{}} ", text, one.width)
                        : fmt::format("{:>{}} ", text, one.width);
      }
      first = false;
    }
    out += settings.last_bar ? settings.delimiter + "\n" : "\n";
  };
  if (settings.header) line([](const Chosen& one) { return std::string(one.field->name); });
  if (settings.header && !bars) line([](const Chosen& one) { return std::string(one.width, '-'); });
  for (const SstatRow& row : rows)
    line([&](const Chosen& one) { return one.field->extract(row, settings); });
  return out;
}

}  // namespace ym::cli
