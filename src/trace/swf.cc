// SPDX-License-Identifier: Apache-2.0
#include "trace/swf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/format.h"
#include "base/text.h"

namespace ym::trace {
namespace {

constexpr std::size_t kFields = 18;
constexpr std::size_t kFieldsLeast = 5;  // up to the processors
// Places of the fields, from 0.
constexpr std::size_t kId = 0, kSubmit = 1, kWait = 2, kRun = 3, kUsedProcs = 4, kAskedProcs = 7,
                      kAskedTime = 8, kAskedMemory = 9, kUser = 11, kQueue = 14;

using Record = std::array<std::int64_t, kFields>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// The next number of the line; fractions, which some traces have, are cut off.
bool take_number(std::string_view& line, std::int64_t& out) {
  const char *at = line.data(), *end = at + line.size();
  auto [rest, error] = std::from_chars(at, end, out);
  if (error != std::errc()) return false;
  if (rest != end && *rest == '.') {
    ++rest;
    while (rest != end && *rest >= '0' && *rest <= '9') ++rest;
  }
  if (rest != end && !is_blank(*rest)) return false;
  line.remove_prefix(static_cast<std::size_t>(rest - at));
  return true;
}

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return line;
}

class Reader {
 public:
  Reader(std::string_view name, std::uint32_t procs) : name_(name), told_procs_(procs) {}

  Result<Workload> run(std::string_view text) {
    while (!text.empty()) {
      std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = without_blanks(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      if (line.empty()) continue;
      Status done = line.front() == ';' ? take_header(line.substr(1)) : take_job(line);
      if (!done) return std::unexpected(done.error());
    }
    finish();
    return std::move(out_);
  }

 private:
  Status wrong(std::string_view what) const {
    return fail(fmt::format("{}:{}: {}", name_, line_, what));
  }

  // "MaxProcs: 100"
  Status take_header(std::string_view line) {
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    std::string_view key = trim(line.substr(0, colon));
    std::string_view value = trim(line.substr(colon + 1));
    value = value.substr(0, value.find_first_not_of("0123456789"));
    auto number = parse_u64(value);
    if (!number) return {};
    if (key == "MaxProcs" && *number <= kProcsMax) max_procs_ = static_cast<std::uint32_t>(*number);
    if (key == "MaxNodes" && *number <= kProcsMax) max_nodes_ = static_cast<std::uint32_t>(*number);
    constexpr std::uint64_t kUnixMax = 1ull << 40;
    if (key == "UnixStartTime" && *number <= kUnixMax)
      out_.origin_unix_s = static_cast<std::int64_t>(*number);
    return {};
  }

  Status take_job(std::string_view line) {
    Record record;
    record.fill(-1);
    std::size_t count = 0;
    for (; !line.empty() && line.front() != ';'; line = without_blanks(line)) {
      if (count == kFields) return wrong("more than 18 fields");
      if (!take_number(line, record[count]))
        return wrong(fmt::format("field {} is not a number: '{}'", count + 1,
                                 printable(line.substr(0, line.find_first_of(" \t\r")), 40)));
      ++count;
    }
    if (count < kFieldsLeast) return wrong(fmt::format("{} fields where 18 are expected", count));
    return add(record);
  }

  Status add(const Record& record) {
    std::int64_t procs = record[kAskedProcs] > 0 ? record[kAskedProcs] : record[kUsedProcs];
    std::int64_t run = record[kRun];
    if (procs <= 0 || run <= 0) {
      ++out_.passed_over;
      return {};
    }
    std::int64_t limit = record[kAskedTime] > 0 ? record[kAskedTime] : run;
    if (record[kId] < 0) return wrong("a job's number is negative");
    if (record[kSubmit] < 0 || record[kSubmit] > kSubmitMax) return wrong("no time of submission");
    if (procs > kProcsMax) return wrong("more processors than any machine has");
    if (run > kSecondsMax || limit > kSecondsMax) return wrong("a time beyond eight years");
    if (out_.jobs.size() == kJobsMax) return wrong(fmt::format("more than {} jobs", kJobsMax));
    TraceJob job{.id = static_cast<std::uint64_t>(record[kId]), .submit_s = record[kSubmit]};
    job.run_s = static_cast<std::uint32_t>(std::min(run, limit));
    job.limit_s = static_cast<std::uint32_t>(limit);
    job.procs = static_cast<std::uint32_t>(procs);
    if (std::int64_t kb = record[kAskedMemory]; kb > 0)  // for each processor
      job.memory_mb = std::min(
          kMemoryMax,
          (static_cast<std::uint64_t>(std::min<std::int64_t>(kb, kMemoryMax / kProcsMax * 1024)) *
               job.procs +
           1023) /
              1024);
    job.user = place_of(users_, record[kUser], "user");
    job.partition = place_of(queues_, record[kQueue], "queue");
    if (record[kWait] >= 0 && record[kWait] <= kSubmitMax) {
      job.recorded_start_s = job.submit_s + record[kWait];
      out_.has_recorded_starts = true;
    }
    out_.jobs.push_back(job);
    return {};
  }

  using Numbers = std::map<std::int64_t, std::uint32_t>;
  std::uint32_t place_of(Numbers& known, std::int64_t number, std::string_view noun) {
    auto& list = &known == &users_ ? out_.users : out_.partitions;
    auto [at, fresh] = known.try_emplace(number, static_cast<std::uint32_t>(list.size()));
    if (fresh)
      list.push_back(number < 0 ? fmt::format("no {}", noun) : fmt::format("{}{}", noun, number));
    return at->second;
  }

  void finish() {
    out_.procs = told_procs_ ? told_procs_ : max_procs_ ? max_procs_ : max_nodes_;
    if (out_.procs)
      for (TraceJob& job : out_.jobs) job.procs = std::min(job.procs, out_.procs);
    settle(out_);
  }

  static constexpr std::int64_t kSubmitMax = std::int64_t{1} << 36;  // two thousand years

  const std::string_view name_;
  const std::uint32_t told_procs_;
  std::size_t line_ = 0;
  std::uint32_t max_procs_ = 0, max_nodes_ = 0;
  Numbers users_, queues_;
  Workload out_;
};

}  // namespace

Result<Workload> read_swf(std::string_view text, std::string_view name, std::uint32_t procs) {
  return Reader(name, procs).run(text);
}

bool looks_like_swf(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), text.size()));
  text = without_blanks(text);
  if (text.empty()) return false;
  std::int64_t number = 0;
  return text.front() == ';' || (take_number(text, number) && text.find('|') == text.npos);
}

}  // namespace ym::trace
