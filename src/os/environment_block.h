// SPDX-License-Identifier: Apache-2.0
// An environment as exec takes it: NAME=value, each name once.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

class EnvironmentBlock {
 public:
  EnvironmentBlock() = default;
  // NAME=value, each ended by NUL; entries without a name are left out, of a repeated one the first
  // counts.
  explicit EnvironmentBlock(std::string_view bytes);

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  void set(std::string_view name, std::string value) {
    values_.insert_or_assign(std::string(name), std::move(value));
  }
  void set(std::string_view name, std::uint64_t value) { set(name, std::to_string(value)); }
  void set_default(std::string_view name, std::string value) {
    values_.emplace(std::string(name), std::move(value));
  }
  // Empty if there is none.
  std::string get(std::string_view name) const;
  void remove(std::string_view name);
  // Every one whose name has that in it.
  void remove_containing(std::string_view part);
  // All entries of the other one, in place of those here.
  void set_all(const EnvironmentBlock& other);
  // Entries of the other one whose names are not here; SLURM_ names are left out.
  void add_missing(const EnvironmentBlock& other);
  std::string bytes() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The start of each entry of such bytes, then a null pointer: what exec takes. Good as long as
// `bytes` is.
std::vector<char*> environment_pointers(std::string& bytes);

}  // namespace ym
