// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/long_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <string>
#include <vector>

namespace ym {
namespace {

using testing::ElementsAre;

constexpr ConnectionId kOne{1}, kTwo{2}, kThree{3};
constexpr std::uint32_t kAda = 1000, kBen = 1001;
constexpr auto kPatience = std::chrono::seconds(60);

// What was made, in order; the first portion waits until it is let go.
class Record {
 public:
  LongAnswers::Portion portion(std::string name, int times) {
    return [this, name = std::move(name), times]() mutable {
      std::unique_lock lock(mutex_);
      made_.push_back(name);
      changed_.notify_all();
      changed_.wait_for(lock, kPatience, [&] { return open_; });
      return --times > 0;
    };
  }
  void let_go() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> made(std::size_t at_least) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return made_.size() >= at_least; });
    return made_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> made_;
  bool open_ = false;
};

TEST(LongAnswers, UsersTakeTurnsHoweverManyAnswersOneOfThemWants) {
  Record record;
  LongAnswers answers;
  answers.begin(kOne, kAda, record.portion("first", 1));
  answers.go_on(kOne);
  record.made(1);  // the thread is busy with it
  answers.begin(kTwo, kAda, record.portion("ada", 1));
  answers.begin(ConnectionId{4}, kAda, record.portion("ada", 1));
  answers.begin(kThree, kBen, record.portion("ben", 1));
  answers.go_on(kTwo);
  answers.go_on(ConnectionId{4});
  answers.go_on(kThree);
  record.let_go();
  EXPECT_THAT(record.made(4), ElementsAre("first", "ada", "ben", "ada"));
}

TEST(LongAnswers, RoomThatComesWhileAPortionIsMadeIsNotForgotten) {
  Record record;
  LongAnswers answers;
  answers.begin(kOne, kAda, record.portion("a", 2));
  answers.go_on(kOne);
  record.made(1);
  answers.go_on(kOne);
  record.let_go();
  EXPECT_THAT(record.made(2), ElementsAre("a", "a"));
}

TEST(LongAnswers, NothingIsMadeForAConnectionThatIsGone) {
  Record record;
  LongAnswers answers;
  answers.begin(kOne, kAda, record.portion("one", 5));
  answers.begin(kTwo, kBen, record.portion("two", 5));
  answers.go_on(kOne);
  record.made(1);
  answers.go_on(kTwo);
  answers.forget(kOne);  // while its portion is made
  answers.forget(kTwo);  // while it waits
  EXPECT_EQ(answers.size(), 0u);
  answers.begin(kThree, kAda, record.portion("three", 1));
  answers.go_on(kThree);
  record.let_go();
  EXPECT_THAT(record.made(2), ElementsAre("one", "three"));
  answers.stop();
  EXPECT_EQ(answers.size(), 0u);
}

TEST(LongAnswers, ANewQuestionTakesThePlaceOfTheOldOne) {
  Record record;
  LongAnswers answers;
  answers.begin(kOne, kAda, record.portion("old", 5));
  answers.go_on(kOne);
  record.made(1);
  answers.begin(kOne, kAda, record.portion("new", 1));
  answers.go_on(kOne);
  record.let_go();
  EXPECT_THAT(record.made(2), ElementsAre("old", "new"));
}

}  // namespace
}  // namespace ym
