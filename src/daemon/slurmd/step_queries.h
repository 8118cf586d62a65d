// SPDX-License-Identifier: Apache-2.0
// Asks shepherds what they have, several at once, without ever waiting for one. On the loop's
// thread.
//
// A shepherd that does not answer within kQueryPatience (it is stopped, or is starting a task from
// a dead file server) is left out.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/slurmd/shepherds.h"
#include "model/step_messages.h"
#include "net/loop.h"

namespace ym {

inline constexpr Duration kQueryPatience = std::chrono::seconds(2);
inline constexpr std::size_t kQueriesMax = 256;  // shepherds asked at the same time
inline constexpr const char* kTooManyQuestions = "slurmd is busy: too many questions at once";

class StepQueries {
 public:
  using Key = std::pair<Sluid, StepId>;
  struct Answer {
    Key from;
    std::string packet;
  };
  using Done = std::function<void(std::vector<Answer>)>;

  StepQueries(Loop& loop, const Shepherds& shepherds) : loop_(loop), shepherds_(shepherds) {}
  ~StepQueries();
  StepQueries(const StepQueries&) = delete;
  StepQueries& operator=(const StepQueries&) = delete;

  // Calls `done` once, never from within ask. False if too many are being asked already.
  bool ask(const std::vector<Key>& whom, const ControlPacket& question, Done done);

 private:
  // One question to several shepherds.
  struct Round {
    struct Asked {
      Key whom;
      Fd fd;
    };
    std::map<std::uint64_t, Asked> waiting;
    std::vector<Answer> answers;
    Done done;
    TimerId timer;
  };
  void heard(std::uint64_t round, std::uint64_t shepherd);
  void finish(std::uint64_t round);

  Loop& loop_;
  const Shepherds& shepherds_;
  std::map<std::uint64_t, Round> rounds_;
  std::uint64_t next_ = 1;
  std::size_t asked_ = 0;
};

}  // namespace ym
