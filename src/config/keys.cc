// SPDX-License-Identifier: Apache-2.0
#include "config/keys.h"

#include "base/check.h"
#include "base/text.h"

namespace ym {

std::vector<std::span<const KeyInfo>> key_tables(KeyScope scope) {
  switch (scope) {
    case KeyScope::Main:
      return {daemon_keys(), job_keys(), scheduling_keys(), accounting_keys(), former_keys()};
    case KeyScope::Node: return {node_keys()};
    case KeyScope::Partition: return {partition_keys()};
    case KeyScope::NodeSet: return {node_set_keys()};
    case KeyScope::DownNodes: return {down_nodes_keys()};
  }
  return {};
}

const KeyInfo* find_key(KeyScope scope, std::string_view name) {
  for (std::span<const KeyInfo> table : key_tables(scope))
    for (const KeyInfo& key : table)
      if (key.name.size() == name.size() && same_ignoring_case(key.name, name)) return &key;
  return nullptr;
}

const KeyInfo& canonical(KeyScope scope, const KeyInfo& key) {
  if (key.status != KeyStatus::Alias) return key;
  const KeyInfo* meant = find_key(scope, key.note);
  YM_CHECK(meant != nullptr);
  return *meant;
}

std::string_view nearest_key(KeyScope scope, std::string_view name) {
  std::vector<std::string> small;
  std::vector<std::string_view> names, views;
  for_each_key(scope, [&](const KeyInfo& key) {
    if (key.status == KeyStatus::Obsolete || key.status == KeyStatus::Refused) return;
    names.push_back(key.name);
    small.push_back(to_lower(key.name));
  });
  // A line may also begin with what opens a line of its own kind.
  if (scope == KeyScope::Main)
    for (std::string_view opening :
         {"NodeName", "PartitionName", "NodeSet", "DownNodes", "Include"}) {
      names.push_back(opening);
      small.push_back(to_lower(opening));
    }
  views.assign(small.begin(), small.end());
  std::string wanted = to_lower(name.substr(0, 64));
  std::string_view found = nearest(wanted, views);
  for (std::size_t i = 0; i < views.size() && !found.empty(); ++i)
    if (views[i] == found) return names[i];
  return "";
}

}  // namespace ym
