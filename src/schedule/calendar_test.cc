// SPDX-License-Identifier: Apache-2.0
#include "schedule/calendar.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr Instant kNow{1'000'000};
Instant at(int minutes) { return kNow + std::chrono::minutes(minutes); }

std::uint64_t bits(ReservationFlag flag) { return static_cast<std::uint64_t>(flag); }

struct Book {
  State state;
  Reservation& add(const std::string& name, int from, int to, std::vector<ReservedNode> nodes) {
    std::uint32_t id = state.next_reservation_id++;
    Reservation& one = state.reservations.edit(id);
    one = {.id = {id},
           .name = name,
           .start = at(from),
           .end = at(to),
           .nodes = std::move(nodes),
           .users = "ada"};
    return one;
  }
  Calendar calendar() const { return Calendar(state, kNow); }
};

JobSpec job_of(const std::string& user, const std::string& reservation = "") {
  JobSpec spec{.user_name = user};
  spec.extras = Ref(JobExtras{.reservation = reservation});
  return spec;
}
Free node(std::uint32_t id) { return {.node = {id}, .cpus = 4, .cpus_total = 4}; }

bool open(const Calendar& calendar, const JobSpec& spec, std::uint32_t id, int minutes) {
  for (const Calendar::Stay& stay : calendar.stays(spec, kNow, at(minutes))) {
    Free free = node(id);
    if (calendar.clip(free, stay)) return true;
  }
  return false;
}

TEST(Calendar, KeepsJobsOutThatWouldRunIntoAReservation) {
  Book book;
  book.add("r", 60, 120, {{.node = {1}}});
  Calendar calendar = book.calendar();
  EXPECT_TRUE(open(calendar, job_of("eve"), 1, 60));
  EXPECT_FALSE(open(calendar, job_of("eve"), 1, 61));
  EXPECT_TRUE(open(calendar, job_of("eve"), 2, 600));
  EXPECT_EQ(calendar.turns(kNow), (std::vector<Instant>{at(60), at(120)}));
}

TEST(Calendar, AJobWithoutALimitCountsAsOneOfAYear) {
  constexpr int kYear = 365 * 24 * 60;
  Book book;
  book.add("soon", kYear - 1, kYear + 60, {{.node = {1}}});
  book.add("far", kYear, kYear + 60, {{.node = {2}}});
  Calendar calendar = book.calendar();
  auto open_for_ever = [&](std::uint32_t id) {
    Free free = node(id);
    return calendar.clip(free, calendar.stays(job_of("eve"), kNow, kNever).front());
  };
  EXPECT_FALSE(open_for_ever(1));
  EXPECT_TRUE(open_for_ever(2));
  EXPECT_FALSE(open(calendar, job_of("eve"), 2, kYear + 1)) << "who says that he stays longer";
}

TEST(Calendar, LetsItsUsersInWhileItIsActiveAndNowhereElse) {
  Book book;
  book.add("r", -10, 120, {{.node = {1}}});
  book.add("later", 60, 120, {{.node = {2}}});
  Calendar calendar = book.calendar();
  EXPECT_TRUE(open(calendar, job_of("ada", "r"), 1, 600));
  EXPECT_FALSE(open(calendar, job_of("ada", "r"), 3, 10));
  EXPECT_FALSE(open(calendar, job_of("eve", "r"), 1, 10));
  EXPECT_FALSE(open(calendar, job_of("ada", "later"), 2, 10));
  EXPECT_TRUE(open(calendar, job_of("ada", "later,r"), 1, 10));
  EXPECT_FALSE(open(calendar, job_of("ada", "gone"), 1, 10));
}

TEST(Calendar, FlexReachesBeyondItsNodesAndTimes) {
  Book book;
  book.add("r", 60, 120, {{.node = {1}}}).flags = bits(ReservationFlag::Flex);
  Calendar calendar = book.calendar();
  EXPECT_TRUE(open(calendar, job_of("ada", "r"), 1, 600));
  EXPECT_TRUE(open(calendar, job_of("ada", "r"), 7, 600));
}

TEST(Calendar, AMagneticOneDrawsItsUsersJobsIn) {
  Book book;
  book.add("r", -10, 120, {{.node = {1}}}).flags = bits(ReservationFlag::Magnetic);
  Calendar calendar = book.calendar();
  EXPECT_TRUE(calendar.is_personal());
  EXPECT_TRUE(open(calendar, job_of("ada"), 1, 60));
  EXPECT_TRUE(open(calendar, job_of("ada"), 2, 60));
  EXPECT_FALSE(open(calendar, job_of("eve"), 1, 60));
}

TEST(Calendar, AFloatingOneStaysAhead) {
  Book book;
  Reservation& one = book.add("r", 0, 60, {{.node = {1}}});
  one.flags = bits(ReservationFlag::TimeFloat);
  one.float_by = std::chrono::minutes(30);
  Calendar later(book.state, at(600));
  EXPECT_EQ(later.turns(at(600)), (std::vector<Instant>{at(630), at(690)}));
}

TEST(Calendar, CountsPartsOfNodesForBothSides) {
  Book book;
  book.add("r", -10, 120, {{.node = {1}, .cpus = 3, .whole = false}});
  Calendar calendar = book.calendar();
  auto cpus = [&](const JobSpec& spec) {
    Free free = node(1);
    EXPECT_TRUE(calendar.clip(free, calendar.stays(spec, kNow, at(10)).front()));
    return free.cpus;
  };
  EXPECT_EQ(cpus(job_of("eve")), 1u);
  EXPECT_EQ(cpus(job_of("ada", "r")), 3u);
  Allocation held{.nodes = {{.node = {1}, .cpus = 2}}, .reservation = "r"};
  calendar.count({7}, held);
  calendar.count({7}, held);
  EXPECT_EQ(cpus(job_of("ada", "r")), 1u);
  EXPECT_EQ(cpus(job_of("eve")), 3u);  // of what is free, and two are not
}

TEST(Calendar, LicencesAreTakenAllOrOneAndSomeAreKeptForOthers) {
  Book book;
  book.add("r", -10, 120, {}).licenses = "matlab:3";
  Calendar calendar = book.calendar();
  Licenses licenses{{"matlab", {.name = "matlab", .total = 4}},
                    {"ansys", {.name = "ansys", .total = 2}}};
  auto choice = [&](const char* text, const char* reservation = "") {
    JobSpec spec = job_of("ada", reservation);
    JobExtras extras = *spec.extras;
    extras.licenses = text;
    spec.extras = Ref(extras);
    return choose_licenses(spec, licenses, calendar, calendar.stays(spec, kNow, at(10)).front());
  };
  EXPECT_EQ(choice("matlab:1,ansys:2"), "matlab:1,ansys:2");
  EXPECT_EQ(choice("matlab:2"), std::nullopt);
  EXPECT_EQ(choice("matlab:4", "r"), "matlab:4");
  EXPECT_EQ(choice("matlab:2|ansys"), "ansys:1");
  EXPECT_EQ(choice(""), "");
  take_licenses("ansys:2", licenses);
  EXPECT_EQ(choice("ansys"), std::nullopt);
  EXPECT_TRUE(check_licenses("ansys:2|matlab", licenses));
  EXPECT_FALSE(check_licenses("ansys:3", licenses));
  EXPECT_FALSE(check_licenses("x", licenses));
  EXPECT_FALSE(check_licenses("ansys:0", licenses));
}

}  // namespace
}  // namespace ym
