// SPDX-License-Identifier: Apache-2.0
// Structured output, written as it is told: maps, lists, texts and numbers as JSON or as YAML. One
// writer for both, so that they never say different things.
//
//   DataWriter data(Notation::Json);
//   data.begin_map().text("name", "n1").begin_list("jobs") … .end().end();
//   print(data.finish());
//
// Within a map every call takes a key, within a list none. Bytes that are not UTF-8 become U+FFFD.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ym::cli {

enum class Notation : std::uint8_t { Json, Yaml };

class DataWriter {
 public:
  // JSON on one line where SLURM_JSON=compact is in the environment.
  explicit DataWriter(Notation notation);
  DataWriter(Notation notation, bool compact);

  DataWriter& begin_map(std::string_view key = {});
  DataWriter& begin_list(std::string_view key = {});
  DataWriter& end();  // of the innermost map or list
  DataWriter& text(std::string_view key, std::string_view value);
  DataWriter& integer(std::string_view key, std::int64_t value);
  // The shortest text that reads back as the same number; none (null) for what is no number.
  DataWriter& real(std::string_view key, double value);
  DataWriter& flag(std::string_view key, bool value);
  DataWriter& texts(std::string_view key, const std::vector<std::string>& values);
  // Slurm's numbers that may be missing or without end: {set, infinite, number}.
  DataWriter& number(std::string_view key, std::optional<std::uint64_t> value);
  DataWriter& infinite(std::string_view key);

  // What has been written since the last take; for long reports.
  std::string take();
  std::size_t pending() const { return out_.size(); }
  // REQUIRES: everything that was begun has ended.
  std::string finish();

 private:
  struct Level {
    bool list = false;
    bool empty = true;
  };
  void place(std::string_view key);  // everything that stands before a value
  void begin(std::string_view key, bool list);
  void scalar(std::string_view key, std::string_view value);
  void line();

  Notation notation_;
  bool compact_ = false;  // of JSON only: lines and indents are YAML's structure
  std::string out_;
  std::vector<Level> levels_;
};

// With quotes and escapes, as both notations read it.
std::string quoted(std::string_view text);

}  // namespace ym::cli
