// SPDX-License-Identifier: Apache-2.0
#include "notation/oci_pattern.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

const OciPatternValues kValues{.command = {"/bin/echo", "it's", ""},
                               .bundle = "/spool/7/task-2",
                               .environment_file = "/spool/7/environment",
                               .job = 7,
                               .spool = "/spool/7",
                               .node = "n1",
                               .pid = 99,
                               .rootfs = "/images/rootfs",
                               .step = 0,
                               .task = 2,
                               .user = "ann",
                               .uid = 1000,
                               .work_dir = "/home/ann"};

TEST(OciPattern, EveryLetterMeansSomething) {
  EXPECT_EQ(expand_oci_pattern("run -b %b %n.%u.%j.%s.%t", kValues),
            "run -b /spool/7/task-2 n1.ann.7.0.2");
  EXPECT_EQ(expand_oci_pattern("%e|%m|%p|%r|%U|%Z|100%%", kValues),
            "/spool/7/environment|/spool/7|99|/images/rootfs|1000|/home/ann|100%");
  EXPECT_EQ(expand_oci_pattern("exec %r %@", kValues),
            R"(exec /images/rootfs '/bin/echo' 'it'\''s' '')");
  EXPECT_EQ(expand_oci_pattern("%q %", kValues), "%q %");
}

TEST(OciPattern, ALetterThatMeansNothingIsRefused) {
  EXPECT_TRUE(check_oci_pattern("a %% %@ %b %e %j %m %n %r %s %t %u %U %Z", false));
  EXPECT_FALSE(check_oci_pattern("kill %p", false));
  EXPECT_TRUE(check_oci_pattern("kill %p", true));
  EXPECT_FALSE(check_oci_pattern("%q", true));
  EXPECT_FALSE(check_oci_pattern("100%", true));
}

}  // namespace
}  // namespace ym
