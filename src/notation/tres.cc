// SPDX-License-Identifier: Apache-2.0
#include "notation/tres.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "notation/size.h"

namespace ym {
namespace {

constexpr std::array<std::string_view, 8> kFirst = {"cpu",     "mem",     "energy", "node",
                                                    "billing", "fs/disk", "vmem",   "pages"};

// Where a name stands: the well-known ones first, then by name.
std::pair<std::size_t, std::string_view> rank(std::string_view name) {
  return {static_cast<std::size_t>(std::ranges::find(kFirst, name) - kFirst.begin()), name};
}

bool is_size(std::string_view name) {
  return name == "mem" || name == "vmem" || name.starts_with("bb/");
}

bool valid_name(std::string_view name) {
  constexpr std::string_view kOthers = "_-.:/@+";
  return !name.empty() && name.size() <= Tres::kNameMax && std::ranges::all_of(name, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

std::string canonical(std::string_view name) {
  auto slash = std::min(name.find('/'), name.size());
  return to_lower(name.substr(0, slash)).append(name.substr(slash));
}

Result<std::uint64_t> parse_amount(std::string_view name, std::string_view text, bool limits) {
  if (limits && text == "-1") return Tres::kNoLimit;
  if (is_size(name)) return parse_megabytes(text);
  auto number = parse_u64(text);
  if (number && *number < Tres::kNoLimit) return *number;
  return fail(fmt::format("Invalid amount \"{}\" of the resource {}", printable(text, 64), name));
}

template <class Entries>
auto place(Entries& entries, std::string_view name) {
  return std::ranges::lower_bound(entries, rank(name), {},
                                  [](const Tres::Entry& e) { return rank(e.name); });
}

Result<Tres> read(std::string_view text, bool limits) {
  Tres list;
  if (trim(text).empty()) return list;
  for (std::string_view part : split(text, ',')) {
    part = trim(part);
    auto equals = part.find('=');
    if (equals == std::string_view::npos)
      return fail(fmt::format("Invalid resource list: \"{}\" has no amount", printable(part, 64)));
    std::string name = canonical(part.substr(0, equals));
    if (!valid_name(name))
      return fail(fmt::format("Invalid resource list: \"{}\" is no name of a resource",
                              printable(name, 64)));
    auto amount = parse_amount(name, part.substr(equals + 1), limits);
    if (!amount) return std::unexpected(amount.error());
    if (list.find(name)) return fail(fmt::format("Invalid resource list: {} stands twice", name));
    list.set(name, *amount);
    if (list.entries().size() > Tres::kEntriesMax)
      return fail(fmt::format("Invalid resource list: more than {} resources", Tres::kEntriesMax));
  }
  return list;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  if (a == Tres::kNoLimit || b == Tres::kNoLimit) return Tres::kNoLimit;
  return a < Tres::kNoLimit - b ? a + b : Tres::kNoLimit - 1;
}

}  // namespace

Result<Tres> Tres::parse(std::string_view text) { return read(text, false); }
Result<Tres> Tres::parse_limits(std::string_view text) { return read(text, true); }

std::optional<std::uint64_t> Tres::find(std::string_view name) const {
  auto entry = place(entries_, name);
  if (entry == entries_.end() || entry->name != name) return std::nullopt;
  return entry->amount;
}

std::string Tres::str() const {
  std::string out;
  for (const Entry& entry : entries_) {
    if (!out.empty()) out += ',';
    out += entry.name;
    out += '=';
    if (entry.amount == kNoLimit)
      out += "-1";
    else
      out += is_size(entry.name) ? print_megabytes(entry.amount) : std::to_string(entry.amount);
  }
  return out;
}

void Tres::set(std::string_view name, std::uint64_t amount) {
  auto entry = place(entries_, name);
  if (entry == entries_.end() || entry->name != name)
    entry = entries_.insert(entry, {std::string(name), 0});
  entry->amount = amount;
}

void Tres::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.name == name; });
}

void Tres::add(const Tres& other) {
  for (const Entry& entry : other.entries_) set(entry.name, sum(get(entry.name), entry.amount));
}

void Tres::merge(const Tres& other) {
  for (const Entry& entry : other.entries_) set(entry.name, entry.amount);
}

}  // namespace ym
