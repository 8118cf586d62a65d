// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "net/address.h"

namespace ym {
namespace {

using testing::ElementsAre;

TEST(Loop, RunsPostedWorkInOrderAndTimersByTime) {
  Loop loop;
  std::vector<int> done;
  loop.after(Duration{30}, [&] {
    done.push_back(4);
    loop.stop();
  });
  loop.after(Duration{1}, [&] { done.push_back(3); });
  loop.post([&] { done.push_back(1); });
  loop.post([&] { done.push_back(2); });
  loop.run();
  EXPECT_THAT(done, ElementsAre(1, 2, 3, 4));
}

TEST(Loop, TakesWorkFromOtherThreads) {
  Loop loop;
  int sum = 0;
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] {
      for (int n = 0; n < 1000; ++n)
        loop.post([&] {
          if (++sum == 4000) loop.stop();
        });
    });
  loop.run();
  for (auto& other : others) other.join();
  EXPECT_EQ(sum, 4000);
}

TEST(Loop, ACancelledTimerNeverFiresEvenIfItIsDue) {
  Loop loop;
  TimerId second;
  loop.after(Duration{1}, [&] { loop.cancel(second); });
  second = loop.after(Duration{1}, [&] { ADD_FAILURE(); });
  loop.after(Duration{20}, [&] { loop.stop(); });
  loop.run();
}

TEST(Loop, APeriodicTimerTicksUntilItCancelsItself) {
  Loop loop;
  int ticks = 0;
  TimerId timer;
  timer = loop.every(Duration{1}, [&] {
    if (++ticks == 5) {
      loop.cancel(timer);
      loop.after(Duration{10}, [&] { loop.stop(); });
    }
  });
  loop.run();
  EXPECT_EQ(ticks, 5);
}

TEST(Loop, WatchesADescriptorUntilItIsUnwatched) {
  Loop loop;
  Fd event(::eventfd(0, EFD_CLOEXEC));
  int calls = 0;
  ASSERT_TRUE(loop.watch_readable(event.get(), [&] {
    if (++calls < 3) return;  // not read: it is called again
    eventfd_t value;
    EXPECT_EQ(::eventfd_read(event.get(), &value), 0);
    EXPECT_EQ(value, 7u);
    loop.unwatch(event.get());
    loop.post([&] { loop.stop(); });
  }));
  loop.after(Duration{1}, [&] { ::eventfd_write(event.get(), 7); });
  loop.run();
  EXPECT_EQ(calls, 3);
}

TEST(Loop, RefusesToWatchAnOrdinaryFile) {
  Loop loop;
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(loop.watch_readable(::fileno(file), [] {}));
  std::fclose(file);
}

TEST(Loop, StoppedBeforeItRunsReturnsAtOnceAndRunsAgain) {
  Loop loop;
  loop.stop();
  loop.run();
  bool ran = false;
  loop.post([&] {
    ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran);
}

// A shepherd's pidfd took the number of one that had just ended, and its living process was
// reported dead.
TEST(Loop, ADescriptorIsNotCalledForWhatHappenedToItsPredecessor) {
  Loop loop;
  std::vector<int> old{::eventfd(1, 0), ::eventfd(1, 0), ::eventfd(1, 0)};  // all readable at once
  std::vector<int> fresh;
  int calls_of_fresh = 0;
  for (int fd : old) {
    ASSERT_TRUE(loop.watch_readable(fd, [&] {
      if (!fresh.empty()) return;
      for (int gone : old) {
        loop.unwatch(gone);
        ::close(gone);
      }
      for (std::size_t i = 0; i < old.size(); ++i) {
        fresh.push_back(::eventfd(0, 0));  // takes a number that is free again; never readable
        ASSERT_TRUE(loop.watch_readable(fresh.back(), [&] { ++calls_of_fresh; }));
      }
      loop.after(Duration{5}, [&] { loop.stop(); });
    }));
  }
  loop.run();
  EXPECT_EQ(fresh.size(), old.size());
  EXPECT_EQ(calls_of_fresh, 0);
  for (int fd : fresh) {
    loop.unwatch(fd);
    ::close(fd);
  }
}

}  // namespace
}  // namespace ym
