// SPDX-License-Identifier: Apache-2.0
// The keys of `scontrol create|update reservation`, and what each means.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/scontrol/keys.h"
#include "cli/scontrol/reservation.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"
#include "notation/tres.h"

namespace ym::cli {
namespace {

constexpr std::string_view kNotListed =
    "Error updating the reservation: Invalid account or account/partition combination specified\n"
    "slurm_update error: Invalid account or account/partition combination specified";
constexpr std::uint32_t kPurgeAfter = 300;  // PURGE_COMP that says no time

// "+=" and "-=" on a comma list.
std::string edited(const std::string& list, const Assignment& one) {
  if (one.sign == '=') return one.value;
  std::vector<std::string> words;
  for (std::string_view word : split_words(list, ',')) words.emplace_back(word);
  for (std::string_view word : split_words(one.value, ',')) {
    std::erase(words, std::string(word));
    if (one.sign == '+') words.emplace_back(word);
  }
  return join(words, ",");
}

// Names of those who may, or each behind a '-' of those who may not. An update may give signs that
// change the list: "+eve,-bob", or "users+=eve"; '-' takes a name out of those who may, or adds it
// to those who may not.
// Nothing where a name is to go that is not there, but must be.
std::optional<std::string> changed_names(const std::string& list, const Assignment& one,
                                         bool create, bool must_be_there) {
  std::vector<std::pair<char, std::string>> changes;
  std::size_t with_sign = 0;
  for (std::string_view word : split_words(one.value, ',')) {
    bool has_sign = word.starts_with('+') || word.starts_with('-');
    char sign = has_sign ? word[0] : one.sign;
    if (has_sign) word.remove_prefix(1);
    with_sign += has_sign || one.sign != '=';
    changes.emplace_back(sign, word);
  }
  // Whom a list of both kinds would admit, only the controller may say: nobody.
  if (with_sign < changes.size() || changes.empty() || (create && one.sign == '='))
    return one.value;
  std::vector<std::string> names;
  for (std::string_view word : split_words(list, ','))
    names.emplace_back(word.starts_with('-') ? word.substr(1) : word);
  bool denies = list.starts_with('-') || (list.empty() && changes[0].first == '-');
  bool all_there = true;
  for (const auto& [sign, name] : changes) {
    auto erased = std::erase(names, name);
    if ((sign == '+') != denies)
      names.push_back(name);
    else if (erased == 0 && must_be_there)
      all_there = false;
  }
  if (!all_there) return std::nullopt;
  std::string out;
  for (const std::string& name : names)
    out.append(out.empty() ? "" : ",").append(denies ? "-" : "").append(name);
  return out;
}

Result<std::string> edited_nodes(const std::string& list, const Assignment& one) {
  if (one.sign == '=') return one.value;
  auto had = Hostlist::parse(list), changed = Hostlist::parse(one.value);
  if (!had || !changed) return fail("Invalid node list");
  std::vector<std::string> names;
  had->for_each([&](std::string_view name) {
    if (!changed->contains(name)) names.emplace_back(name);
  });
  if (one.sign == '+') changed->for_each([&](std::string_view name) { names.emplace_back(name); });
  return Hostlist::of(names).str();
}

// "MAINT,DAILY", "PURGE_COMP=00:05:00"; with += and -=.
Status set_flags(UpdateReservation& out, const Assignment& one, std::string_view tail) {
  std::uint64_t flags = 0;
  for (std::string_view word : split_words(one.value, ',')) {
    bool off = one.sign == '-' || word.starts_with('-');
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    std::string_view name = word.substr(0, word.find('='));
    if (starts_with_ignoring_case(name, "NO_") && !reservation_flag(name)) {
      name.remove_prefix(3);
      off = true;
    }
    auto flag = reservation_flag(name);
    if (!flag)
      return fail(fmt::format("scontrol: error: Error parsing flags {}.  {}", one.value, tail));
    if (*flag == ReservationFlag::PurgeComp && name.size() == word.size() && !off) {
      out.wanted.purge_after_s = kPurgeAfter;
      out.changed.emplace_back("purge_after_s");
    } else if (*flag == ReservationFlag::PurgeComp && name.size() < word.size()) {
      auto after = parse_time_limit(word.substr(name.size() + 1));
      if (!after)
        return fail(fmt::format("scontrol: error: Error parsing flags {}.  {}", one.value, tail));
      out.wanted.purge_after_s = static_cast<std::uint32_t>(after->span.count());
      out.changed.emplace_back("purge_after_s");
    }
    (off ? out.flags_removed : flags) |= static_cast<std::uint64_t>(*flag);
  }
  if (one.sign == '=' && !out.create && out.flags_removed == 0) {
    out.wanted.flags = flags;
    out.changed.emplace_back("flags");
  } else {
    out.flags_added |= flags;
  }
  return {};
}

Status set_tres(UpdateReservation& out, const std::string& text, std::string_view tail,
                bool per_node) {
  auto tres = Tres::parse(text);
  if (!tres) return fail(fmt::format("scontrol: error: Error parsing TRES {}.  {}", text, tail));
  std::vector<std::string> licenses, gres;
  for (const Tres::Entry& entry : tres->entries()) {
    auto amount = static_cast<std::uint32_t>(std::min<std::uint64_t>(entry.amount, 0xfffffffe));
    if (entry.name == "cpu") {
      out.wanted.core_count = amount;
      out.changed.emplace_back("core_count");
    } else if (entry.name == "node") {
      out.wanted.node_count = amount;
      out.changed.emplace_back("node_count");
    } else if (entry.name.starts_with("license/")) {
      licenses.push_back(fmt::format("{}:{}", entry.name.substr(8), amount));
    } else if (entry.name.starts_with("gres/")) {
      gres.push_back(fmt::format("{}:{}", entry.name.substr(5), amount));
    } else if (entry.name.starts_with("bb/")) {
      out.wanted.burst_buffer = fmt::format("{}:{}M", entry.name.substr(3), entry.amount);
      out.changed.emplace_back("burst_buffer");
    } else {
      return fail(fmt::format("scontrol: error: Error parsing TRES {}.  {}", text, tail));
    }
  }
  if (!licenses.empty()) {
    out.wanted.licenses = join(licenses, ",");
    out.changed.emplace_back("licenses");
  }
  if (!gres.empty()) {
    out.wanted.tres = (per_node ? std::string(kEachNode) : "") + join(gres, ",");
    out.changed.emplace_back("tres");
  }
  return {};
}

Status set_time(Instant& to, const Assignment& one, Instant now, std::string_view what,
                std::string_view tail) {
  auto time = parse_timestamp(one.value, now, local_zone());
  if (!time)
    return fail(fmt::format(
        "Invalid time specification (pos=0): {}\nscontrol: error: Invalid {} {}={}.  {}",
        printable(one.value), what, one.key, one.value, tail));
  to = Instant::from_unix_seconds(time->unix_seconds());
  return {};
}

struct TextKey {
  std::string_view name, alias, member;
  std::string Reservation::* field;
  std::string_view help;
  bool of_names = false;
};
constexpr TextKey kTexts[] = {
    {"Features", "Feature", "features", &Reservation::features, "What its nodes must have"},
    {"PartitionName", "Partition", "partition", &Reservation::partition, "Whose nodes it takes"},
    {"Users", "User", "users", &Reservation::users, "Who may use it; += and -= change them", true},
    {"Groups", "Group", "groups", &Reservation::groups, "Which groups may", true},
    {"Accounts", "Account", "accounts", &Reservation::accounts, "Which accounts may", true},
    {"Licenses", "License", "licenses", &Reservation::licenses, "Licences that it keeps"},
    {"BurstBuffer", "", "burst_buffer", &Reservation::burst_buffer, "Kept and shown"},
    {"Comment", "", "comment", &Reservation::comment, "For people"},
    {"AllowedPartitions", "", "allowed_partitions", &Reservation::allowed_partitions,
     "Partitions whose jobs may use it"},
    {"QOS", "", "qos", &Reservation::qos, "QOS whose jobs may use it"},
};

struct CountKey {
  std::string_view name, alias, member;
  std::uint32_t Reservation::* field;
  std::string_view help;
};
constexpr CountKey kCounts[] = {
    {"NodeCnt", "NodeCount", "node_count", &Reservation::node_count, "So many nodes"},
    {"CoreCnt", "CPUCnt", "core_count", &Reservation::core_count, "So many cores"},
};

// True if the key was one of the tables'.
Result<bool> set_from_tables(UpdateReservation& out, const Assignment& one,
                             const Reservation& known, std::string_view tail) {
  for (const TextKey& key : kTexts) {
    if (!is_key(one.key, key.name, key.alias)) continue;
    if (key.of_names) {
      auto names = changed_names(known.*key.field, one, out.create, key.member == "accounts");
      if (!names) return fail(std::string(kNotListed));
      out.wanted.*key.field = *names;
    } else {
      out.wanted.*key.field = edited(known.*key.field, one);
    }
    out.changed.emplace_back(key.member);
    return true;
  }
  for (const CountKey& key : kCounts) {
    if (!is_key(one.key, key.name, key.alias)) continue;
    // "1k" is 1024, and a list of counts is for several blocks: their sum.
    std::uint64_t sum = 0;
    for (std::string_view word : split_words(one.value, ',')) {
      bool kilo = word.ends_with('k') || word.ends_with('K');
      auto count = parse_unsigned<std::uint32_t>(kilo ? word.substr(0, word.size() - 1) : word);
      if (!count)
        return fail(fmt::format("scontrol: error: Invalid {} {}={}.  {}",
                                key.member == "node_count" ? "node count" : "core count", one.key,
                                one.value, tail));
      sum += std::uint64_t{*count} * (kilo ? 1024 : 1);
    }
    out.wanted.*key.field = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, 0xfffffffe));
    out.changed.emplace_back(key.member);
    return true;
  }
  return false;
}

Status set_key(UpdateReservation& out, const Assignment& one, const ReservationRow& known,
               Instant now) {
  std::string_view tail = out.create ? "No reservation created." : "No reservation update.";
  auto in_table = set_from_tables(out, one, known.reservation, tail);
  if (!in_table) return std::unexpected(in_table.error());
  if (*in_table) return {};
  if (is_key(one.key, "StartTime", "Start")) {
    out.changed.emplace_back("start");
    return set_time(out.wanted.start, one, now, "start time", tail);
  }
  if (is_key(one.key, "EndTime", "End")) {
    out.changed.emplace_back("end");
    return set_time(out.wanted.end, one, now, "end time", tail);
  }
  if (is_key(one.key, "Duration", "")) {
    auto limit = parse_time_limit(one.value);
    if (!limit)
      return fail(
          fmt::format("scontrol: error: Invalid duration {}={}.  {}", one.key, one.value, tail));
    constexpr std::int64_t kYear = 365 * 86400;
    std::int64_t span = limit->unlimited ? kYear : limit->minutes() * 60;
    // "Duration+=10": on top of what it is.
    std::int64_t before = (known.reservation.end - known.reservation.start).count() / 1000;
    out.duration_s = one.sign == '+' ? before + span : one.sign == '-' ? before - span : span;
    return {};
  }
  if (is_key(one.key, "Nodes", "NodeList")) {
    auto nodes = edited_nodes(known.nodes, one);
    if (!nodes) return std::unexpected(nodes.error());
    out.wanted.node_text = *nodes;
    out.changed.emplace_back("node_text");
    return {};
  }
  if (is_key(one.key, "Flags", "Flag")) return set_flags(out, one, tail);
  if (is_key(one.key, "TRES", "TRESPerNode"))
    return set_tres(out, one.value, tail, same_ignoring_case(one.key, "TRESPerNode"));
  if (is_key(one.key, "MaxStartDelay", "")) {
    auto limit = parse_time_limit(one.value);
    if (!limit)
      return fail(fmt::format("scontrol: error: Invalid MaxStartDelay {}.  {}", one.value, tail));
    out.wanted.max_start_delay_s = static_cast<std::uint32_t>(limit->span.count());
    out.changed.emplace_back("max_start_delay_s");
    return {};
  }
  if (is_key(one.key, "Skip", "")) {
    out.skip = true;
    return {};
  }
  return fail(fmt::format("Update of this parameter is not supported: {}={}\n{}", one.key,
                          printable(one.value), tail));
}

Status check_complete(const UpdateReservation& out) {
  auto given = [&](std::string_view name) {
    return std::ranges::find(out.changed, name) != out.changed.end();
  };
  auto lacks = [](std::string_view text) {
    return fail(fmt::format("scontrol: error: {}  No reservation created.", text));
  };
  if (!given("start")) return lacks("A start time must be given.");
  if (!given("end") && out.duration_s < 0) return lacks("An end time or duration must be given.");
  bool something = given("core_count") || given("node_text") || given("node_count") ||
                   given("burst_buffer") || given("licenses");
  if (!something)
    return lacks("CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified.");
  if (!given("users") && !given("groups") && !given("accounts"))
    return lacks("Either Users/Groups and/or Accounts must be specified.");
  return {};
}

}  // namespace

std::vector<KeyInfo> reservation_key_infos() {
  std::vector<KeyInfo> out{{"ReservationName", "Reservation", "NAME", "What it is called"}};
  for (const TextKey& key : kTexts) out.push_back({key.name, key.alias, "TEXT", key.help});
  for (const CountKey& key : kCounts) out.push_back({key.name, key.alias, "COUNT", key.help});
  const KeyInfo others[] = {
      {"StartTime", "Start", "TIME", "When it begins"},
      {"EndTime", "End", "TIME", "When it ends"},
      {"Duration", "", "TIME", "How long it is; += and -= change it"},
      {"Nodes", "NodeList", "NODES", "Which nodes; ALL for all; += and -= change them"},
      {"Flags", "Flag", "LIST", "What is special about it; += and -= change them"},
      {"TRES", "TRESPerNode", "LIST", "cpu=, node= and license/NAME= in one"},
      {"MaxStartDelay", "", "TIME", "Jobs that may start so late may use it before"},
      {"Skip", "", "", "The next repetition does not take place"},
  };
  out.insert(out.end(), std::begin(others), std::end(others));
  return out;
}

std::string reservation_named(const std::vector<Assignment>& assignments) {
  for (const Assignment& one : assignments)
    if (is_key(one.key, "ReservationName", "Reservation")) return one.value;
  return "";
}

Result<UpdateReservation> reservation_update(const std::vector<Assignment>& assignments,
                                             const ReservationRow& known, Instant now,
                                             bool create) {
  UpdateReservation out{.create = create};
  for (const Assignment& one : assignments) {
    if (is_key(one.key, "ReservationName", "Reservation")) {
      out.wanted.name = one.value;
      continue;
    }
    if (Status set = set_key(out, one, known, now); !set) return std::unexpected(set.error());
  }
  if (create)
    if (Status complete = check_complete(out); !complete) return std::unexpected(complete.error());
  return out;
}

}  // namespace ym::cli
