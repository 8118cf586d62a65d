// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/order.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/job_fields.h"

namespace ym {
namespace {

void set(State& state, std::uint32_t id, std::uint32_t priority, const std::string& partition,
         const std::string& user, JobState how) {
  Job& job = state.jobs.edit(id);
  job.id = {id};
  job.priority = priority;
  job.state = how;
  job.spec = Ref(JobSpec{.name = "j",
                         .user_name = user,
                         .partitions = partition,
                         .uid = {user == "ada" ? 1000u : 1001u}});
}

State random_jobs(Prng& prng, std::uint32_t count) {
  State state;
  const std::string partitions[] = {"debug", "long", "a,b"};
  const JobState states[] = {JobState::Pending, JobState::Running, JobState::Completed};
  for (std::uint32_t id = 1; id <= count; ++id)
    set(state, id, static_cast<std::uint32_t>(prng.below(5)), partitions[prng.below(3)],
        prng.below(2) ? "ada" : "bob", states[prng.below(3)]);
  return state;
}

std::vector<std::uint32_t> listed(const OrderedJobs& order, const State& state,
                                  const JobFilter& filter, OrderKey from = {}) {
  std::vector<std::uint32_t> ids;
  order.for_each(state, filter, from, [&](const OrderKey&, const Job& job) {
    ids.push_back(job.id.value);
    return true;
  });
  return ids;
}

// What for_each_selected() finds, sorted as squeue sorts.
std::vector<std::uint32_t> sorted(const State& state, const JobFilter& filter) {
  std::vector<std::uint32_t> ids;
  for_each_selected(state, filter, [&](const Job& job) {
    ids.push_back(job.id.value);
    return true;
  });
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t x, std::uint32_t y) {
    const Job &a = state.jobs.at(x), &b = state.jobs.at(y);
    if (a.spec->partitions != b.spec->partitions) return a.spec->partitions < b.spec->partitions;
    if (a.state != b.state) return a.state < b.state;
    return a.priority != b.priority ? a.priority > b.priority : x < y;
  });
  return ids;
}

const JobFilter kFilters[] = {{},
                              {.all_states = true},
                              {.users = {"ada"}},
                              {.users = {"1001", "nobody"}},
                              {.partitions = {"debug", "b"}},
                              {.states = {JobState::Running}},
                              {.users = {"bob"}, .partitions = {"long"}}};

TEST(Order, IsThatOfSqueue) {
  Prng prng(7);
  State state = random_jobs(prng, 3000);
  OrderedJobs order = OrderedJobs::of(state);
  for (const JobFilter& filter : kFilters)
    EXPECT_EQ(listed(order, state, filter), sorted(state, filter));
}

TEST(Order, FollowsWhatChanges) {
  Prng prng(8);
  State state = random_jobs(prng, 2000);
  OrderedJobs order = OrderedJobs::of(state);
  for (int round = 0; round < 50; ++round) {
    std::vector<JobId> changed;
    for (int i = 0; i < 20; ++i) {
      auto id = static_cast<std::uint32_t>(1 + prng.below(2100));
      changed.push_back({id});
      if (prng.below(3) == 0)
        state.jobs.erase(id);
      else
        set(state, id, static_cast<std::uint32_t>(prng.below(9)), "long",
            prng.below(2) ? "ada" : "bob", prng.below(2) ? JobState::Pending : JobState::Running);
    }
    // A partition that was never seen.
    if (round == 25) set(state, 5, 1, "newest", "ada", JobState::Pending);
    if (round == 25) changed.push_back({5});
    ++state.seq.value;
    OrderedJobs before = order;
    order = order.moved_on(state, changed);
    EXPECT_EQ(order.seq(), state.seq);
  }
  for (const JobFilter& filter : kFilters)
    EXPECT_EQ(listed(order, state, filter), sorted(state, filter));
}

TEST(Order, BeginsAndEndsWithNothing) {
  State state;
  OrderedJobs order = OrderedJobs::of(state);
  EXPECT_EQ(listed(order, state, {}), std::vector<std::uint32_t>{});
  // The first one of a partition makes it all anew; the next ones do not.
  for (std::uint32_t id : {1, 2}) {
    set(state, id, id, "p", "ada", JobState::Pending);
    order = order.moved_on(state, {{id}});
  }
  EXPECT_EQ(listed(order, state, {.users = {"ada"}}), (std::vector<std::uint32_t>{2, 1}));
  for (std::uint32_t id : {1, 2}) state.jobs.erase(id);
  order = order.moved_on(state, {{1}, {2}});
  EXPECT_EQ(listed(order, state, {}), std::vector<std::uint32_t>{});
  set(state, 3, 3, "p", "ada", JobState::Pending);
  order = order.moved_on(state, {{3}});
  EXPECT_EQ(listed(order, state, {}), std::vector<std::uint32_t>{3});
}

TEST(Order, GoesOnWhereItStopped) {
  Prng prng(9);
  State state = random_jobs(prng, 500);
  OrderedJobs order = OrderedJobs::of(state);
  std::vector<std::uint32_t> ids;
  OrderKey from;
  for (bool more = true; more;) {
    more = false;
    std::size_t taken = 0;
    order.for_each(state, {}, from, [&](const OrderKey& key, const Job& job) {
      ids.push_back(job.id.value);
      from = key;
      ++from.id;
      more = ++taken == 7;
      return !more;
    });
  }
  EXPECT_EQ(ids, sorted(state, {}));
}

TEST(BriefRows, SayWhatWholeOnesSay) {
  Prng prng(10);
  State state = random_jobs(prng, 50);
  Node& node = state.nodes.edit(1);
  node.id = {1};
  node.spec = Ref(NodeSpec{.name = "n1", .cpus = 8});
  state.jobs.edit(1).allocation =
      Ref(Allocation{.nodes = {{.node = {1}, .cpus = 3, .memory_mb = 5}}});
  state.jobs.edit(2).holds.user = true;
  Verdicts verdicts;
  std::uint64_t fields = bit(JobField::Reason) | bit(JobField::Nodes) | bit(JobField::Partition) |
                         bit(JobField::NodeCount) | bit(JobField::CpuCount) |
                         bit(JobField::Priority) | bit(JobField::Run);
  SpecPlaces places;
  SpecShelf shelf;
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    JobRow whole = job_row(state, job, verdicts, {5});
    JobRows rows;
    rows.rows.push_back(brief_row(state, job, verdicts, {5}, fields));
    auto place = places.find(fields, *job.spec);
    if (place.fresh) rows.specs.push_back(only(fields, *job.spec));
    rows.rows[0].spec_place = place.number;
    ASSERT_TRUE(shelf.resolve(rows));
    const JobRow& brief = rows.rows[0];
    EXPECT_EQ(brief.reason, whole.reason);
    EXPECT_EQ(brief.nodes, whole.nodes);
    EXPECT_EQ(brief.batch_host, whole.batch_host);
    EXPECT_EQ(brief.partition, whole.partition);
    EXPECT_EQ(brief.job.priority, whole.job.priority);
    EXPECT_EQ(brief.cpu_count, whole.job.allocation->cpus());
    EXPECT_EQ(brief.node_count, whole.job.allocation->nodes.size());
  });
}

}  // namespace
}  // namespace ym
