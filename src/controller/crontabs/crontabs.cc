// SPDX-License-Identifier: Apache-2.0
// Crontabs: each line is a job that waits for its time, and goes back to the queue for the next one
// when it has ended.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/cron.h"

namespace ym {
namespace {

constexpr std::size_t kCrontabMax = 1 << 20, kLinesMax = 1000;
// Where a time that has come for ever is asked for its next, a job waits so long at least.
constexpr Duration kAtLeast = std::chrono::seconds(1);

std::optional<Instant> next_of(const JobSpec& spec, Instant now, const TimeZone* zone) {
  auto cron = CronTime::parse(spec.extras->specials->cron);
  if (!cron) return std::nullopt;
  FixedOffset utc;
  return cron->next(now, zone ? *zone : utc);
}

// The text with the line of its n-th entry made a comment. The client has read the text before, so
// what is neither empty, a comment nor a variable is an entry.
std::string without_entry(std::string_view text, std::size_t n) {
  std::string out;
  std::size_t entries = 0;
  bool goes_on = false, ours = false;
  for (std::string_view line : split(text, '\n')) {
    std::string_view bare = trim(line);
    bool begins =
        !goes_on &&
        parse_cron_line(bare.ends_with('\\') ? bare.substr(0, bare.size() - 1) : bare).has_value();
    if (begins) ours = entries++ == n;
    if (!goes_on && !begins) ours = false;
    goes_on = line.ends_with('\\');
    if (ours) out += "#DISABLED: ";
    out += std::string(line) + "\n";
  }
  out.pop_back();  // the text's own last line has its end already
  return out;
}

}  // namespace

// One of the crontab that its user has now.
bool Controller::is_in_crontab(const Job& job) const {
  if (job.spec->extras->specials->cron.empty()) return false;
  auto at = state_.crontabs->find(job.spec->uid);
  return at != state_.crontabs->end() &&
         std::ranges::find(at->second.jobs, job.id) != at->second.jobs.end();
}

// Its line stays for its user to see, but is none any more.
void Controller::leave_crontab(const Job& job, Instant now, Outbox& out) {
  Crontab crontab = state_.crontabs->at(job.spec->uid);
  auto at = std::ranges::find(crontab.jobs, job.id);
  crontab.text = without_entry(crontab.text, static_cast<std::size_t>(at - crontab.jobs.begin()));
  crontab.jobs.erase(at);
  emit(CrontabSet{std::move(crontab)}, now, out);
}

Instant Controller::next_time(const Job& job, Instant now) const {
  return next_of(*job.spec, now, zone_).value_or(now + kAtLeast);
}

// Refused as a whole if one of the jobs is. The jobs of the old crontab leave the queue; what runs
// goes on, for the last time.
void Controller::update_crontab(RequestId request, const UpdateCrontab& update,
                                const Caller& caller, Instant now, Outbox& out) {
  auto deny = [&](const Error& error) { refuse_request(request, error, out); };
  if (update.text.size() > kCrontabMax || update.jobs.size() > kLinesMax ||
      update.lines.size() != update.jobs.size())
    return deny(refuse(Errc::BadMessage, "a crontab that is too long").error());
  if (state_.jobs.size() + update.jobs.size() >= config_.max_job_count)
    return deny(refuse(Errc::QueueFull).error());
  std::vector<SubmitJob> jobs = update.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobSpec& spec = jobs[i].spec;
    auto first = next_of(spec, now, zone_);
    auto refuse_line = [&](std::string text) {
      answer(request, CrontabUpdated{.failed_line = update.lines[i], .warning = std::move(text)},
             out);
    };
    if (!first) return refuse_line("a time that never comes");
    spec.begin = *first;
    spec.requeue = true;
    jobs[i].array.clear();
    if (auto admitted = admit(jobs[i], caller, now); !admitted)
      return refuse_line(admitted.error().text);
  }
  auto old = state_.crontabs->find(caller.uid);
  std::vector<JobId> leaving;
  if (old != state_.crontabs->end()) leaving = old->second.jobs;
  CrontabUpdated done;
  for (const SubmitJob& job : jobs) {
    auto admitted = admit(job, caller, now);
    if (!admitted) return deny(admitted.error());
    done.jobs.push_back(admitted->job);
    emit(std::move(*admitted), now, out);
  }
  emit(CrontabSet{{.uid = caller.uid,
                   .user_name = caller.user_name,
                   .text = update.text,
                   .jobs = done.jobs}},
       now, out);
  for (JobId id : leaving)
    if (const Job* job = state_.find(id); job && job->state == JobState::Pending)
      finish(id, {.state = JobState::Cancelled, .by = caller.uid}, now, out);
  answer(request, std::move(done), out);
}

}  // namespace ym
