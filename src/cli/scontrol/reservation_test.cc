// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/reservation.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

constexpr Instant kNow{1'795'392'000'500};

Result<UpdateReservation> made(const Words& words, const ReservationRow& known = {},
                               bool create = true) {
  return reservation_update(parse_assignments(words).value(), known, kNow, create);
}
std::string trouble(const Words& words) {
  auto update = made(words);
  return update ? "" : update.error().text;
}

TEST(ScontrolReservation, IsAskedForInSlurmsWords) {
  auto update = made({"reservation=r", "starttime=now+60", "duration=30", "nodes=n[1-2]",
                      "users=ada,bob", "flags=maint,daily", "licenses=matlab:2"})
                    .value();
  EXPECT_EQ(update.wanted.name, "r");
  EXPECT_EQ(update.wanted.start, (Instant{1'795'392'060'000}));
  EXPECT_EQ(update.duration_s, 1800);
  EXPECT_EQ(update.wanted.node_text, "n[1-2]");
  EXPECT_EQ(update.flags_added, static_cast<std::uint64_t>(ReservationFlag::Maint) |
                                    static_cast<std::uint64_t>(ReservationFlag::Daily));
  auto tres = made({"starttime=now", "duration=5", "users=ada", "tres=node=2,license/matlab=1"});
  ASSERT_TRUE(tres);
  EXPECT_EQ(tres->wanted.node_count, 2u);
  EXPECT_EQ(tres->wanted.licenses, "matlab:1");
  auto gres = made({"starttime=now", "duration=5", "users=ada", "tres=gres/gpu:a100=4,bb/cray=8"});
  ASSERT_TRUE(gres);
  EXPECT_EQ(gres->wanted.tres, "gpu:a100:4");
  EXPECT_EQ(gres->wanted.burst_buffer, "cray:8M");
  auto each =
      made({"starttime=now", "duration=5", "users=ada", "tresPerNode=gres/gpu=1", "nodecnt=2"});
  ASSERT_TRUE(each);
  EXPECT_EQ(each->wanted.tres, "each:gpu:1");
}

TEST(ScontrolReservation, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(trouble({}), "scontrol: error: A start time must be given.  No reservation created.");
  EXPECT_EQ(trouble({"starttime=now", "duration=5", "users=root"}),
            "scontrol: error: CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be "
            "specified.  No reservation created.");
  EXPECT_EQ(trouble({"starttime=now", "duration=x", "users=root", "nodes=n1"}),
            "scontrol: error: Invalid duration duration=x.  No reservation created.");
  EXPECT_EQ(trouble({"starttime=now", "duration=5", "nodes=n1"}),
            "scontrol: error: Either Users/Groups and/or Accounts must be specified.  No "
            "reservation created.");
  EXPECT_EQ(trouble({"starttime=now", "duration=5", "nodes=n1", "users=root", "flags=x"}),
            "scontrol: error: Error parsing flags x.  No reservation created.");
}

TEST(ScontrolReservation, ListsGrowAndShrink) {
  ReservationRow known{.reservation = {.name = "r",
                                       .start = Instant{1'000'000},
                                       .end = Instant{1'600'000},
                                       .users = "ada,bob"},
                       .nodes = "n[1-3]"};
  auto update =
      made({"reservation=r", "users+=eve", "nodes-=n2", "flags+=flex", "duration+=5"}, known, false)
          .value();
  EXPECT_EQ(update.wanted.users, "ada,bob,eve");
  EXPECT_EQ(update.wanted.node_text, "n[1,3]");
  EXPECT_EQ(update.duration_s, 900);
  EXPECT_EQ(made({"reservation=r", "users-=ada"}, known, false)->wanted.users, "bob");
}

TEST(ScontrolReservation, SignsChangeNames) {
  struct Row {
    const char *had, *said, *made;
  };
  for (const Row& row :
       {Row{"ada", "users=+bob", "ada,bob"}, Row{"ada", "users=bob", "bob"},
        Row{"ada,bob", "users=-ada", "bob"}, Row{"ada", "users=+bob,-ada", "bob"},
        Row{"ada", "users+=ada,bob", "ada,bob"}, Row{"ada", "users=-bob", "ada"},
        Row{"-ada", "users-=bob", "-ada,-bob"}, Row{"-ada,-bob", "users=+bob", "-ada"},
        Row{"", "users=-ada,-bob", "-ada,-bob"}, Row{"ada", "users=", ""},
        Row{"ada", "users=bob,-ada", "bob,-ada"}}) {
    ReservationRow known{.reservation = {.name = "r", .users = row.had}};
    auto update = made({"reservation=r", row.said}, known, false);
    ASSERT_TRUE(update) << row.said;
    EXPECT_EQ(update->wanted.users, row.made) << row.had << " and " << row.said;
  }
  ReservationRow known{.reservation = {.name = "r", .accounts = "physics"}};
  EXPECT_FALSE(made({"reservation=r", "accounts-=chemistry"}, known, false));
  Words create{"starttime=now", "duration=5", "nodes=n1", "users-=ada,bob"};
  EXPECT_EQ(made(create)->wanted.users, "-ada,-bob");
}

TEST(ScontrolReservation, IsShownAsSlurmShowsIt) {
  ReservationRow row{.reservation = {.name = "maint1",
                                     .start = Instant{1'000'000},
                                     .end = Instant{4'600'000},
                                     .flags = 1,
                                     .nodes = {{.node = {3}}},
                                     .users = "root"},
                     .nodes = "n3",
                     .cores = 4,
                     .cpus = 4};
  std::string text = reservation_record(row, Instant{2'000'000}, true);
  EXPECT_NE(text.find("Duration=01:00:00 Nodes=n3 NodeCnt=1 CoreCnt=4 Features=(null) "
                      "PartitionName=(null) Flags=MAINT TRES=cpu=4 Users=root Groups=(null) "
                      "Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null) "
                      "MaxStartDelay=(null)"),
            std::string::npos)
      << text;
  LicenseRow license{.license = {.name = "matlab", .total = 4, .used = 1}, .reserved = 2};
  EXPECT_EQ(license_record(license, false),
            "LicenseName=matlab\n    Total=4 Used=1 Free=3 Reserved=2 Remote=no\n");
}

TEST(ScontrolJobKeys, TheRarerOnesChangeTheirFields) {
  auto made = job_update(
      parse_assignments({"JobId=7", "Licenses=matlab:2", "MinMemoryNode=50", "NtasksPerNode=3",
                         "Contiguous=yes", "TimeMin=5", "Switches=2@10", "TimeLimit=+5"})
          .value(),
      kNow);
  ASSERT_TRUE(made) << made.error().text;
  const JobPatch& patch = made->patch;
  EXPECT_EQ(patch.licenses, "matlab:2");
  EXPECT_EQ(patch.memory_per_node_mb, 50u);
  EXPECT_EQ(patch.tasks_per_node, 3u);
  EXPECT_EQ(patch.contiguous, true);
  EXPECT_EQ(patch.time_min_s, 300u);
  EXPECT_EQ(patch.switch_wait_s, 600u);
  EXPECT_EQ(patch.time_limit_change_s, 300);
  auto bad = job_update(parse_assignments({"JobId=7", "minmemorynode=x"}).value(), kNow);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().text, "scontrol: error: Invalid MinMemoryNode value: x");
}

}  // namespace
}  // namespace ym::cli
