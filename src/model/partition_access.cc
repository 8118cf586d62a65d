// SPDX-License-Identifier: Apache-2.0
#include "model/partition_access.h"

#include <algorithm>

#include "base/text.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

bool names_all(const std::string& list) { return list.empty() || same_ignoring_case(list, "ALL"); }

bool in_list(const std::string& list, std::string_view word) {
  if (list.empty()) return false;
  std::vector<std::string_view> words = split_words(list, ',');
  return std::ranges::any_of(words,
                             [&](std::string_view w) { return same_ignoring_case(w, word); });
}

bool listed(const std::string& allowed, const std::string& denied, std::string_view word) {
  return names_all(allowed) ? !in_list(denied, word) : in_list(allowed, word);
}

}  // namespace

bool admits_groups(const PartitionSpec& partition, const std::vector<std::string>& groups) {
  if (names_all(partition.allow_groups)) return true;
  return std::ranges::any_of(
      groups, [&](const std::string& group) { return in_list(partition.allow_groups, group); });
}

bool admits_account(const PartitionSpec& partition, std::string_view account) {
  return listed(partition.allow_accounts, partition.deny_accounts, account);
}

bool admits_host(const PartitionSpec& partition, std::string_view host) {
  if (names_all(partition.alloc_nodes) || host.empty()) return true;
  auto hosts = Hostlist::parse(partition.alloc_nodes);
  return hosts && (hosts->contains(host) || hosts->contains(host.substr(0, host.find('.'))));
}

bool admits_qos(const PartitionSpec& partition, std::string_view qos, Uid owner) {
  return owner == Uid{0} || listed(partition.allow_qos, partition.deny_qos, qos);
}

bool is_shown_to(const PartitionSpec& partition, const Caller& caller) {
  if (caller.operates()) return true;
  return !partition.hidden && admits_groups(partition, caller.groups);
}

bool is_for_some(const PartitionSpec& partition) {
  return partition.hidden || !names_all(partition.allow_groups);
}

}  // namespace ym
