// SPDX-License-Identifier: Apache-2.0
#include "agent/cpus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"

namespace ym::agent {
namespace {

constexpr StepId kStep0{0}, kStep1{1};

CpuBook book_of(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads) {
  return CpuBook({.topology = Topology::regular(sockets, cores, threads),
                  .configured = sockets * cores * threads});
}
std::string list(const CpuNumbers& numbers) { return print_cpu_list(numbers); }

void end_all(CpuBook& book, Sluid over) {
  book.give_back([=](Sluid sluid) { return sluid == over; }, [](Sluid, StepId) { return false; });
}

TEST(CpuBook, GivesWholeCoresFirstAndStaysInOneSocket) {
  CpuBook book = book_of(2, 4, 2);  // core n is CPUs n and n+8
  EXPECT_EQ(list(book.attempt(Sluid{1}, 4)), "0-1,8-9");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 6)), "4-6,12-14");  // fits into the second socket only
  EXPECT_EQ(list(book.attempt(Sluid{3}, 3)), "2-3,10");
  EXPECT_EQ(list(book.attempt(Sluid{4}, 1)), "11");  // the broken core before a whole one
  EXPECT_EQ(list(book.attempt(Sluid{5}, 2)), "7,15");
}

TEST(CpuBook, AnAttemptKeepsItsCpus) {
  CpuBook book = book_of(1, 4, 1);
  EXPECT_EQ(list(book.attempt(Sluid{1}, 2)), "0-1");
  EXPECT_EQ(list(book.attempt(Sluid{1}, 4)), "0-1");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 2)), "2-3");
  end_all(book, Sluid{1});
  EXPECT_EQ(list(book.attempt(Sluid{3}, 2)), "0-1");
}

TEST(CpuBook, WhereNothingIsFreeTheLeastUsedAreShared) {
  CpuBook book = book_of(1, 4, 1);
  EXPECT_EQ(list(book.attempt(Sluid{1}, 3)), "0-2");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 2)), "0,3");
  EXPECT_EQ(list(book.attempt(Sluid{3}, 9)), "0-3");
}

TEST(CpuBook, StepsGetPartsOfTheirAttempt) {
  CpuBook book = book_of(1, 8, 1);
  book.attempt(Sluid{1}, 2);
  EXPECT_EQ(list(book.attempt(Sluid{2}, 4)), "2-5");
  EXPECT_EQ(list(book.step(Sluid{2}, kStep0, 2, false)), "2-3");
  EXPECT_EQ(list(book.step(Sluid{2}, kStep1, 2, false)), "4-5");
  EXPECT_EQ(list(book.step(Sluid{2}, StepId{2}, 4, true)), "2-5");
  book.give_back([](Sluid) { return false; }, [](Sluid, StepId step) { return step == kStep0; });
  EXPECT_EQ(list(book.step(Sluid{2}, StepId{3}, 1, false)), "2");
  EXPECT_EQ(list(book.step(Sluid{9}, kStep0, 1, false)), "");
}

TEST(CpuBook, ARestartFindsThemInTheOrders) {
  CpuBook book = book_of(1, 8, 1);
  book.adopt(Sluid{1}, kBatchStep, {.cpus = {0, 1, 2, 3}}, {0, 1, 2, 3});
  book.adopt(Sluid{1}, kStep0, {.cpus = {0, 1, 2, 3}}, {0, 1});
  EXPECT_EQ(list(book.attempt(Sluid{1}, 4)), "0-3");
  EXPECT_EQ(list(book.step(Sluid{1}, kStep1, 2, false)), "2-3");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 4)), "4-7");
}

TEST(CpuBook, ThoseInOneRowHaveDifferentCpus) {
  CpuBook book = book_of(1, 3, 1);
  EXPECT_EQ(list(book.attempt(Sluid{1}, {.count = 2, .row = 1})), "0-1");
  EXPECT_EQ(list(book.attempt(Sluid{2}, {.count = 1, .row = 2})), "2") << "nobody has it";
  EXPECT_EQ(list(book.attempt(Sluid{3}, {.count = 2, .row = 2})), "0-1");
  EXPECT_EQ(list(book.attempt(Sluid{4}, {.count = 1, .row = 1})), "2");
  end_all(book, Sluid{1});
  book.adopt(Sluid{5}, kBatchStep, {.cpus = {0}, .row = 1}, {0});
  EXPECT_EQ(list(book.attempt(Sluid{6}, {.count = 1, .row = 1})), "1") << "what a restart found";
}

TEST(CpuBook, NoCpuHasMoreJobsThanThereAreRows) {
  Prng prng(23);
  constexpr std::uint32_t kRows = 3, kAll = 8;
  CpuBook book = book_of(1, kAll, 1);
  std::vector<std::uint32_t> free(kRows + 1, kAll);
  std::map<Sluid, std::pair<std::uint32_t, CpuNumbers>> running;
  for (std::uint64_t id = 1; id < 3000; ++id) {
    auto row = static_cast<std::uint32_t>(prng.between(1, kRows));
    auto count = static_cast<std::uint32_t>(prng.between(1, kAll / 2));
    if (free[row] < count) {
      auto [over, held] = *running.begin();
      free[held.first] += static_cast<std::uint32_t>(held.second.size());
      running.erase(over);
      end_all(book, over);
      continue;
    }
    CpuNumbers cpus = book.attempt(Sluid{id}, {.count = count, .row = row});
    ASSERT_EQ(cpus.size(), count);
    free[row] -= count;
    running[Sluid{id}] = {row, cpus};
    std::map<std::uint32_t, std::uint32_t> users;
    for (const auto& [sluid, held] : running)
      for (std::uint32_t cpu : held.second) EXPECT_LE(++users[cpu], kRows);
  }
}

TEST(CpuBook, WhoPretendsToHaveCpusChoosesNone) {
  CpuBook book({.topology = Topology::regular(1, 2, 1), .configured = 64});
  EXPECT_FALSE(book.chooses());
  EXPECT_TRUE(book.attempt(Sluid{1}, 4).empty());
  EXPECT_TRUE(book.step(Sluid{1}, kStep0, 4, false).empty());
}

TEST(CpuBook, WhereCoresAreCountedACpuIsAllItsThreads) {
  CpuBook book({.topology = Topology::regular(1, 4, 2), .configured = 4});
  EXPECT_EQ(list(book.attempt(Sluid{1}, 1)), "0,4");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 2)), "1-2,5-6");
}

TEST(CpuBook, SpecializedCoresAreKept) {
  CpuBook cores({.topology = Topology::regular(2, 2, 2), .configured = 8, .withheld_cores = 1});
  EXPECT_EQ(list(cores.attempt(Sluid{1}, 8)), "0-2,4-6");
  CpuBook listed({.topology = Topology::regular(2, 2, 2), .configured = 8, .withheld = {1}});
  EXPECT_EQ(list(listed.attempt(Sluid{1}, 8)), "1-3,5-7") << "both threads of the first core";
  CpuBook counted({.topology = Topology::regular(1, 4, 2), .configured = 4, .withheld = {1}});
  EXPECT_EQ(list(counted.attempt(Sluid{1}, 4)), "0,2-4,6-7") << "the second core";
}

TEST(CpuBook, TellsAbstractNumbersSocketBySocketCoreByCore) {
  CpuBook book = book_of(2, 2, 2);  // core n is CPUs n and n+4
  EXPECT_EQ(list(book.abstract(book.attempt(Sluid{1}, 2))), "0-1");
  book.attempt(Sluid{2}, 4);
  EXPECT_EQ(list(book.cpus_of(Sluid{2})), "2-3,6-7");
  EXPECT_EQ(list(book.abstract(book.cpus_of(Sluid{2}))), "4-7");
  EXPECT_EQ(list(book.cpus_of(Sluid{3})), "");
  CpuBook counted({.topology = Topology::regular(1, 4, 2), .configured = 4});
  EXPECT_EQ(list(counted.abstract(counted.attempt(Sluid{1}, 2))), "0-1");
}

TEST(CpuBook, CoresNearADeviceAreTakenFirst) {
  CpuBook book = book_of(2, 2, 2);  // core n is CPUs n and n+4
  EXPECT_EQ(list(book.attempt(Sluid{1}, 2, {2, 3})), "2,6");
  EXPECT_EQ(list(book.attempt(Sluid{2}, 4, {2, 3})), "0,3-4,7") << "and others, if they are few";
  EXPECT_EQ(list(book.attempt(Sluid{3}, 2, {2, 3})), "1,5") << "rather than shared ones";
  EXPECT_EQ(list(book.cores({0, 4, 7})), "0,3");
}

TEST(CpuBook, NobodySharesWhileThereIsRoom) {
  Prng prng(17);
  for (int round = 0; round < 300; ++round) {
    auto dice = [&](std::uint64_t most) {
      return static_cast<std::uint32_t>(1 + prng.below(most));
    };
    std::uint32_t sockets = dice(3), cores = dice(4), threads = dice(2);
    CpuBook book = book_of(sockets, cores, threads);
    std::uint32_t left = sockets * cores * threads;
    std::vector<std::uint32_t> seen(left, 0);
    for (std::uint64_t id = 1; left > 0; ++id) {
      std::uint32_t count = std::min(left, dice(6));
      CpuNumbers cpus = book.attempt(Sluid{id}, count);
      ASSERT_EQ(cpus.size(), count);
      for (std::uint32_t cpu : cpus) EXPECT_EQ(++seen[cpu], 1u);
      left -= count;
    }
  }
}

}  // namespace
}  // namespace ym::agent
