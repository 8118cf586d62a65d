// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/hostlist.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parsed = ym::Hostlist::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) {
    YM_CHECK(!parsed.error().text.empty());
    return 0;
  }
  auto again = ym::Hostlist::parse(parsed->str());
  YM_CHECK(again && *again == *parsed);
  ym::Hostlist distinct = parsed->uniq();
  YM_CHECK(distinct.count() <= parsed->count());
  YM_CHECK(distinct.minus(*parsed).empty());
  YM_CHECK(parsed->intersected(distinct) == distinct);
  YM_CHECK(parsed->sorted().count() == parsed->count());
  if (parsed->count() > 300) return 0;
  ym::Hostlist copy;
  std::uint64_t n = 0;
  parsed->for_each([&](std::string_view name) {
    YM_CHECK(ym::Hostlist::valid_name(name));
    YM_CHECK(parsed->nth(n) == name);
    auto at = parsed->find(name);
    YM_CHECK(at && *at <= n && parsed->nth(*at) == name);
    copy.push_back(name);
    ++n;
  });
  YM_CHECK(copy == *parsed);
  return 0;
}
