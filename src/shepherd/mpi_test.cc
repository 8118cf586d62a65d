// SPDX-License-Identifier: Apache-2.0
#include "shepherd/mpi.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ym {
namespace {

using std::string_literals::operator""s;

TEST(Mpi, ItsVariablesReplaceTheUsers) {
  EXPECT_EQ(override_environment("A=1\0PMI_FD=7\0B=2\0"s, "PMI_FD=9\0"s), "A=1\0B=2\0PMI_FD=9\0"s);
  EXPECT_EQ(override_environment("A=1"s, ""s), "A=1\0"s);
}

TEST(Mpi, NoneIsNothingAndTheUnknownIsNamed) {
  ShepherdOrder order{.mpi = "none", .shares = {{.tasks = 1}}};
  EXPECT_EQ(make_mpi(order, {}).value(), nullptr);
  order.mpi = "carrier-pigeon";
  EXPECT_EQ(make_mpi(order, {}).error().text, "--mpi=carrier-pigeon is not known here");
}

std::string said_on(int fd) {
  char buffer[256];
  ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
  return {buffer, got > 0 ? static_cast<std::size_t>(got) : 0};
}

TEST(Mpi, APmi1BarrierWaitsForTheOtherNode) {
  ShepherdOrder order{.mpi = "pmi1",
                      .shares = {{.first_task = 0, .tasks = 1}, {.first_task = 1, .tasks = 1}}};
  std::vector<StepFence> fences;
  auto mpi = make_mpi(order, {.fence = [&](const StepFence& one) { fences.push_back(one); },
                              .abort = [](const StepAbort&) {}})
                 .value();
  auto part = mpi->part_of(0);
  ASSERT_GE(part.fd, 0);
  EXPECT_NE(part.environment.find("PMI_RANK=0"), std::string::npos);
  EXPECT_NE(part.environment.find("PMI_SIZE=2"), std::string::npos);
  int task = ::dup(part.fd);
  mpi->started(0);
  ASSERT_EQ(::write(task, "cmd=barrier_in\n", 15), 15);
  mpi->turn();
  ASSERT_EQ(fences.size(), 1u);
  EXPECT_EQ(said_on(task), "");
  mpi->repeat();
  ASSERT_EQ(fences.size(), 2u);
  EXPECT_EQ(fences[1].key, fences[0].key);
  mpi->take({.key = fences[0].key});
  EXPECT_EQ(said_on(task), "cmd=barrier_out\n");
  ::close(task);
  mpi->turn();
}

}  // namespace
}  // namespace ym
