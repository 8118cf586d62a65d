// SPDX-License-Identifier: Apache-2.0
#include "trace/sacct.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "notation/size.h"
#include "notation/time_limit.h"
#include "notation/tres.h"

namespace ym::trace {
namespace {

constexpr std::size_t kColumnsMax = 256;

enum Column : std::size_t {
  JobIdRaw,
  JobIdShown,
  Submit,
  Eligible,
  Start,
  End,
  ElapsedRaw,
  Elapsed,
  TimelimitRaw,
  Timelimit,
  ReqCpus,
  NCpus,
  AllocCpus,
  ReqTres,
  AllocTres,
  NNodes,
  ReqNodes,
  User,
  PartitionName,
  ReqMem,
  QosName,
  AccountName,
  LicenseList,
  kColumns,
};
constexpr std::array<std::string_view, kColumns> kNames = {
    "JobIDRaw",   "JobID",   "Submit",       "Eligible",  "Start",    "End",
    "ElapsedRaw", "Elapsed", "TimelimitRaw", "Timelimit", "ReqCPUS",  "NCPUS",
    "AllocCPUS",  "ReqTRES", "AllocTRES",    "NNodes",    "ReqNodes", "User",
    "Partition",  "ReqMem",  "QOS",          "Account",   "Licenses"};

class Reader {
 public:
  Reader(std::string_view name, const TimeZone& zone) : name_(name), zone_(zone) {}

  Result<Workload> run(std::string_view text) {
    while (!text.empty()) {
      std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = trim(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      if (line.empty()) continue;
      Status done = headed_ ? take_job(line) : take_header(line);
      if (!done) return std::unexpected(done.error());
    }
    if (!headed_) return fail(fmt::format("{}: no line of headers", name_));
    out_.origin_unix_s = 0;
    if (!out_.jobs.empty()) {
      // settle() counts from the first submission; the jobs have Unix time so far.
      auto first = std::ranges::min_element(out_.jobs, {}, &TraceJob::submit_s)->submit_s;
      settle(out_);
      out_.origin_unix_s = first;
    }
    return std::move(out_);
  }

 private:
  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(fmt::format("{}:{}: {}", name_, line_, what));
  }

  Status take_header(std::string_view line) {
    std::vector<std::string_view> names = split(line, '|');
    if (names.size() > kColumnsMax) return wrong(fmt::format("more than {} columns", kColumnsMax));
    place_.fill(std::nullopt);
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t column = 0; column < kColumns; ++column)
        if (same_ignoring_case(trim(names[i]), kNames[column])) place_[column] = i;
    auto lacks = [&](std::initializer_list<Column> any) {
      return std::ranges::none_of(any, [&](Column one) { return place_[one].has_value(); });
    };
    if (lacks({JobIdRaw, JobIdShown}))
      return wrong("no column JobID; is this sacct --parsable2 with its headers?");
    if (lacks({Submit})) return wrong("no column Submit");
    if (lacks({ReqCpus, NCpus, AllocCpus, ReqTres, AllocTres})) return wrong("no column ReqCPUS");
    if (lacks({ElapsedRaw, Elapsed}) && (lacks({Start}) || lacks({End})))
      return wrong("no column ElapsedRaw");
    headed_ = true;
    return {};
  }

  Status take_job(std::string_view line) {
    fields_ = split(line, '|');
    if (fields_.size() > kColumnsMax) return wrong("too many columns");
    if (place_[Submit] >= fields_.size()) return wrong("fewer columns than the headers");
    std::string_view shown = field(JobIdRaw).empty() ? field(JobIdShown) : field(JobIdRaw);
    if (shown.find('.') != shown.npos) return {};  // a step
    auto id = parse_u64(shown.substr(0, shown.find_first_not_of("0123456789")));
    if (!id) return wrong(fmt::format("no job's number: '{}'", printable(shown, 40)));
    Result<TraceJob> job = read_job();
    if (!job) return std::unexpected(job.error());
    if (job->run_s == 0 || job->procs == 0) {
      ++out_.passed_over;
      return {};
    }
    if (out_.jobs.size() == kJobsMax) return wrong(fmt::format("more than {} jobs", kJobsMax));
    job->id = *id;
    job->user = users_.place_of(field(User).empty() ? "no user" : field(User));
    job->partition =
        partitions_.place_of(field(PartitionName).empty() ? "no partition" : field(PartitionName));
    job->qos = place_at(qos_, QosName);
    job->account = place_at(accounts_, AccountName);
    job->licenses = place_at(licenses_, LicenseList);
    out_.has_recorded_starts = out_.has_recorded_starts || job->recorded_start_s != kNotStarted;
    out_.jobs.push_back(*job);
    return {};
  }

  // Counted from 1; 0: it says nothing.
  std::uint32_t place_at(Names& names, Column column) const {
    std::string_view text = field(column);
    bool none = text.empty() || same_ignoring_case(text, "(null)");
    return none ? 0 : names.place_of(text) + 1;
  }

  Result<TraceJob> read_job() {
    TraceJob job;
    auto submit = time_at(Submit);
    if (!submit) return std::unexpected(submit.error());
    if (*submit == 0) return job;
    auto eligible = time_at(Eligible), start = time_at(Start);
    if (!eligible) return std::unexpected(eligible.error());
    if (!start) return std::unexpected(start.error());
    job.submit_s = std::max(*submit, *eligible);
    // One that never started has its end as its start, or none.
    if (*start >= *submit && *start) job.recorded_start_s = std::max(*start, job.submit_s);
    auto run = run_seconds(*start);
    if (!run) return std::unexpected(run.error());
    auto limit = limit_seconds();
    if (!limit) return std::unexpected(limit.error());
    if (*run > kSecondsMax) return wrong("a run beyond eight years");
    job.run_s = static_cast<std::uint32_t>(std::max<std::int64_t>(*run, 0));
    job.limit_s = *limit > kSecondsMax ? 0 : static_cast<std::uint32_t>(*limit);
    return read_size(job);
  }

  Result<TraceJob> read_size(TraceJob job) const {
    for (Column column : {ReqCpus, NCpus, AllocCpus})
      if (!job.procs) job.procs = count_at(column);
    for (Column column : {ReqTres, AllocTres}) {
      auto tres = Tres::parse(field(column));
      if (!tres) continue;  // a replay does without
      if (!job.procs) job.procs = bounded(tres->get("cpu"));
      if (!job.gpus) job.gpus = bounded(tres->get("gres/gpu"));
      if (column == ReqTres) job.memory_mb = std::min(tres->get("mem"), kMemoryMax);
    }
    job.nodes = std::max(1u, count_at(NNodes) ? count_at(NNodes) : count_at(ReqNodes));
    if (!job.memory_mb) job.memory_mb = asked_memory(job);
    if (job.procs > kProcsMax) return wrong("more CPUs than any machine has");
    return job;
  }

  // ReqMem: of the whole job; of each CPU or node where it ends with c or n, as it did before Slurm
  // 21.08.
  std::uint64_t asked_memory(const TraceJob& job) const {
    std::string_view text = field(ReqMem);
    std::uint64_t times = text.ends_with('c') ? job.procs : text.ends_with('n') ? job.nodes : 1;
    if (text.ends_with('c') || text.ends_with('n')) text.remove_suffix(1);
    auto megabytes = parse_megabytes(text);
    if (!megabytes || !times) return 0;  // a replay does without
    return std::min(*megabytes, kMemoryMax / times) * times;
  }

  Result<std::int64_t> run_seconds(std::int64_t start) const {
    if (auto raw = parse_u64(field(ElapsedRaw)))
      return static_cast<std::int64_t>(std::min<std::uint64_t>(*raw, kSecondsMax + 1));
    if (std::string_view text = field(Elapsed); !text.empty()) {
      auto span = parse_time_limit(text);
      if (!span || span->unlimited) return wrong(fmt::format("Elapsed '{}'", printable(text, 40)));
      return span->span.count();
    }
    auto end = time_at(End);
    if (!end) return std::unexpected(end.error());
    return start && *end ? *end - start : 0;
  }

  // 0: none.
  Result<std::int64_t> limit_seconds() const {
    if (auto minutes = parse_u64(field(TimelimitRaw)))
      return *minutes > kSecondsMax / 60 ? 0 : static_cast<std::int64_t>(*minutes * 60);
    std::string_view text = field(Timelimit);
    if (text.empty() || same_ignoring_case(text, "Partition_Limit")) return 0;
    // sacct says days-hours:minutes:seconds, or hours:minutes:seconds.
    auto limit = parse_time_limit(text);
    if (!limit) return wrong(fmt::format("Timelimit '{}'", printable(text, 40)));
    return limit->unlimited ? 0 : limit->span.count();
  }

  // Unix time; 0: not known.
  Result<std::int64_t> time_at(Column column) const {
    std::string_view text = field(column);
    if (text.empty() || same_ignoring_case(text, "Unknown") || same_ignoring_case(text, "None"))
      return 0;
    if (auto seconds = parse_u64(text); seconds && text.size() > 8)  // SLURM_TIME_FORMAT=%s
      return static_cast<std::int64_t>(std::min<std::uint64_t>(*seconds, 1ull << 40));
    auto time = parse_timestamp(text, Instant::from_unix_seconds(1), zone_, Looking::Back);
    if (!time || *time == kNever)
      return wrong(fmt::format("{} '{}'", kNames[column], printable(text, 40)));
    return time->unix_seconds();
  }

  std::string_view field(Column column) const {
    return place_[column] && *place_[column] < fields_.size() ? trim(fields_[*place_[column]])
                                                              : std::string_view();
  }
  static std::uint32_t bounded(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kProcsMax + 1));
  }
  std::uint32_t count_at(Column column) const {
    return bounded(parse_u64(field(column)).value_or(0));
  }

  const std::string_view name_;
  const TimeZone& zone_;
  std::size_t line_ = 0;
  bool headed_ = false;
  std::array<std::optional<std::size_t>, kColumns> place_;
  std::vector<std::string_view> fields_;
  Workload out_;
  Names users_{out_.users}, partitions_{out_.partitions}, qos_{out_.qos}, accounts_{out_.accounts},
      licenses_{out_.licenses};
};

}  // namespace

Result<Workload> read_sacct(std::string_view text, std::string_view name, const TimeZone& zone) {
  return Reader(name, zone).run(text);
}

bool looks_like_sacct(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), text.size()));
  return text.find('|') != text.npos &&
         std::ranges::any_of(split(text, '|'), [](std::string_view name) {
           return starts_with_ignoring_case(trim(name), "JobID");
         });
}

}  // namespace ym::trace
