// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/node_states.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

bool is_up(const Node& node) {
  return node.condition == NodeCondition::Up && node.reboot.phase != RebootPhase::Issued;
}
bool out_of_service(const Node& node) { return node.drain || node.fail; }
bool mixed(const Node& node) {
  return !node.exclusive && node.cpus_used < node.spec->cpus_for_jobs();
}
bool works(const Node& node) { return is_up(node) && node.jobs > node.completing; }
bool never(const Node&) { return false; }
template <PowerPhase kPhase>
bool power_is(const Node& node) {
  return node.power.phase == kPhase;
}
bool wanted_up(const Node& node) { return node.power.phase == PowerPhase::UpWanted; }

struct StateWord {
  std::string_view name, also;
  bool (*holds)(const Node&);
};

// States that no node of ours is ever in are known and never found.
constexpr StateWord kWords[] = {
    {"allocated", "alloc",
     [](const Node& n) { return works(n) && !mixed(n) && !out_of_service(n); }},
    {"mixed", "mix", [](const Node& n) { return works(n) && mixed(n) && !out_of_service(n); }},
    {"idle", "", [](const Node& n) { return is_up(n) && n.jobs == 0 && !out_of_service(n); }},
    {"completing", "comp", [](const Node& n) { return n.completing > 0; }},
    {"down", "", [](const Node& n) { return n.condition == NodeCondition::Down; }},
    {"drain", "", [](const Node& n) { return n.drain; }},
    {"drained", "", [](const Node& n) { return n.drain && n.jobs == 0; }},
    {"draining", "drng", [](const Node& n) { return n.drain && n.jobs > 0; }},
    {"fail", "", [](const Node& n) { return n.fail; }},
    {"failing", "failg", [](const Node& n) { return n.fail && n.jobs > 0; }},
    {"future", "futr", [](const Node& n) { return n.condition == NodeCondition::Future; }},
    {"unknown", "unk", [](const Node& n) { return n.condition == NodeCondition::Unknown; }},
    {"no_respond", "not_responding",
     [](const Node& n) { return !n.responding && !n.switched_off() && !n.must_wake(); }},
    {"reboot", "boot", [](const Node& n) { return n.reboot.phase != RebootPhase::None; }},
    {"reboot_requested", "reboot@",
     [](const Node& n) { return n.reboot.phase == RebootPhase::Requested; }},
    {"reboot_issued", "reboot^",
     [](const Node& n) { return n.reboot.phase == RebootPhase::Issued; }},
    {"all", "", [](const Node&) { return true; }},
    {"reserved", "resv", [](const Node& n) { return n.reserved; }},
    {"planned", "plnd", [](const Node& n) { return n.planned; }},
    {"perfctrs", "npc", never},
    {"cloud", "", [](const Node& n) { return n.cloud(); }},
    {"maint", "maintenance", [](const Node& n) { return n.maintenance; }},
    {"blocked", "block", [](const Node& n) { return n.blocked; }},
    {"power_down", "pow_dn", power_is<PowerPhase::DownWanted>},
    {"powering_down", "", power_is<PowerPhase::PoweringDown>},
    {"powered_down", "", [](const Node& n) { return n.asleep() || wanted_up(n); }},
    {"power_up", "pow_up", wanted_up},
    {"powering_up", "", power_is<PowerPhase::PoweringUp>},
    {"error", "err", never},
    {"inval", "invalid_reg", [](const Node& n) { return n.invalid; }},
};

const StateWord* find_word(std::string_view text) {
  std::string word = to_lower(text);
  for (const StateWord& known : kWords)
    if (word == known.name || (!known.also.empty() && word == known.also)) return &known;
  return nullptr;
}

std::string unknown_state(std::string_view word) {
  std::vector<std::string_view> names;
  std::string list;
  for (const StateWord& known : kWords) {
    names.push_back(known.name);
    list += fmt::format("{}{}", list.empty() ? "" : ",", known.name);
  }
  std::string_view meant = nearest(to_lower(word), names);
  return fmt::format("Bad state string: \"{}\"{}\nvalid states: {}", printable(word),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant), list);
}

}  // namespace

std::uint32_t state_number(const Node& node) {
  std::uint32_t base = 0;
  if (node.condition == NodeCondition::Down || node.reboot.phase == RebootPhase::Issued)
    base = 1;
  else if (node.condition == NodeCondition::Future)
    base = 6;
  else if (node.condition == NodeCondition::Up)
    base = node.jobs == node.completing ? 2 : mixed(node) ? 5 : 3;
  auto bit = [](bool set, unsigned at) { return set ? 1u << at : 0u; };
  bool silent = !node.responding && !node.switched_off() && !node.must_wake();
  PowerPhase power = node.power.phase;
  bool off = node.asleep() || power == PowerPhase::UpWanted;
  return base | bit(node.cloud(), 7) | bit(node.drain, 9) | bit(node.completing > 0, 10) |
         bit(silent, 11) | bit(off, 12) | bit(power == PowerPhase::UpWanted, 14) |
         bit(power == PowerPhase::DownWanted, 19) | bit(power == PowerPhase::PoweringUp, 20) |
         bit(power == PowerPhase::PoweringDown, 18) | bit(node.fail, 13) | bit(node.reserved, 5) |
         bit(node.maintenance, 15) | bit(node.planned, 21) | bit(node.invalid, 22) |
         bit(node.blocked, 27) | bit(node.reboot.phase == RebootPhase::Requested, 16) |
         bit(node.reboot.phase == RebootPhase::Issued, 17);
}

Result<NodeStateChoice> NodeStateChoice::parse(std::string_view text) {
  NodeStateChoice out;
  std::size_t both = text.find_first_of("&+");
  out.all_ = both != std::string_view::npos;
  for (std::string_view word : split_words(text, out.all_ ? text[both] : ',')) {
    word = trim(word);
    bool inverted = word.starts_with('~');
    const StateWord* known = find_word(trim(word.substr(inverted ? 1 : 0)));
    if (!known) return fail(unknown_state(word));
    out.words_.push_back({.name = std::string(known->name), .inverted = inverted});
  }
  return out;
}

bool NodeStateChoice::holds(const Node& node) const {
  if (words_.empty()) return true;
  auto one = [&](const Word& word) { return find_word(word.name)->holds(node) != word.inverted; };
  return all_ ? std::all_of(words_.begin(), words_.end(), one)
              : std::any_of(words_.begin(), words_.end(), one);
}

bool NodeStateChoice::names_future() const {
  return std::ranges::any_of(
      words_, [](const Word& word) { return word.name == "future" && !word.inverted; });
}

}  // namespace ym::cli
