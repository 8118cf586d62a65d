// SPDX-License-Identifier: Apache-2.0
// The last short answers about jobs. Many ask the same again and again; as long as nothing has
// happened in between they get the same bytes. Nobody is told anything that is not so any more: an
// answer counts for the snapshot and the verdicts that it was made of only, and not for long, as
// time alone changes a reason, too. Any thread may call.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/slurmctld/published.h"

namespace ym {

class AnswerCache {
 public:
  static constexpr std::size_t kAnswersMax = 64, kQuestionMax = 1024, kAnswerMax = 64 * 1024;
  static constexpr Duration kLife{100};

  using Frames = std::vector<std::string>;  // payloads, in order

  std::optional<Frames> find(std::string_view question, const View& view, Duration now) const {
    std::lock_guard lock(mutex_);
    auto at = answers_.find(question);
    if (at == answers_.end()) return std::nullopt;
    const Answer& answer = at->second;
    bool fresh = answer.seq == view.state.seq && answer.verdicts.same_as(view.verdicts) &&
                 now - answer.made < kLife;
    return fresh ? std::optional(answer.frames) : std::nullopt;
  }
  void keep(const std::string& question, const View& view, Duration made, Frames frames) {
    std::lock_guard lock(mutex_);
    if (answers_.size() >= kAnswersMax && !answers_.contains(question)) answers_.clear();
    answers_[question] = {.seq = view.state.seq,
                          .verdicts = view.verdicts,
                          .made = made,
                          .frames = std::move(frames)};
  }

 private:
  struct Answer {
    Seq seq;
    Ref<Verdicts> verdicts;
    Duration made{0};
    Frames frames;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Answer, std::less<>> answers_;  // by question; guarded by mutex_
};

}  // namespace ym
