// SPDX-License-Identifier: Apache-2.0
#include "model/job_fields.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr std::uint64_t kFields = bit(JobField::Name) | bit(JobField::User);

JobSpec named(std::string name) {
  return {.name = std::move(name), .user_name = "ada", .uid = {7}};
}

TEST(JobFields, KeepWhatIsAskedFor) {
  JobSpec spec = named("x");
  spec.account = "physics";
  JobSpec less = only(kFields, spec);
  EXPECT_EQ(less.name, "x");
  EXPECT_EQ(less.uid, Uid{7});
  EXPECT_EQ(less.account, "");
  Job job;
  job.id = {3};
  job.priority = 9;
  job.nodes_left = {NodeId{4}, NodeId{5}};
  job.spec = Ref(spec);
  Job brief = only(kFields, job);
  EXPECT_EQ(brief.id, JobId{3});
  EXPECT_EQ(brief.priority, 0u);
  EXPECT_TRUE(brief.completing());
  EXPECT_FALSE(brief.spec);
  EXPECT_EQ(only(bit(JobField::Priority), job).priority, 9u);
}

TEST(JobFields, KeysAreEqualIfTheSpecsAreAsFarAsTheyAreAskedFor) {
  auto key = [](const JobSpec& spec) {
    std::string out;
    append_key(out, kFields, spec);
    return out;
  };
  JobSpec other = named("x");
  other.account = "physics";
  EXPECT_EQ(key(named("x")), key(other));
  EXPECT_NE(key(named("x")), key(named("y")));
  JobSpec shifted = named("xa");
  shifted.user_name = "da";
  EXPECT_NE(key(named("x")), key(shifted));
}

TEST(JobFields, ASpecIsSentOnceAndAgainWhenItIsForgotten) {
  SpecPlaces places;
  SpecShelf shelf;
  auto send = [&](const std::string& name) {
    JobRows rows;
    auto place = places.find(kFields, named(name));
    if (place.fresh) rows.specs.push_back(only(kFields, named(name)));
    rows.rows.emplace_back().spec_place = place.number;
    EXPECT_TRUE(shelf.resolve(rows));
    EXPECT_EQ(rows.rows[0].job.spec->name, name);
    return place.fresh;
  };
  EXPECT_TRUE(send("first"));
  EXPECT_FALSE(send("first"));
  for (int i = 0; i < 20000; ++i) EXPECT_TRUE(send("job " + std::to_string(i)));
  EXPECT_FALSE(send("job 19999"));
  EXPECT_TRUE(send("first"));
}

TEST(JobFields, ARowThatNamesNothingIsRefused) {
  SpecShelf shelf;
  JobRows rows;
  rows.rows.emplace_back().spec_place = 1;
  EXPECT_FALSE(shelf.resolve(rows));
  rows.specs.emplace_back();
  EXPECT_TRUE(shelf.resolve(rows));
  rows.specs.clear();
  rows.rows[0].spec_place = 9;
  EXPECT_FALSE(shelf.resolve(rows));
}

}  // namespace
}  // namespace ym
