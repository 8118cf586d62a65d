// SPDX-License-Identifier: Apache-2.0
// An environment as exec takes it: NAME=value, each name once, in the order of the names.
//
// A job's passes through this several times on its way, in a command, in slurmd and in its
// shepherd: entries stand in one text and are told of by a sorted list. One that is replaced stays
// there unseen.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

class EnvironmentBlock {
 public:
  EnvironmentBlock() = default;
  // NAME=value, each ended by NUL; entries without a name are left out, of a repeated one the first
  // counts. O(bytes) if the names are in order, as bytes() has them.
  explicit EnvironmentBlock(std::string_view bytes);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // `value` is not of this block. O(entries), of which all but the search is moving their places.
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, std::uint64_t value) { set(name, std::to_string(value)); }
  void set_default(std::string_view name, std::string_view value) {
    if (!has(name)) set(name, value);
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
  // Where "NAME=value" stands in the text.
  struct Entry {
    std::size_t at, name_size, size;
  };

  std::string_view name_of(const Entry& entry) const {
    return std::string_view(text_).substr(entry.at, entry.name_size);
  }
  std::string_view value_of(const Entry& entry) const {
    return std::string_view(text_).substr(entry.at, entry.size).substr(entry.name_size + 1);
  }
  // The first whose name is not before that one.
  std::vector<Entry>::const_iterator place_of(std::string_view name) const;
  const Entry* find(std::string_view name) const;

  std::string text_;
  std::vector<Entry> entries_;  // by name
};

// The start of each entry of such bytes, then a null pointer: what exec takes. Good as long as
// `bytes` is.
std::vector<char*> environment_pointers(std::string& bytes);

}  // namespace ym
