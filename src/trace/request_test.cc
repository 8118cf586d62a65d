// SPDX-License-Identifier: Apache-2.0
#include "trace/request.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

struct RequestsTest : testing::Test {
  Workload workload{.users = {"ada"}, .partitions = {"main"}};
  Machine machine{.config = {}, .as_configured = true};
  State state;

  RequestsTest() {
    machine.config.nodes = {NodeSpec{.name = "n1", .cpus = 8, .memory_mb = 8000}};
    state.licenses = Ref(Licenses{{"matlab", {.name = "matlab", .total = 4}}});
  }
};

TEST_F(RequestsTest, MemoryIsThatOfEachNodeWhereTheTraceTellsHowManyThereWere) {
  Requests requests(workload, machine, state);
  JobSpec spec = requests.of({.procs = 3, .nodes = 1, .memory_mb = 8000}).spec;
  EXPECT_EQ(spec.memory_per_node_mb, 8000u);
  EXPECT_EQ(spec.memory_per_cpu_mb, 0u);
  spec = requests.of({.procs = 3, .memory_mb = 7000}).spec;
  EXPECT_EQ(spec.memory_per_node_mb, 0u);
  EXPECT_EQ(spec.memory_per_cpu_mb, 2334u);
  spec = requests.of({.procs = 3}).spec;
  EXPECT_EQ(spec.memory_per_node_mb + spec.memory_per_cpu_mb, 0u);
}

TEST_F(RequestsTest, QosAndAccountArePassedOn) {
  workload.qos = {"normal", "urgent"};
  workload.accounts = {"physics"};
  Requests requests(workload, machine, state);
  EXPECT_EQ(requests.of({.procs = 1, .qos = 2, .account = 1}).spec.qos, "urgent");
  EXPECT_EQ(requests.of({.procs = 1, .account = 1}).spec.account, "physics");
  EXPECT_EQ(requests.of({.procs = 1}).spec.account, "");
}

TEST_F(RequestsTest, LicensesThatThereAreAreAskedForAndOthersCounted) {
  workload.licenses = {"matlab:2", "matlab:1,ansys"};
  Requests requests(workload, machine, state);
  EXPECT_EQ(requests.of({.procs = 1, .licenses = 1}).spec.extras->licenses, "matlab:2");
  EXPECT_EQ(requests.of({.procs = 1, .licenses = 2}).spec.extras->licenses, "");
  EXPECT_EQ(requests.ignored().back(), "licenses of 1 job (not in the configuration)");
}

}  // namespace
}  // namespace ym::trace
