// SPDX-License-Identifier: Apache-2.0
// The checked values of one line, by key, with what a DEFAULT line before it said.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/keys.h"
#include "config/lex.h"
#include "config/values.h"

namespace ym {

// A key in use that is known but not acted on yet.
struct KeyUse {
  KeyScope scope = KeyScope::Main;
  std::string key;
  std::string value;  // of its first use
  std::string place;  // "slurm.conf:12"
  std::uint64_t count = 0;
  // "SchedulerParameters", "Gres on NodeName lines"
  std::string text() const;
  bool operator==(const KeyUse&) const = default;
};

// Whom the readers of lines report to.
struct Findings {
  Diagnostics diagnostics;
  std::vector<KeyUse> not_acted_on;

  void note_unused(KeyScope scope, std::string_view key, std::string_view value, Place place);
};

class Fields {
 public:
  // The last value of the key, by its canonical name; nullptr if it was not given.
  const Value* find(std::string_view key) const;
  const Value* find(const KeyInfo& key) const;  // a row of the table itself: nothing is compared
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key, std::string_view otherwise = "") const;
  std::uint64_t number(std::string_view key, std::uint64_t otherwise) const;
  bool yes(std::string_view key, bool otherwise = false) const {
    return number(key, otherwise ? 1 : 0) != 0;
  }

  void for_each(const std::function<void(const KeyInfo&, const Value&)>& visit) const {
    for (const Field& field : fields_) visit(*field.key, field.value);
  }

  void set(const KeyInfo& key, Value value);
  // Adds what `later` says, replacing what was said before.
  void update(const Fields& later);

 private:
  struct Field {
    const KeyInfo* key;
    Value value;
  };
  std::vector<Field> fields_;
};

// Looks the key up, refuses or warns as the table says, and checks the value. Nothing is returned
// if it is not to be used.
struct CheckedValue {
  const KeyInfo* key = nullptr;  // canonical; nullptr: do not use
  Value value;
};
CheckedValue check_assignment(KeyScope scope, const Assignment& assignment, Place place,
                              Findings& findings);

// All assignments of the line from number `from` on.
Fields check_fields(KeyScope scope, const ConfigLine& line, std::size_t from, Findings& findings);

}  // namespace ym
