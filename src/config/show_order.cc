// SPDX-License-Identifier: Apache-2.0
#include "config/show_order.h"

#include <algorithm>

namespace ym {
namespace {

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

std::vector<std::pair<std::string, std::string>> in_show_order(const MainConfig& config) {
  auto out = config.shown;
  std::ranges::sort(out, [](const auto& a, const auto& b) {
    auto order = std::lexicographical_compare_three_way(
        a.first.begin(), a.first.end(), b.first.begin(), b.first.end(),
        [](char one, char other) { return small(one) <=> small(other); });
    return order != 0 ? order < 0 : a.first < b.first;
  });
  return out;
}

}  // namespace ym
