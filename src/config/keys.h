// SPDX-License-Identifier: Apache-2.0
// The one table of the words slurm.conf knows (release 26.05): their types, their defaults as
// `scontrol show config` prints them, and what we do with them. Split over keys_*.cc by subject;
// each part is sorted by name.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

enum class KeyType : std::uint8_t {
  Text,
  Path,
  Number,  // note: "low-high"; the default's words behind the number are its unit
  Limit,   // a number or UNLIMITED
  YesNo,
  Choice,   // one of the note's words, a|b|c
  Choices,  // several of them, separated by commas
  Time,     // minutes, h:m:s, d-h:m:s or UNLIMITED
  Debug,    // quiet … debug5 or 0 … 9
  Ports,    // 6817 or 6817-6820
};

enum class KeyStatus : std::uint8_t {
  ActedOn,
  NotYet,    // accepted; one warning names all of them, `yardmaster doctor` lists them
  Alias,     // another spelling; the note is the key it stands for
  Obsolete,  // of older releases: accepted and ignored with a warning; the note says what came
             // after
  Refused,   // the note says why
};

// Where a key may stand: alone, or on the line that one of the others opens.
enum class KeyScope : std::uint8_t { Main, Node, Partition, NodeSet, DownNodes };

struct KeyInfo {
  std::string_view name;
  KeyType type = KeyType::Text;
  KeyStatus status = KeyStatus::NotYet;
  std::string_view shown_default;  // empty: not shown unless set
  std::string_view note;
};

// Any case. nullptr if the scope has no such key.
const KeyInfo* find_key(KeyScope scope, std::string_view name);
// The key that this one stands for, itself unless it is an alias.
const KeyInfo& canonical(KeyScope scope, const KeyInfo& key);
// The key that a typist most likely meant; "" if none is near.
std::string_view nearest_key(KeyScope scope, std::string_view name);
// Calls visit(const KeyInfo&) for each key of the scope.
template <class Visit>
void for_each_key(KeyScope scope, Visit&& visit);

// The parts of the table.
std::span<const KeyInfo> accounting_keys();
std::span<const KeyInfo> daemon_keys();
std::span<const KeyInfo> job_keys();
std::span<const KeyInfo> scheduling_keys();
std::span<const KeyInfo> former_keys();
std::span<const KeyInfo> node_keys();
std::span<const KeyInfo> partition_keys();
std::span<const KeyInfo> node_set_keys();
std::span<const KeyInfo> down_nodes_keys();

std::vector<std::span<const KeyInfo>> key_tables(KeyScope scope);

template <class Visit>
void for_each_key(KeyScope scope, Visit&& visit) {
  for (std::span<const KeyInfo> table : key_tables(scope))
    for (const KeyInfo& key : table) visit(key);
}

}  // namespace ym
