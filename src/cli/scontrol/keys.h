// SPDX-License-Identifier: Apache-2.0
// The keys of `scontrol update`, `create` and `delete`: one table for each kind of thing. The
// tables are the whole truth: what is not in them is refused, and the manual page is made of them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/scontrol/scontrol.h"

namespace ym::cli {

// What a key is called, and what it does here.
struct KeyInfo {
  std::string_view name;
  std::string_view alias;  // "" for none
  std::string_view value;  // "TIME", "YES|NO"
  std::string_view help;
};

enum class KeyKind : std::uint8_t { Job, Step, Node, NewNode, Partition, Reservation };
std::vector<KeyInfo> keys_of(KeyKind kind);
std::vector<KeyInfo> job_key_infos();
std::vector<KeyInfo> node_key_infos();
std::vector<KeyInfo> partition_key_infos();
std::vector<KeyInfo> reservation_key_infos();

// In full, in any case.
bool is_key(std::string_view word, std::string_view name, std::string_view alias = {});
// Is it the word, its alias, or at least three letters that the name begins with?
bool names_key(std::string_view word, std::string_view name, std::string_view alias = {});
// The first of the table that the word names in full, else the first that it shortens.
template <class Table>
auto* find_in(const Table& table, std::string_view word) {
  using Row = typename Table::value_type;
  const Row* shortened = nullptr;
  for (const Row& row : table) {
    if (is_key(word, row.info.name, row.info.alias)) return &row;
    if (!shortened && names_key(word, row.info.name, row.info.alias)) shortened = &row;
  }
  return shortened;
}
// "Update of this parameter is not supported: x=1", with what may have been meant.
Error not_supported(const Assignment& one, KeyKind kind);

// --- values ---
Result<std::uint32_t> seconds_of(std::string_view text);  // 0xffffffff: unlimited
Result<std::uint32_t> number_of(std::string_view text);
Result<std::uint32_t> count_of(std::string_view text);  // UNLIMITED and INFINITE, too
std::optional<bool> truth_of(std::string_view text);    // yes, no, 1, 0

}  // namespace ym::cli
