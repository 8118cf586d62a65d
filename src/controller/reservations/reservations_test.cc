// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/queries/reservations.h"
#include "controller/queries/rows.h"
#include "model/apply.h"
#include "model/errc.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr std::chrono::minutes kMinute{1};
Caller ada() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }
Caller bob() { return {.uid = {1001}, .gid = {1001}, .user_name = "bob"}; }
Caller root() { return {.user_name = "root", .administrator = true}; }

std::uint64_t bits(ReservationFlag flag) { return static_cast<std::uint64_t>(flag); }

ClusterConfig cluster() {
  ClusterConfig config;
  config.cluster_name = "c";
  config.licenses = "matlab:4,ansys";
  for (int i = 1; i <= 2; ++i)
    config.nodes.push_back({.name = fmt::format("n{}", i), .cpus = 4, .cores_per_socket = 4});
  config.partitions = {{.name = "main", .nodes = "n[1-2]", .is_default = true}};
  return config;
}

class ReservationsTest : public testing::Test {
 protected:
  ReservationsTest() : controller(cluster(), {}), planner({}) {
    EXPECT_TRUE(controller.configure(cluster(), now, out));
    controller.begin_watch(now, out);
    for (const char* node : {"n1", "n2"}) hear(node);
    settle();
  }
  void hear(const char* node) {
    NodeReport report{.node = node, .complete = true};
    report.registration = {.cpus = 4, .memory_mb = 1, .boot_time = {1}};
    EXPECT_TRUE(controller.report(report, now, out));
  }
  Outbox settle() {
    Outbox taken = std::exchange(out, {});
    for (const Event& event : taken.events) {
      apply(replayed, event);
      planner.observe(event, controller.state());
    }
    EXPECT_EQ(replayed.reservations.size(), controller.state().reservations.size());
    return taken;
  }
  // The answer's text; "" where all went well.
  std::string change(UpdateReservation update, const Caller& caller = root()) {
    controller.update_reservation({1}, update, caller, now, out);
    Answer answer = settle().replies.back().answer;
    const auto* failure = std::get_if<Failure>(&answer);
    return failure ? failure->text : "";
  }
  static UpdateReservation wish(const char* name, Instant start, int minutes, const char* nodes) {
    UpdateReservation out{.create = true, .duration_s = minutes * 60};
    out.wanted = {.name = name, .start = start, .node_text = nodes, .users = "ada"};
    out.changed = {"start", "node_text", "users"};
    return out;
  }
  // The job's number, or the refusal.
  std::string submit(const Caller& caller, const char* reservation, int minutes,
                     const char* licenses = "") {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    submit.spec.time_limit_s = static_cast<std::uint32_t>(minutes * 60);
    submit.spec.min_nodes = 2;
    submit.spec.tasks = 2;
    submit.spec.extras = Ref(JobExtras{.reservation = reservation, .licenses = licenses});
    controller.submit({1}, submit, caller, now, out);
    Answer answer = settle().replies.back().answer;
    if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
    return fmt::format("{}", std::get<SubmitAnswer>(answer).job.value);
  }
  void run() {
    controller.tick(now, out);
    settle();
    Plan plan = planner.plan(controller.state(), now, {});
    verdicts = plan.verdicts;
    controller.commit(plan, now, out);
    settle();
  }
  std::string state_of(std::uint32_t job) {
    JobRow row = job_row(controller.state(), controller.state().jobs.at(job), verdicts, now);
    return fmt::format("{} {}", short_name_of(row.job.state), name_of(row.reason));
  }
  void pass(int minutes) {
    for (int i = 0; i < minutes; ++i) {
      now = now + kMinute;
      hear("n1");
      hear("n2");
      run();
    }
  }

  Instant now{1'795'392'000'000};
  Controller controller;
  Planner planner;
  Outbox out;
  State replayed;
  Verdicts verdicts;
};

TEST_F(ReservationsTest, JobsDoNotRunIntoOneAndItsUsersRunInIt) {
  EXPECT_EQ(change(wish("r", now + 10 * kMinute, 20, "n1")), "");
  EXPECT_EQ(submit(bob(), "", 10), "1");
  EXPECT_EQ(submit(bob(), "", 11), "2");
  EXPECT_EQ(submit(bob(), "r", 5), "Access denied to requested reservation");
  EXPECT_EQ(submit(ada(), "x", 5), "Requested reservation is invalid");
  run();
  EXPECT_EQ(state_of(1), "R None");
  EXPECT_EQ(state_of(2), "PD Resources");
}

TEST_F(ReservationsTest, AJobWaitsForItsReservationAndEndsWithIt) {
  EXPECT_EQ(change(wish("r", now + 2 * kMinute, 3, "n[1-2]")), "");
  EXPECT_EQ(submit(ada(), "r", 60), "1");
  run();
  EXPECT_EQ(state_of(1), "PD Reservation");
  EXPECT_EQ(planner.next_begin(now), now + 2 * kMinute);
  pass(2);
  EXPECT_EQ(state_of(1), "R None");
  UpdateReservation gone{.wanted = {.name = "r"}, .remove = true};
  EXPECT_EQ(change(gone), "Requested reservation is in use");
  pass(3);
  EXPECT_EQ(state_of(1), "TO TimeLimit");
  EXPECT_TRUE(controller.state().reservations.empty());
}

TEST_F(ReservationsTest, MaintenanceIsToldAndShown) {
  UpdateReservation maint = wish("m", now, 60, "ALL");
  maint.flags_added = bits(ReservationFlag::Maint);
  EXPECT_EQ(change(maint), "");
  EXPECT_EQ(submit(bob(), "", 5), "1");
  run();
  EXPECT_EQ(state_of(1), "PD ReqNodeNotAvail");
  NodeRow row = node_row(controller.state(), *controller.state().find_node("n1"));
  mark_reservation(row, controller.state(), now);
  EXPECT_EQ(state_compact(row.node), "maint");
  EXPECT_EQ(state_long(row.node), "IDLE+MAINTENANCE+RESERVED");
  EXPECT_EQ(flags_text(*controller.state().find_reservation("m")), "MAINT,SPEC_NODES,ALL_NODES");
}

TEST_F(ReservationsTest, BadWishesAreRefused) {
  EXPECT_EQ(change(wish("r", now, 5, "n9")), "Invalid node name specified");
  EXPECT_EQ(change(wish("r", now, 5, "n1"), ada()), "Invalid user id");
  EXPECT_EQ(change(wish("r", now - 5 * kMinute, 9, "n1")), "Invalid time specified");
  EXPECT_EQ(change(wish("r", now, 5, "n1")), "");
  EXPECT_EQ(change(wish("r", now, 5, "n2")), "Duplicate reservation name");
  EXPECT_EQ(change(wish("s", now, 5, "n1")),
            "Requested reservation overlaps with another reservation");
  UpdateReservation counted = wish("s", now, 5, "");
  counted.wanted.node_count = 2;
  counted.changed = {"start", "node_count", "users"};
  EXPECT_EQ(change(counted), "Requested nodes are busy");
  counted.wanted.node_count = 1;
  counted.wanted.name = "";
  EXPECT_EQ(change(counted), "");
  EXPECT_NE(controller.state().find_reservation("ada_2"), nullptr);
}

TEST_F(ReservationsTest, RunningJobsKeepOneAwayUnlessTheyAreIgnored) {
  EXPECT_EQ(submit(bob(), "", 30), "1");
  run();
  EXPECT_EQ(change(wish("r", now + kMinute, 5, "n1")), "Requested nodes are busy");
  EXPECT_EQ(change(wish("late", now + 30 * kMinute, 5, "n1")), "");
  UpdateReservation rude = wish("r", now + kMinute, 5, "n1");
  rude.flags_added = bits(ReservationFlag::IgnoreJobs);
  EXPECT_EQ(change(rude), "");
}

TEST_F(ReservationsTest, OneThatComesAgainIsOverByThen) {
  UpdateReservation daily = wish("d", now, 2, "n1");
  daily.flags_added = bits(ReservationFlag::Daily);
  daily.duration_s = 24 * 3600 + 60;
  EXPECT_EQ(change(daily), "Invalid time specified: it would not be over when it comes again");
  daily.duration_s = 24 * 3600;
  EXPECT_EQ(change(daily), "");
  UpdateReservation longer{.wanted = {.name = "d"}};
  longer.duration_s = 48 * 3600;
  EXPECT_NE(change(longer), "");
}

TEST_F(ReservationsTest, ADailyOneMovesOnAndOthersHoldTheJobsThatWaited) {
  UpdateReservation daily = wish("d", now, 2, "n1");
  daily.flags_added = bits(ReservationFlag::Daily);
  EXPECT_EQ(change(daily), "");
  Instant start = controller.state().find_reservation("d")->start;
  EXPECT_EQ(change(wish("r", now, 1, "n2")), "");
  EXPECT_EQ(submit(ada(), "r", 1), "1");  // two nodes, where it has one
  pass(2);
  EXPECT_EQ(controller.state().find_reservation("d")->start, start + std::chrono::hours(24));
  EXPECT_EQ(controller.state().find_reservation("r"), nullptr);
  EXPECT_EQ(state_of(1), "PD ReservationDeleted");
}

TEST_F(ReservationsTest, CoresOfANodeArePartOfOne) {
  UpdateReservation cores = wish("r", now, 60, "");
  cores.wanted.core_count = 6;
  cores.changed = {"start", "core_count", "users"};
  EXPECT_EQ(change(cores), "");
  ReservationRow row = reservation_rows(controller.state(), "r", now).rows.at(0);
  EXPECT_EQ(row.nodes, "n[1-2]");
  EXPECT_EQ(row.cores, 6u);
  EXPECT_FALSE(row.reservation.nodes[1].whole);
}

TEST_F(ReservationsTest, LicencesAreTakenGivenBackAndWaitedFor) {
  EXPECT_EQ(submit(ada(), "", 5, "x"), "Invalid license specification");
  EXPECT_EQ(submit(ada(), "", 5, "matlab:5"), "Invalid license specification");
  EXPECT_EQ(submit(ada(), "", 5, "matlab:3,ansys"), "1");
  EXPECT_EQ(submit(ada(), "", 5, "matlab:2"), "2");
  EXPECT_EQ(submit(ada(), "", 5, "matlab:2|ansys"), "3");
  run();
  EXPECT_EQ(state_of(1), "R None");
  EXPECT_EQ(state_of(2), "PD Licenses");
  EXPECT_EQ(state_of(3), "PD Licenses");
  LicenseRows rows = license_rows(controller.state(), "", now);
  ASSERT_EQ(rows.rows.size(), 2u);
  EXPECT_EQ(rows.rows[1].license.used, 3u);
  EXPECT_EQ(rows.rows[1].license.free(), 1u);
  AlterJobs cancel{.verb = JobVerb::Cancel, .filter = {.targets = {{.job = {1}}}}};
  controller.alter({1}, cancel, ada(), now, out);
  settle();
  EXPECT_EQ(license_rows(controller.state(), "matlab", now).rows.at(0).license.used, 0u);
  run();
  EXPECT_EQ(state_of(2), "R None");
  EXPECT_EQ(controller.state().jobs.at(3).allocation->licenses, "matlab:2");
}

TEST_F(ReservationsTest, ANewConfigurationChangesTheNumberOfLicences) {
  EXPECT_EQ(submit(ada(), "", 5, "ansys"), "1");
  run();
  ClusterConfig config = cluster();
  config.licenses = "matlab:9";
  ASSERT_TRUE(controller.configure(config, now, out));
  settle();
  EXPECT_EQ(controller.state().licenses->at("matlab").total, 9u);
  EXPECT_EQ(controller.state().licenses->at("ansys").total, 0u);  // still held
  EXPECT_EQ(submit(ada(), "", 5, "ansys"), "Invalid license specification");
}

TEST_F(ReservationsTest, ReplaceKeepsIdleNodesAndReplacesThoseThatJobsTook) {
  UpdateReservation update = wish("r", now, 60, "");
  update.wanted.node_count = 1;
  update.changed.push_back("node_count");
  update.wanted.flags = bits(ReservationFlag::Replace);
  update.flags_added = bits(ReservationFlag::Replace);
  EXPECT_EQ(change(update), "");
  auto node = [&] { return controller.state().find_reservation("r")->nodes.at(0).node; };
  EXPECT_EQ(node(), NodeId{1});
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.time_limit_s = 600;
  submit.spec.extras = Ref(JobExtras{.reservation = "r"});
  controller.submit({1}, submit, ada(), now, out);
  settle();
  run();
  EXPECT_EQ(state_of(1), "R None");
  now = now + kMinute;
  hear("n1");
  hear("n2");
  run();
  EXPECT_EQ(node(), NodeId{2}) << "the job has taken node 1";
}

TEST_F(ReservationsTest, PartNodesFollowsItsPartition) {
  UpdateReservation update = wish("r", now, 60, "ALL");
  update.wanted.partition = "main";
  update.changed.push_back("partition");
  update.wanted.flags = update.flags_added = bits(ReservationFlag::PartNodes);
  EXPECT_EQ(change(update), "");
  EXPECT_EQ(controller.state().find_reservation("r")->nodes.size(), 2u);
  ClusterConfig smaller = cluster();
  smaller.partitions[0].nodes = "n2";
  EXPECT_TRUE(controller.configure(smaller, now, out));
  settle();
  run();
  const Reservation* one = controller.state().find_reservation("r");
  ASSERT_EQ(one->nodes.size(), 1u);
  EXPECT_EQ(one->nodes[0].node, NodeId{2});
}

TEST_F(ReservationsTest, ACountTakesNodesAwayAndAddsThem) {
  EXPECT_EQ(change(wish("r", now + kMinute, 60, "n[1-2]")), "");
  auto count = [&](std::uint32_t nodes) {
    UpdateReservation update{.wanted = {.name = "r", .node_count = nodes},
                             .changed = {"node_count"}};
    EXPECT_EQ(change(update), "");
    std::string names;
    for (const ReservedNode& one : controller.state().find_reservation("r")->nodes)
      names += controller.state().find(one.node)->spec->name;
    return names;
  };
  EXPECT_EQ(count(1), "n2");
  EXPECT_EQ(count(2), "n1n2");
  UpdateReservation any{.wanted = {.name = "r"}, .changed = {"node_text"}};
  EXPECT_EQ(change(any), "");
  EXPECT_EQ(controller.state().find_reservation("r")->nodes.size(), 2u);
  EXPECT_FALSE(controller.state().find_reservation("r")->has(ReservationFlag::SpecNodes));
}

TEST_F(ReservationsTest, NodesThatAreNamedNeedNoFeatures) {
  UpdateReservation update = wish("r", now, 60, "n1");
  update.wanted.features = "nosuch";
  update.changed.push_back("features");
  EXPECT_EQ(change(update), "");
  EXPECT_EQ(controller.state().find_reservation("r")->nodes.size(), 1u);
}

TEST_F(ReservationsTest, NamesAreAllOfOneKind) {
  auto create = [&](const std::string& users, const std::string& accounts) {
    UpdateReservation update = wish("r", now, 60, "n1");
    update.wanted.users = users;
    update.wanted.accounts = accounts;
    update.changed.push_back("accounts");
    return change(update);
  };
  EXPECT_EQ(create("ada,-bob", ""), text_of(Errc::InvalidUserId));
  EXPECT_EQ(create("+ada", ""), text_of(Errc::InvalidUserId));
  EXPECT_EQ(create("", "physics,-chemistry"),
            "Invalid account or account/partition combination specified");
  EXPECT_EQ(create("-ada,-bob", ""), "");
}

TEST_F(ReservationsTest, NodesThatAreCountedAreAPartitions) {
  UpdateReservation update = wish("r", now, 60, "");
  update.wanted.node_count = 1;
  update.changed.push_back("node_count");
  EXPECT_EQ(change(update), "");
  EXPECT_EQ(controller.state().find_reservation("r")->partition, "main");
}

TEST_F(ReservationsTest, APartitionMayAskForOne) {
  ClusterConfig config = cluster();
  config.partitions[0].req_resv = true;
  EXPECT_TRUE(controller.configure(config, now, out));
  settle();
  EXPECT_EQ(submit(ada(), "", 5), text_of(Errc::AccessDenied));
  EXPECT_EQ(change(wish("r", now, 60, "n[1-2]")), "");
  EXPECT_EQ(submit(ada(), "r", 5), "1");
}

TEST_F(ReservationsTest, AForecastCountsLicences) {
  EXPECT_EQ(submit(ada(), "", 10, "matlab:3"), "1");
  run();
  SubmitJob test;
  test.test_only = true;
  test.spec.time_limit_s = 60;
  test.spec.extras = Ref(JobExtras{.licenses = "matlab:2"});
  controller.submit({1}, test, ada(), now, out);
  EXPECT_EQ(std::get<SubmitAnswer>(settle().replies.back().answer).expected_start,
            now + std::chrono::minutes(10));
}

}  // namespace
}  // namespace ym
