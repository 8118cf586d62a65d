// SPDX-License-Identifier: Apache-2.0
#include "notation/binding.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

template <class Kind>
struct Word {
  std::string_view name;
  Kind kind;
  bool has_list = false, masks = false;
};

constexpr std::array<Word<CpuBindKind>, 11> kCpuWords{{
    {"none", CpuBindKind::None},
    {"rank", CpuBindKind::Rank},
    {"map_cpu", CpuBindKind::Map, true},
    {"mask_cpu", CpuBindKind::Mask, true, true},
    {"rank_ldom", CpuBindKind::RankLdom},
    {"map_ldom", CpuBindKind::MapLdom, true},
    {"mask_ldom", CpuBindKind::MaskLdom, true, true},
    {"sockets", CpuBindKind::Sockets},
    {"cores", CpuBindKind::Cores},
    {"threads", CpuBindKind::Threads},
    {"ldoms", CpuBindKind::Ldoms},
}};
constexpr std::array<Word<MemBindKind>, 5> kMemWords{{
    {"none", MemBindKind::None},
    {"local", MemBindKind::Local},
    {"rank", MemBindKind::Rank},
    {"map_mem", MemBindKind::Map, true},
    {"mask_mem", MemBindKind::Mask, true, true},
}};

// "core" is as good as "cores".
bool named(std::string_view word, std::string_view name) {
  return same_ignoring_case(word, name) ||
         (name.ends_with('s') && same_ignoring_case(word, name.substr(0, name.size() - 1)));
}

// Sets what does not choose a kind; false if the word is none of these.
template <class Bind>
bool set_manner(Bind& bind, std::string_view word) {
  if (named(word, "verbose") || word == "v")
    bind.verbose = true;
  else if (named(word, "quiet") || word == "q")
    bind.verbose = false;
  else if (named(word, "help"))
    bind.help = true;
  else
    return false;
  return true;
}
bool is_manner(std::string_view word) {
  CpuBind ignored;
  return set_manner(ignored, word);
}

template <class Words>
auto find_word(const Words& words, std::string_view name) {
  return std::ranges::find_if(words, [&](const auto& word) { return named(name, word.name); });
}

// The parts from `at` on that belong to a list: all up to a word like verbose.
std::vector<std::string_view> list_words(const std::vector<std::string_view>& parts,
                                         std::size_t& at) {
  std::vector<std::string_view> words{parts[at].substr(parts[at].find(':') + 1)};
  while (at + 1 < parts.size() && !is_manner(parts[at + 1])) words.push_back(parts[++at]);
  return words;
}

template <class Bind, class Words, class Other>
Result<Bind> parse_bind(std::string_view text, std::string_view option, const Words& kinds,
                        Other set_other) {
  Bind out;
  if (text.empty()) return out;
  auto invalid = [&](std::string_view why) {
    return fail(fmt::format("{}; see --{}=help", why, option));
  };
  std::vector<std::string_view> parts = split(text, ',');
  bool chosen = false;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (set_manner(out, parts[at]) || set_other(out, parts[at])) continue;
    auto kind = find_word(kinds, parts[at].substr(0, parts[at].find(':')));
    bool with_list = parts[at].find(':') != std::string_view::npos;
    if (kind == kinds.end() || kind->has_list != with_list || chosen)
      return invalid("no such way of binding");
    chosen = true;
    out.kind = kind->kind;
    if (!with_list) continue;
    auto list = BindList::parse(list_words(parts, at), kind->masks);
    if (!list) return invalid(list.error().text);
    out.list = std::move(*list);
  }
  return out;
}

template <class Bind, class Words>
std::string print_bind(const Bind& bind, const Words& kinds, std::string_view others) {
  if (bind.help) return "help";
  std::string out(bind.verbose ? "verbose" : "quiet");
  out += others;
  for (const auto& word : kinds) {
    if (word.kind != bind.kind) continue;
    out += fmt::format(",{}", word.name);
    if (word.has_list) out += fmt::format(":{}", bind.list.str(word.masks));
    break;
  }
  return out;
}

}  // namespace

Result<BindList> BindList::parse(const std::vector<std::string_view>& words, bool masks) {
  BindList out;
  if (words.size() > kEntriesMax) return fail("the list is too long");
  for (std::string_view word : words) {
    Entry entry;
    if (auto star = word.find('*'); star != std::string_view::npos) {
      auto repeat = parse_unsigned<std::uint32_t>(word.substr(star + 1));
      if (!repeat || *repeat == 0 || *repeat > kRepeatMax)
        return fail(fmt::format("\"{}\" has no number of repetitions", printable(word)));
      entry.repeat = *repeat;
      word = word.substr(0, star);
    }
    bool hexadecimal = masks || starts_with_ignoring_case(word, "0x");
    if (masks) {
      auto mask = parse_cpu_mask(word);
      if (!mask) return std::unexpected(mask.error());
      entry.numbers = std::move(*mask);
    } else {
      std::uint64_t number = 0;
      std::string_view digits = hexadecimal ? word.substr(2) : word;
      bool good = !digits.empty() && digits.size() <= 8;
      for (char c : digits) {
        int digit = c >= '0' && c <= '9' ? c - '0' : lower(c) - 'a' + 10;
        good = good && digit >= 0 && digit < (hexadecimal ? 16 : 10);
        number = number * (hexadecimal ? 16 : 10) + static_cast<std::uint64_t>(std::max(digit, 0));
      }
      if (!good || number >= kCpuNumberEnd)
        return fail(fmt::format("\"{}\" is not a number", printable(word)));
      entry.numbers = {static_cast<std::uint32_t>(number)};
    }
    out.entries_.push_back(std::move(entry));
  }
  return out;
}

std::string BindList::str(bool masks) const {
  std::string out;
  for (const Entry& entry : entries_) {
    if (!out.empty()) out += ',';
    out += masks ? print_cpu_mask(entry.numbers) : fmt::format("{}", entry.numbers.front());
    if (entry.repeat > 1) out += fmt::format("*{}", entry.repeat);
  }
  return out;
}

const CpuNumbers& BindList::of(std::uint32_t task) const {
  std::uint64_t total = 0;
  for (const Entry& entry : entries_) total += entry.repeat;
  std::uint64_t at = task % total;
  for (const Entry& entry : entries_) {
    if (at < entry.repeat) return entry.numbers;
    at -= entry.repeat;
  }
  return entries_.back().numbers;
}

Result<CpuBind> CpuBind::parse(std::string_view text) {
  return parse_bind<CpuBind>(text, "cpu-bind", kCpuWords,
                             [](CpuBind&, std::string_view) { return false; });
}

std::string CpuBind::str() const { return print_bind(*this, kCpuWords, ""); }

Result<MemBind> MemBind::parse(std::string_view text) {
  return parse_bind<MemBind>(text, "mem-bind", kMemWords, [](MemBind& bind, std::string_view word) {
    bool prefer = word == "p" || named(word, "prefer"), sort = named(word, "sort");
    bind.prefer = bind.prefer || prefer;
    bind.sort = bind.sort || sort;
    return prefer || sort || named(word, "nosort");
  });
}

std::string MemBind::str() const {
  return print_bind(*this, kMemWords,
                    fmt::format("{}{}", prefer ? ",prefer" : "", sort ? ",sort" : ""));
}

Result<Hint> parse_hint(std::string_view text) {
  static constexpr std::pair<std::string_view, Hint> kHints[] = {
      {"", Hint::None},
      {"compute_bound", Hint::ComputeBound},
      {"memory_bound", Hint::MemoryBound},
      {"multithread", Hint::Multithread},
      {"nomultithread", Hint::NoMultithread},
  };
  for (const auto& [name, hint] : kHints)
    if (same_ignoring_case(text, name)) return hint;
  return fail(fmt::format("\"{}\" is no hint; see --hint=help", printable(text)));
}

std::string_view cpu_bind_help() {
  return "What --cpu-bind takes:\n"
         "  quiet | verbose          say nothing (the default), or tell each task's mask\n"
         "  none                     no binding\n"
         "  sockets | cores | threads | ldoms\n"
         "                           each task to as many of these as it has CPUs\n"
         "  map_cpu:ID[*N],...       the first task to the first CPU of the list, and so on\n"
         "  mask_cpu:MASK[*N],...    likewise, by masks\n"
         "  rank_ldom                each task to the NUMA domain of its number\n"
         "  map_ldom:ID[*N],...      to the NUMA domains of the list\n"
         "  mask_ldom:MASK[*N],...   likewise, by masks\n"
         "  help                     this text\n"
         "Without a wish, tasks are bound if a step has just as many sockets, cores or\n"
         "threads as its tasks need CPUs.\n";
}

std::string_view mem_bind_help() {
  return "What --mem-bind takes:\n"
         "  quiet | verbose          say nothing (the default), or tell each task's binding\n"
         "  none                     no binding\n"
         "  local                    memory of the NUMA domains of the task's CPUs\n"
         "  rank                     of the NUMA domain of the task's number\n"
         "  map_mem:ID[*N],...       of the NUMA domains of the list\n"
         "  mask_mem:MASK[*N],...    likewise, by masks\n"
         "  prefer                   prefer that memory, do not insist on it\n"
         "  sort                     taken, without effect\n"
         "  help                     this text\n";
}

std::string_view hint_help() {
  return "What --hint takes:\n"
         "  compute_bound            all cores of each socket, one thread on each core\n"
         "  memory_bound             one core of each socket, one thread on each core\n"
         "  multithread              use the extra threads of cores\n"
         "  nomultithread            one thread on each core\n"
         "  help                     this text\n";
}

}  // namespace ym
