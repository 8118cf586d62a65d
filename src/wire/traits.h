// SPDX-License-Identifier: Apache-2.0
// How each C++ type stands in protobuf's wire format. Included only within this room.
#pragma once
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/ref.h"
#include "base/text.h"
#include "base/time.h"
#include "notation/array.h"
#include "notation/dependency.h"
#include "wire/codec.h"
#include "wire/primitives.h"

namespace ym::wire {

// Ids, Uid, Gid, StepId: a struct around one number.
template <class T>
concept Wrapped = requires(T t) { t.value; } && std::is_class_v<T> &&
                  std::is_integral_v<decltype(T::value)> && sizeof(T) == sizeof(T::value);
template <class T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T> || Wrapped<T> ||
                 std::is_same_v<T, Instant> || std::is_same_v<T, Duration>;
// Little languages travel as their text.
template <class T>
concept Textual = std::is_same_v<T, IndexSet> || std::is_same_v<T, Dependency>;
template <class T>
struct IsRef : std::false_type {};
template <class T>
struct IsRef<Ref<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsRecordList : std::false_type {};
template <class T>
struct IsRecordList<std::vector<T>> : std::bool_constant<!Scalar<T>> {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... Ts>
struct IsVariant<std::variant<Ts...>> : std::true_type {};

// The field number of each alternative of a variant is its own (variant_number below) so that order
// may change.
template <class T>
constexpr std::uint32_t variant_number = 0;

template <class T>
std::uint64_t scalar_bits(const T& value) {
  if constexpr (Wrapped<T>)
    return scalar_bits(value.value);
  else if constexpr (std::is_same_v<T, Instant>)
    return zigzag(value.unix_ms);
  else if constexpr (std::is_same_v<T, Duration>)
    return zigzag(value.count());
  else if constexpr (std::is_enum_v<T>)
    return static_cast<std::uint64_t>(value);
  else if constexpr (std::is_signed_v<T>)
    return zigzag(value);
  else
    return static_cast<std::uint64_t>(value);
}

// False if the number does not fit the type.
template <class T>
bool scalar_from(std::uint64_t bits, T& value) {
  if constexpr (Wrapped<T>) {
    return scalar_from(bits, value.value);
  } else if constexpr (std::is_same_v<T, Instant>) {
    value.unix_ms = unzigzag(bits);
  } else if constexpr (std::is_same_v<T, Duration>) {
    value = Duration(unzigzag(bits));
  } else if constexpr (std::is_enum_v<T>) {
    if (bits > 0xff) return false;
    value = static_cast<T>(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = bits != 0;
  } else if constexpr (std::is_signed_v<T>) {
    std::int64_t wide = unzigzag(bits);
    value = static_cast<T>(wide);
    return value == wide;
  } else {
    value = static_cast<T>(bits);
    return value == bits;
  }
  return true;
}

// Equal sets may be cut into runs differently, by the way they came about ("3,5" and "3-5:2"). What
// is stored or hashed is the form that reading it gives again.
inline std::string text_form(const IndexSet& set) {
  std::string text = set.str();
  auto canonical = text.empty() ? IndexSet{} : IndexSet::parse(text).value_or(set);
  return canonical.str();
}
inline std::string text_form(const Dependency& dependency) { return dependency.str(); }
inline bool text_from(std::string_view text, IndexSet& set) {
  if (text.empty()) return true;
  auto parsed = IndexSet::parse(text);
  if (parsed) set = std::move(*parsed);
  return parsed.has_value();
}
inline bool text_from(std::string_view text, Dependency& dependency) {
  if (text.empty()) return true;
  auto parsed = Dependency::parse(text);
  if (parsed) dependency = std::move(*parsed);
  return parsed.has_value();
}
}  // namespace ym::wire
