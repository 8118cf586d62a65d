// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "base/cow_table.h"
#include "base/format.h"
#include "base/prng.h"
#include "base/ref.h"
#include "base/text.h"

namespace ym {
namespace {

TEST(Text, FindsTheWordAUserMeant) {
  EXPECT_EQ(nearest("PartitonName", {"NodeName", "PartitionName"}), "PartitionName");
  EXPECT_EQ(nearest("Zebra", {"NodeName", "PartitionName"}), "");
}

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(parse_u64("18446744073709551615"), 18446744073709551615u);
  for (std::string_view bad : {"", "1x", "-1", " 1", "18446744073709551616"})
    EXPECT_FALSE(parse_u64(bad)) << bad;
  EXPECT_FALSE(parse_unsigned<std::uint32_t>("4294967296"));
}

TEST(Text, PrintableHidesNothingFromTheReader) {
  EXPECT_EQ(printable(std::string_view("a\x1b\0z", 4)), "a\\x1b\\x00z");
  EXPECT_EQ(fmt::format("{:>6.2f}", 1.5), "  1.50");
}

TEST(CowTable, AgreesWithAMapOnRandomEditsAndKeepsEverySnapshot) {
  Prng prng(7);
  using Model = std::map<std::uint64_t, std::string>;
  CowTable<std::string> table;
  Model model;
  std::vector<std::pair<CowTable<std::string>, Model>> snapshots;
  for (int step = 0; step < 20000; ++step) {
    std::uint64_t key = prng.chance(1, 50) ? prng.next() : prng.below(3000);
    if (prng.chance(1, 3)) {
      EXPECT_EQ(table.erase(key), model.erase(key) == 1);
    } else {
      table.put(key, std::to_string(step));
      model[key] = std::to_string(step);
    }
    if (step % 1000 == 0) snapshots.emplace_back(table, model);
    if (snapshots.size() > 5) snapshots.erase(snapshots.begin());
  }
  snapshots.emplace_back(table, model);
  for (const auto& [snapshot, expected] : snapshots) {
    Model seen;
    snapshot.for_each([&](std::uint64_t key, const std::string& value) { seen[key] = value; });
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(snapshot.size(), expected.size());
  }
}

TEST(CowTable, VisitsFromAKeyInOrder) {
  CowTable<int> table;
  for (std::uint64_t key : {5u, 70u, 1u << 20, 3u}) table.put(key, static_cast<int>(key));
  std::vector<std::uint64_t> keys;
  table.visit_from(5, [&](std::uint64_t key, int) {
    keys.push_back(key);
    return keys.size() < 2;
  });
  EXPECT_EQ(keys, (std::vector<std::uint64_t>{5, 70}));
  EXPECT_EQ(table.find(1ull << 40), nullptr);
}

TEST(Ref, EmptyReadsAsDefault) {
  Ref<std::string> none;
  EXPECT_EQ(*none, "");
  Ref<std::string> a(std::string("x"));
  Ref<std::string> b = a;
  EXPECT_TRUE(a.same_as(b));
}

}  // namespace
}  // namespace ym
