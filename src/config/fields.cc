// SPDX-License-Identifier: Apache-2.0
#include "config/fields.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

std::string_view opener(KeyScope scope) {
  switch (scope) {
    case KeyScope::Main: return "";
    case KeyScope::Node: return "NodeName";
    case KeyScope::Partition: return "PartitionName";
    case KeyScope::NodeSet: return "NodeSet";
    case KeyScope::DownNodes: return "DownNodes";
  }
  return "";
}

// Saying the default, or "none", asks for nothing that we fail to do.
bool asks_for_something(const KeyInfo& key, const Value& value) {
  std::string shown = shown_value(key, value);
  if (shown == "(null)" || same_ignoring_case(shown, key.shown_default)) return false;
  return !same_ignoring_case(shown, "none") && !to_lower(shown).ends_with("/none");
}

void unknown_key(KeyScope scope, std::string_view key, Place place, Findings& findings) {
  std::string text = fmt::format("unknown key {}", printable(key, 64));
  if (scope != KeyScope::Main) text += fmt::format(" on a {} line", opener(scope));
  std::string_view meant = nearest_key(scope, key);
  if (!meant.empty()) text += fmt::format(", did you mean {}?", meant);
  findings.diagnostics.error(place, text);
}

}  // namespace

std::string KeyUse::text() const {
  return scope == KeyScope::Main ? key : fmt::format("{} on {} lines", key, opener(scope));
}

void Findings::note_unused(KeyScope scope, std::string_view key, std::string_view value,
                           Place place) {
  for (KeyUse& use : not_acted_on)
    if (use.scope == scope && use.key == key) {
      ++use.count;
      return;
    }
  not_acted_on.push_back({.scope = scope,
                          .key = std::string(key),
                          .value = std::string(value),
                          .place = diagnostics.name(place),
                          .count = 1});
}

const Value* Fields::find(std::string_view key) const {
  for (const Field& field : fields_)
    if (field.key->name == key) return &field.value;
  return nullptr;
}

const Value* Fields::find(const KeyInfo& key) const {
  for (const Field& field : fields_)
    if (field.key == &key) return &field.value;
  return nullptr;
}

std::string Fields::text(std::string_view key, std::string_view otherwise) const {
  const Value* value = find(key);
  return value ? value->text : std::string(otherwise);
}

std::uint64_t Fields::number(std::string_view key, std::uint64_t otherwise) const {
  const Value* value = find(key);
  return value ? value->number : otherwise;
}

void Fields::set(const KeyInfo& key, Value value) {
  for (Field& field : fields_)
    if (field.key == &key) {
      field.value = std::move(value);
      return;
    }
  fields_.push_back({&key, std::move(value)});
}

void Fields::update(const Fields& later) {
  for (const Field& field : later.fields_) set(*field.key, field.value);
}

CheckedValue check_assignment(KeyScope scope, const Assignment& assignment, Place place,
                              Findings& findings) {
  const KeyInfo* found = find_key(scope, assignment.key);
  if (!found) {
    unknown_key(scope, assignment.key, place, findings);
    return {};
  }
  const KeyInfo& key = canonical(scope, *found);
  if (key.status == KeyStatus::Refused) {
    findings.diagnostics.error(place, fmt::format("{}: {}", key.name, key.note));
    return {};
  }
  if (key.status == KeyStatus::Obsolete) {
    std::string text = fmt::format("{} is obsolete and ignored", key.name);
    if (!key.note.empty()) text += fmt::format(": {}", key.note);
    findings.diagnostics.warn(place, text);
    return {};
  }
  auto value = parse_value(key, assignment.value);
  if (!value) {
    findings.diagnostics.error(place, fmt::format("{}: {}", key.name, value.error().text));
    return {};
  }
  if (key.status == KeyStatus::NotYet && asks_for_something(key, *value))
    findings.note_unused(scope, key.name, value->text, place);
  return {&key, std::move(*value)};
}

Fields check_fields(KeyScope scope, const ConfigLine& line, std::size_t from, Findings& findings) {
  Fields fields;
  for (std::size_t i = from; i < line.assignments.size(); ++i) {
    CheckedValue checked = check_assignment(scope, line.assignments[i], line.place, findings);
    if (!checked.key) continue;
    if (fields.has(checked.key->name))
      findings.diagnostics.error(line.place,
                                 fmt::format("{} is given twice on one line", checked.key->name));
    fields.set(*checked.key, std::move(checked.value));
  }
  return fields;
}

}  // namespace ym
