// SPDX-License-Identifier: Apache-2.0
#include "os/environment_block.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ym {

EnvironmentBlock::EnvironmentBlock(std::string_view bytes) : text_(bytes) {
  entries_.reserve(static_cast<std::size_t>(std::ranges::count(bytes, '\0')) + 1);
  for (std::size_t at = 0; at < text_.size();) {
    std::string_view entry = std::string_view(text_).substr(at);
    entry = entry.substr(0, entry.find('\0'));
    auto equals = entry.find('=');
    if (equals != std::string_view::npos && equals != 0)
      entries_.push_back({.at = at, .name_size = equals, .size = entry.size()});
    at += entry.size() + 1;
  }
  auto name = [this](const Entry& entry) { return name_of(entry); };
  bool once_and_sorted =
      std::ranges::adjacent_find(entries_, std::ranges::greater_equal(), name) == entries_.end();
  if (once_and_sorted) return;
  // Of the same name in the order in which they came.
  std::ranges::sort(entries_, {},
                    [&](const Entry& entry) { return std::pair(name(entry), entry.at); });
  auto repeated = std::ranges::unique(entries_, {}, name);
  entries_.erase(repeated.begin(), repeated.end());
}

std::vector<EnvironmentBlock::Entry>::const_iterator EnvironmentBlock::place_of(
    std::string_view name) const {
  return std::ranges::lower_bound(entries_, name, {},
                                  [this](const Entry& entry) { return name_of(entry); });
}

const EnvironmentBlock::Entry* EnvironmentBlock::find(std::string_view name) const {
  auto place = place_of(name);
  return place != entries_.end() && name_of(*place) == name ? &*place : nullptr;
}

void EnvironmentBlock::set(std::string_view name, std::string_view value) {
  Entry entry{.at = text_.size(), .name_size = name.size(), .size = name.size() + 1 + value.size()};
  auto place = place_of(name);
  bool there = place != entries_.end() && name_of(*place) == name;
  text_.append(name).append(1, '=').append(value);
  if (there)
    entries_[static_cast<std::size_t>(place - entries_.begin())] = entry;
  else
    entries_.insert(place, entry);
}

std::string EnvironmentBlock::get(std::string_view name) const {
  const Entry* found = find(name);
  return std::string(found ? value_of(*found) : "");
}

void EnvironmentBlock::remove(std::string_view name) {
  auto place = place_of(name);
  if (place != entries_.end() && name_of(*place) == name) entries_.erase(place);
}

void EnvironmentBlock::remove_containing(std::string_view part) {
  std::erase_if(entries_, [&](const Entry& entry) { return name_of(entry).contains(part); });
}

void EnvironmentBlock::set_all(const EnvironmentBlock& other) {
  for (const Entry& entry : other.entries_) set(other.name_of(entry), other.value_of(entry));
}

void EnvironmentBlock::add_missing(const EnvironmentBlock& other) {
  for (const Entry& entry : other.entries_) {
    std::string_view name = other.name_of(entry);
    if (!name.starts_with("SLURM_")) set_default(name, other.value_of(entry));
  }
}

std::string EnvironmentBlock::bytes() const {
  std::size_t size = entries_.size();
  for (const Entry& entry : entries_) size += entry.size;
  std::string out;
  out.reserve(size);
  for (const Entry& entry : entries_) {
    out.append(text_, entry.at, entry.size);
    out.push_back('\0');
  }
  return out;
}

std::vector<char*> environment_pointers(std::string& bytes) {
  std::vector<char*> found;
  for (std::size_t at = 0; at < bytes.size();) {
    found.push_back(bytes.data() + at);
    at = bytes.find('\0', at);
    if (at == std::string::npos) break;
    ++at;
  }
  found.push_back(nullptr);
  return found;
}

}  // namespace ym
