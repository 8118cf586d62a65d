// SPDX-License-Identifier: Apache-2.0
#include "config/rare_keys.h"

#include "base/text.h"

namespace ym {

void set_mcs_plugin(McsRules& rules, std::string_view text) {
  constexpr std::pair<std::string_view, McsKind> kKinds[] = {{"mcs/user", McsKind::User},
                                                             {"mcs/group", McsKind::Group},
                                                             {"mcs/account", McsKind::Account},
                                                             {"mcs/label", McsKind::Label}};
  rules.kind = McsKind::None;
  for (const auto& [name, kind] : kKinds)
    if (same_ignoring_case(text, name)) rules.kind = kind;
}

void set_mcs_parameters(McsRules& rules, std::string_view text) {
  auto colon = text.find(':');
  for (std::string_view word : split_words(text.substr(0, colon), ',')) {
    auto is = [&](std::string_view name) { return same_ignoring_case(word, name); };
    if (is("enforced")) rules.enforced = true;
    if (is("select")) rules.select = McsSelect::Always;
    if (is("noselect")) rules.select = McsSelect::Never;
    if (is("ondemandselect")) rules.select = McsSelect::OnDemand;
    if (is("privatedata")) rules.private_data = true;
  }
  rules.groups.clear();
  if (colon == std::string_view::npos) return;
  for (std::string_view group : split_words(text.substr(colon + 1), '|'))
    rules.groups.emplace_back(group);
}

void set_mpi_ports(MainConfig& config, std::string_view text) {
  for (std::string_view word : split_words(text, ',')) {
    if (!starts_with_ignoring_case(word, "ports=")) continue;
    std::string_view range = word.substr(6);
    auto dash = range.find('-');
    if (dash == std::string_view::npos) continue;
    auto first = parse_unsigned<std::uint16_t>(range.substr(0, dash));
    auto last = parse_unsigned<std::uint16_t>(range.substr(dash + 1));
    if (!first || !last || *first == 0 || *first > *last) continue;
    config.mpi_port_first = *first;
    config.mpi_port_last = *last;
  }
}

}  // namespace ym
