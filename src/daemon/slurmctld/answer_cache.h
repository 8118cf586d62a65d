// SPDX-License-Identifier: Apache-2.0
// The last short answers about jobs. Many ask the same again and again, and get the same bytes:
//   - exactly as it is, if nothing has happened since the answer was made;
//   - at most kLife old, if nothing has happened to the asker's own jobs since. So everybody sees
//   at
//     once what he did and what became of his jobs; of other people's jobs he may see what was so a
//     moment ago. Root is always told how it is.
// Any thread may call.
#pragma once
#include <map>
#include <memory>
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

  // Something happened to jobs of these users. Call before readers can see it.
  void note(const std::vector<Event>& events, const State& state, Duration now);

  // Whether an answer of that number would be as good as a new one, if it is no older than kLife:
  // nothing has happened to the asker's jobs since. Root is always told how it is.
  bool good_enough(Uid asker, Seq made_of) const;

  // Null if there is none that holds.
  std::shared_ptr<const Frames> find(std::string_view question, const View& view, Uid asker,
                                     Duration now) const;
  // REQUIRES: the answer was made of `view`, which was got at the time `made`.
  void keep(const std::string& question, const View& view, Duration made, Frames frames);

 private:
  struct Answer {
    Seq seq;
    Ref<Verdicts> verdicts;
    Duration made{0};
    std::shared_ptr<const Frames> frames;
  };
  using News = std::map<Uid, Seq>;  // the last event about the user's jobs

  bool has_news(Uid user, Seq since) const;

  mutable std::mutex mutex_;
  std::map<std::string, Answer, std::less<>> answers_;  // by question; guarded by mutex_
  // What is older than kLife does not matter; so there are never many.
  News recent_, before_;  // guarded by mutex_
  Duration turned_{0};    // when `recent_` was begun; guarded by mutex_
};

}  // namespace ym
