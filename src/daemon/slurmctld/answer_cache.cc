// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/answer_cache.h"

#include <utility>

namespace ym {
namespace {

// Whose job an event is about; nobody's if it is about something else.
std::optional<Uid> owner_of(const Event& event, const State& state) {
  JobId id = std::visit(
      []<class E>(const E& body) {
        if constexpr (requires { body.job; })
          return JobId{body.job};
        else if constexpr (requires { body.array_job; })
          return JobId{body.array_job};
        else
          return JobId{};
      },
      event.body);
  const Job* job = id ? state.find(id) : nullptr;
  return job ? std::optional(job->spec->uid) : std::nullopt;
}

}  // namespace

void AnswerCache::note(const std::vector<Event>& events, const State& state, Duration now) {
  News news;
  for (const Event& event : events)
    if (auto owner = owner_of(event, state)) news[*owner] = event.seq;
  std::lock_guard lock(mutex_);
  if (now - turned_ > kLife) {
    before_ = std::exchange(recent_, {});
    turned_ = now;
  }
  for (const auto& [user, seq] : news) recent_[user] = seq;
}

bool AnswerCache::has_news(Uid user, Seq since) const {
  for (const News* news : {&recent_, &before_})
    if (auto at = news->find(user); at != news->end() && at->second > since) return true;
  return false;
}

bool AnswerCache::good_enough(Uid asker, Seq made_of) const {
  std::lock_guard lock(mutex_);
  return asker.value != 0 && !has_news(asker, made_of);
}

std::shared_ptr<const AnswerCache::Frames> AnswerCache::find(std::string_view question,
                                                             const View& view, Uid asker,
                                                             Duration now) const {
  std::lock_guard lock(mutex_);
  auto at = answers_.find(question);
  if (at == answers_.end() || now - at->second.made >= kLife) return nullptr;
  const Answer& answer = at->second;
  bool same = answer.seq == view.state.seq && answer.verdicts.same_as(view.verdicts);
  bool good_enough = asker.value != 0 && !has_news(asker, answer.seq);
  return same || good_enough ? answer.frames : nullptr;
}

void AnswerCache::keep(const std::string& question, const View& view, Duration made,
                       Frames frames) {
  auto kept = std::make_shared<const Frames>(std::move(frames));
  std::lock_guard lock(mutex_);
  if (answers_.size() >= kAnswersMax && !answers_.contains(question)) answers_.clear();
  Answer& answer = answers_[question];
  if (answer.frames && answer.seq > view.state.seq) return;  // somebody was quicker
  answer = {
      .seq = view.state.seq, .verdicts = view.verdicts, .made = made, .frames = std::move(kept)};
}

}  // namespace ym
