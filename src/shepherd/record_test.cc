// SPDX-License-Identifier: Apache-2.0
#include "shepherd/record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/address.h"

namespace ym {
namespace {

std::string whole() {
  return encode_part(ShepherdOrder{.job = JobId{7}, .step = StepId{2}}) +
         encode_part(StartedMark{.pid = 42}) +
         encode_part(ShepherdResult{.exit = {.code = 3, .signal = 0}, .error = "late"});
}

TEST(Record, TellsWhatWasAppendedToIt) {
  auto record = decode_record(whole());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->order.job, JobId{7});
  ASSERT_TRUE(record->started);
  EXPECT_EQ(record->started->pid, 42u);
  ASSERT_TRUE(record->result);
  EXPECT_EQ(record->result->error, "late");
}

TEST(Record, APartThatIsCutOffWasNotWritten) {
  std::string bytes = whole();
  std::size_t order = encode_part(ShepherdOrder{.job = JobId{7}, .step = StepId{2}}).size();
  std::size_t started = order + encode_part(StartedMark{.pid = 42}).size();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto record = decode_record(std::string_view(bytes).substr(0, size));
    ASSERT_EQ(record.has_value(), size >= order) << size;
    if (!record) continue;
    EXPECT_EQ(record->started.has_value(), size >= started) << size;
    EXPECT_FALSE(record->result) << size;
  }
}

TEST(Record, WhatIsToldLaterCounts) {
  std::string bytes = whole() + encode_part(ShepherdResult{.exit = {.code = 9, .signal = 0}});
  EXPECT_EQ(decode_record(bytes)->result->exit.code, 9);
}

// A full disk lets part of a part through.
TEST(Record, HalfAPartIsTakenBack) {
  std::string path = "/tmp/record_test." + std::to_string(::getpid());
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ::unlink(path.c_str());
  std::string order = encode_part(ShepherdOrder{.job = JobId{7}});
  ASSERT_TRUE(append_part(fd.get(), order));
  pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{.rlim_cur = order.size() + 3, .rlim_max = order.size() + 3};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(append_part(fd.get(), encode_part(StartedMark{.pid = 42})) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(::lseek(fd.get(), 0, SEEK_END), static_cast<off_t>(order.size()));
}

}  // namespace
}  // namespace ym
