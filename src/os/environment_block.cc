// SPDX-License-Identifier: Apache-2.0
#include "os/environment_block.h"

namespace ym {

EnvironmentBlock::EnvironmentBlock(std::string_view bytes) {
  while (!bytes.empty()) {
    auto end = bytes.find('\0');
    std::string_view entry = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    values_.emplace(std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1)));
  }
}

std::string EnvironmentBlock::get(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

void EnvironmentBlock::remove(std::string_view name) {
  auto found = values_.find(name);
  if (found != values_.end()) values_.erase(found);
}

void EnvironmentBlock::remove_containing(std::string_view part) {
  std::erase_if(values_,
                [&](const auto& one) { return one.first.find(part) != std::string::npos; });
}

void EnvironmentBlock::set_all(const EnvironmentBlock& other) {
  for (const auto& [name, value] : other.values_) values_.insert_or_assign(name, value);
}

void EnvironmentBlock::add_missing(const EnvironmentBlock& other) {
  for (const auto& [name, value] : other.values_) {
    if (!name.starts_with("SLURM_")) values_.emplace(name, value);
  }
}

std::string EnvironmentBlock::bytes() const {
  std::string out;
  for (const auto& [name, value] : values_) {
    out += name;
    out += '=';
    out += value;
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
