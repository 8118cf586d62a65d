// SPDX-License-Identifier: Apache-2.0
// Reservations of generic resources: TRES=gres/gpu=2.
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/controller.h"
#include "model/node_gres.h"
#include "schedule/planner.h"

namespace ym {
namespace {

Caller user(std::string name) {
  std::uint32_t uid = name == "ada" ? 1000 : 1001;
  return {.uid = {uid}, .gid = {uid}, .user_name = std::move(name)};
}
Caller root() { return {.user_name = "root", .administrator = true}; }

ClusterConfig cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.gres_types = "gpu,tool";
  for (int i = 1; i <= 2; ++i)
    config.nodes.push_back(
        {.name = fmt::format("n{}", i), .cpus = 8, .cores_per_socket = 8, .gres = "gpu:4,tool:4"});
  config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
  return config;
}

class ReservedGres : public testing::Test {
 protected:
  ReservedGres() : controller(cluster(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(cluster(), now, out));
    controller.begin_watch(now, out);
    for (const char* node : {"n1", "n2"}) {
      NodeReport report{.node = node, .complete = true};
      report.registration = {.cpus = 8, .memory_mb = 1, .boot_time = {1}};
      report.registration.gres = {{.name = "gpu", .count = 4, .files = "/dev/g[0-3]"},
                                  {.name = "tool", .count = 4}};
      EXPECT_TRUE(controller.report(report, now, out));
    }
    settle();
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) planner.observe(event, controller.state());
    return taken;
  }
  // What it keeps: "n1 cpus=2 gpu:2(IDX:0-1)"; the refusal otherwise.
  std::string reserve(std::string tres, std::uint32_t nodes = 0, std::string named = "") {
    UpdateReservation wish{.create = true, .duration_s = 3600};
    wish.wanted = {.name = "r", .start = now, .node_text = std::move(named), .node_count = nodes};
    wish.wanted.users = "ada";
    wish.wanted.tres = std::move(tres);
    wish.changed = {"start", "users", "tres", "node_text", "node_count"};
    controller.update_reservation({1}, wish, root(), now, out);
    Answer answer = settle().replies.back().answer;
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    const Reservation& one = *controller.state().find_reservation("r");
    std::string text;
    for (const ReservedNode& node : one.nodes)
      text += fmt::format("{}n{} {} {}", text.empty() ? "" : "; ", node.node.value,
                          node.whole ? "whole" : fmt::format("cpus={}", node.cpus),
                          gres_detail_text(one.gres, node.node));
    return text;
  }
  // Submits, plans, and tells what it got: "n1 gpu:1(IDX:2)", or nothing.
  std::string run(const std::string& name, const std::string& gres, const char* reservation = "") {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.time_limit_s = 600;
    submit.spec.extras = Ref(JobExtras{.reservation = reservation, .gres = gres});
    controller.submit({1}, submit, user(name), now, out);
    Answer answer = settle().replies.back().answer;
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    JobId id = std::get<SubmitAnswer>(answer).job;
    controller.commit(planner.plan(controller.state(), now, {}), now, out);
    settle();
    const Job& job = controller.state().jobs.at(id.value);
    if (job.state != JobState::Running) return "waits";
    NodeId node = job.allocation->nodes.front().node;
    return fmt::format("n{} {}", node.value, gres_detail_text(*job.allocation->gres, node));
  }

  Instant now{1'795'392'000'000};
  Controller controller;
  Planner planner;
  Outbox out;
};

TEST_F(ReservedGres, AreFoundOnAsManyNodesAsItTakes) {
  EXPECT_EQ(reserve("gpu:6"), "n1 cpus=4 gpu:4(IDX:0-3); n2 cpus=2 gpu:2(IDX:0-1)");
}

TEST_F(ReservedGres, MayBeAskedForByNode) {
  EXPECT_EQ(reserve("each:gpu:1,tool:2", 2),
            "n1 cpus=1 gpu:1(IDX:0),tool(CNT:2); n2 cpus=1 gpu:1(IDX:0),tool(CNT:2)");
}

TEST_F(ReservedGres, MoreThanThereAreAreRefused) {
  EXPECT_EQ(reserve("gpu:9"), "Requested nodes are busy");
  EXPECT_EQ(reserve("shard:1"), "Invalid generic resource (gres) specification");
}

TEST_F(ReservedGres, AreKeptFromOthersAndNothingElseIs) {
  EXPECT_EQ(reserve("gpu:3,tool:4", 0, "n1"), "n1 cpus=3 gpu:3(IDX:0-2),tool(CNT:4)");
  EXPECT_EQ(run("bob", "gpu:4"), "n2 gpu:4(IDX:0-3)");
  EXPECT_EQ(run("bob", "gpu:1"), "n1 gpu:1(IDX:3)");
  EXPECT_EQ(run("bob", "gpu:1"), "waits");
  EXPECT_EQ(run("bob", "tool:4"), "n2 tool(CNT:4)");
  EXPECT_EQ(run("bob", "tool:1"), "waits");
}

TEST_F(ReservedGres, AreAllThatTheReservationsJobsGet) {
  EXPECT_EQ(reserve("gpu:2,tool:1", 0, "n1"), "n1 cpus=2 gpu:2(IDX:0-1),tool(CNT:1)");
  EXPECT_EQ(run("ada", "gpu:1", "r"), "n1 gpu:1(IDX:0)");
  EXPECT_EQ(run("bob", "gpu:2"), "n1 gpu:2(IDX:2-3)");
  EXPECT_EQ(run("ada", "gpu:2", "r"), "waits");
  EXPECT_EQ(run("ada", "gpu:1,tool:1", "r"), "n1 gpu:1(IDX:1),tool(CNT:1)");
}

}  // namespace
}  // namespace ym
