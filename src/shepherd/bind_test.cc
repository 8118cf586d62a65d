// SPDX-License-Identifier: Apache-2.0
#include "shepherd/bind.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "notation/cpu_list.h"

namespace ym {
namespace {

CpuNumbers allowed_now() {
  cpu_set_t set;
  CpuNumbers out;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (std::uint32_t n = 0; n < CPU_SETSIZE; ++n)
    if (CPU_ISSET(n, &set)) out.push_back(n);
  return out;
}

TEST(Bind, AProcessGetsItsCpusAndNoOthers) {
  CpuNumbers before = allowed_now();
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(bind_process({.cpus = print_cpu_list({before.back()})}), "");
  EXPECT_EQ(allowed_now(), CpuNumbers{before.back()});
  EXPECT_EQ(bind_process({.cpus = print_cpu_list(before)}), "");
  EXPECT_EQ(allowed_now(), before);
  EXPECT_EQ(bind_process({}), "");
  EXPECT_EQ(allowed_now(), before);
}

TEST(Bind, CpusThatAreNotThereAreNoReasonToFail) {
  CpuNumbers before = allowed_now();
  EXPECT_NE(bind_process({.cpus = "8000"}).find("cannot bind to CPUs 8000"), std::string::npos);
  EXPECT_EQ(allowed_now(), before);
}

TEST(Bind, TheNoticeNamesTheProcess) {
  EXPECT_EQ(notice_of({.notice = "a [%p]\nb [%p]\n"}, 17), "a [17]\nb [17]\n");
  EXPECT_EQ(notice_of({}, 17), "");
}

}  // namespace
}  // namespace ym
