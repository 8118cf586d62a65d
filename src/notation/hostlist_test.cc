// SPDX-License-Identifier: Apache-2.0
#include "notation/hostlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/prng.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Hostlist list(std::string_view text) {
  auto parsed = Hostlist::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().text);
  return parsed ? *parsed : Hostlist{};
}

std::string error(std::string_view text) {
  auto parsed = Hostlist::parse(text);
  return parsed ? "parsed as " + parsed->str() : parsed.error().text;
}

// Few prefixes and small numbers, so that names meet each other.
std::string random_name(Prng& prng) {
  static constexpr std::string_view kPrefixes[] = {"n", "m", "n1", "gpu-", "rack1n", "a.b", "n00"};
  std::string name(kPrefixes[prng.below(std::size(kPrefixes))]);
  if (prng.chance(1, 12)) return name;
  std::string number = std::to_string(prng.below(prng.chance(1, 2) ? 15 : 1100));
  if (prng.chance(1, 3)) number.insert(0, prng.below(3), '0');
  return name + number;
}

std::vector<std::string> random_names(Prng& prng) {
  std::vector<std::string> names;
  for (std::uint64_t left = prng.below(60); left > 0; --left) names.push_back(random_name(prng));
  return names;
}

TEST(Hostlist, PrintsInSlurmsCompressedForm) {
  for (auto [text, printed] : std::vector<std::pair<std::string, std::string>>{
           {"", ""},
           {"n1", "n1"},
           {"login", "login"},
           {"n1,n2,n3", "n[1-3]"},
           {"n[001-100,200],m7", "n[001-100,200],m7"},
           {"n[8-11]", "n[8-11]"},
           {"n8,n9,n10,n11", "n[8-11]"},
           {"n08,n09,n10", "n[08-10]"},
           {"n099,n100", "n[099-100]"},
           {"n9,n010", "n[9,010]"},
           {"n1,n01", "n[1,01]"},
           {"n3,n1,n2", "n[3,1-2]"},
           {"n1,n1", "n[1,1]"},
           {"n1,m1,n2", "n1,m1,n2"},
           {"n1[0-2]", "n[10-12]"},
           {"n1[8-11]", "n[18-19,110-111]"},
           {"n[1-3]x", "n1x,n2x,n3x"},
           {"rack[0-1]n[01-16]", "rack0n[01-16],rack1n[01-16]"},
           {"r[1-2][0-3]", "r[10-13,20-23]"},
           {"r[0-9][0-9]", "r[00-99]"},
           {"[1-3],7", "[1-3,7]"},
           {"a,b", "a,b"},
           {" a, b\n,,c1 c2,", "a,b,c[1-2]"},
           {"n[001-5]", "n[001-005]"},
           {"a-b_c.d9", "a-b_c.d9"},
       })
    EXPECT_EQ(list(text).str(), printed) << text;
}

TEST(Hostlist, AMillionNamesCostAFewRuns) {
  Hostlist names = list("n[1-5000000]");
  EXPECT_EQ(names.count(), 5'000'000u);
  EXPECT_EQ(names.runs().size(), 7u);
  EXPECT_EQ(names.nth(4'999'999), "n5000000");
  EXPECT_EQ(names.find("n1234567"), 1'234'566u);
  EXPECT_EQ(names.find("n01"), std::nullopt);
  EXPECT_EQ(names.find("n0"), std::nullopt);
  EXPECT_EQ(names.minus(list("n[2-4999999]")).str(), "n[1,5000000]");
}

TEST(Hostlist, ErrorsNameThePosition) {
  EXPECT_THAT(error("n[1-3"), HasSubstr("'[' without ']' at position 2"));
  EXPECT_THAT(error("n["), HasSubstr("'[' without ']' at position 2"));
  EXPECT_THAT(error("a,n1]"), HasSubstr("']' without '[' at position 5"));
  EXPECT_THAT(error("n[3-1]"), HasSubstr("runs backwards at position 3"));
  EXPECT_THAT(error("n[]"), HasSubstr("a number is missing at position 3"));
  EXPECT_THAT(error("n[1,,2]"), HasSubstr("a number is missing at position 5"));
  EXPECT_THAT(error("n[1-]"), HasSubstr("a number is missing at position 5"));
  EXPECT_THAT(error("n[1-2-3]"), HasSubstr("unexpected '-' at position 6"));
  EXPECT_THAT(error("n[1[2]]"), HasSubstr("unexpected '[' at position 4"));
  EXPECT_THAT(error("n[a]"), HasSubstr("a number is missing at position 3"));
  EXPECT_THAT(error("n*"), HasSubstr("unexpected '*' at position 2"));
}

TEST(Hostlist, RefusesMoreThanItsLimits) {
  EXPECT_THAT(error("n[1-99999999]"), HasSubstr("more than 64000000 names"));
  EXPECT_THAT(error("n[0-9999999999999999999]"), HasSubstr("a number is too long"));
  EXPECT_THAT(error("a[0-999]b[0-999]c[0-9]"), HasSubstr("by brackets within a name"));
  EXPECT_THAT(error("a[0-999999999999999999]b"), HasSubstr("by brackets within a name"));
  EXPECT_THAT(error("a[0-49999]" + std::string(200, 'b')), HasSubstr("prints as more than"));
  EXPECT_THAT(error(std::string(300, 'a')), HasSubstr("a name is too long"));
  EXPECT_THAT(error(std::string(250, 'a') + "[000001-000003]"), HasSubstr("a name is too long"));
  EXPECT_THAT(error(std::string(Hostlist::kTextMax + 1, ',')), HasSubstr("longer than"));
}

TEST(Hostlist, VeryLongNumbersStayExact) {
  EXPECT_EQ(list("n1234567890123456789012[8-9]").str(),
            "n12345[678901234567890128-678901234567890129]");
  EXPECT_EQ(list("n12345678901234567890128,n12345678901234567890129"),
            list("n1234567890123456789012[8-9]"));
  EXPECT_EQ(list("n999999999999999999,n1000000000000000000").str(),
            "n999999999999999999,n1000000000000000000");
}

TEST(Hostlist, SortsByPrefixThenWidthThenNumber) {
  EXPECT_EQ(list("n10,n9,m3,n001,n1").sorted().str(), "m3,n[1,9-10,001]");
  EXPECT_EQ(list("n1,n3,n1,n2").sorted().str(), "n[1,1-3]");
  EXPECT_EQ(list("n[3-5],n[1-4],n2").uniq().str(), "n[1-5]");
  EXPECT_EQ(list("b,a,b").uniq().str(), "a,b");
}

TEST(Hostlist, AppendMergesNeighbours) {
  Hostlist names = list("n[1-3]");
  names.append(list("n[4-5],m1"));
  names.append(names);
  EXPECT_EQ(names.str(), "n[1-5],m1,n[1-5],m1");
  EXPECT_EQ(names.find("m1"), 5u);
  EXPECT_EQ(names.find("m2"), std::nullopt);
  Hostlist hosts;
  hosts.push_back("");
  EXPECT_TRUE(hosts.empty());
  hosts.push_back("x09");
  hosts.push_back("x10");
  EXPECT_THAT(hosts.names(), ElementsAre("x09", "x10"));
}

TEST(Hostlist, EveryListOfNamesComesBackFromItsText) {
  Prng prng(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> names = random_names(prng);
    Hostlist hosts = Hostlist::of(names);
    ASSERT_EQ(hosts.names(), names);
    ASSERT_EQ(hosts.count(), names.size());
    ASSERT_EQ(list(hosts.str()), hosts) << hosts.str();
    for (std::size_t i = 0; i < names.size(); ++i) {
      ASSERT_EQ(hosts.nth(i), names[i]);
      auto first = std::ranges::find(names, names[i]) - names.begin();
      ASSERT_EQ(hosts.find(names[i]), static_cast<std::uint64_t>(first)) << hosts.str();
    }
    std::string stranger = random_name(prng);
    ASSERT_EQ(hosts.contains(stranger), std::ranges::count(names, stranger) > 0);
  }
}

TEST(Hostlist, SetOperationsAgreeWithSetsOfNames) {
  Prng prng(2);
  auto as_set = [](const Hostlist& hosts) {
    auto names = hosts.names();
    std::set<std::string> set(names.begin(), names.end());
    EXPECT_EQ(set.size(), names.size()) << "repeated name in " << hosts.str();
    EXPECT_EQ(hosts.sorted(), hosts) << hosts.str();
    return set;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> a = random_names(prng), b = random_names(prng);
    Hostlist x = Hostlist::of(a), y = Hostlist::of(b);
    std::set<std::string> s(a.begin(), a.end()), t(b.begin(), b.end()), united, both, only;
    std::ranges::set_union(s, t, std::inserter(united, united.end()));
    std::ranges::set_intersection(s, t, std::inserter(both, both.end()));
    std::ranges::set_difference(s, t, std::inserter(only, only.end()));
    ASSERT_EQ(as_set(x.uniq()), s);
    ASSERT_EQ(as_set(x.united(y)), united);
    ASSERT_EQ(as_set(x.intersected(y)), both) << x.str() << " " << y.str();
    ASSERT_EQ(as_set(x.minus(y)), only) << x.str() << " " << y.str();
    ASSERT_EQ(x.minus(y).united(x.intersected(y)), x.uniq());
    std::vector<std::string> sorted = x.sorted().names();
    ASSERT_TRUE(std::ranges::is_permutation(sorted, a));
  }
}

}  // namespace
}  // namespace ym
