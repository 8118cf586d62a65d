// SPDX-License-Identifier: Apache-2.0
// Values with every field set, made from the schema alone, the same each time: what golden files
// are made of. For tests.
#pragma once
#include <type_traits>

#include "wire/codec_impl.h"

namespace ym::wire {

// `seed` tells siblings apart: the field's number.
template <class T>
void set_sample(T& value, std::uint32_t seed, std::string_view name);

template <class T>
void fill_fields(T& value) {
  fields([&](std::uint32_t number, const char* name,
             auto member) { set_sample(value.*member, number, name); },
         static_cast<const T*>(nullptr));
}

template <class T>
void set_scalar(T& value, std::uint32_t seed) {
  if constexpr (Wrapped<T>)
    set_scalar(value.value, seed);
  else if constexpr (std::is_same_v<T, Instant>)
    value.unix_ms = 1'700'000'000'000 + seed;
  else if constexpr (std::is_same_v<T, Duration>)
    value = Duration(60'000 + seed);
  else if constexpr (std::is_same_v<T, bool>)
    value = true;
  else if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(1);
  else
    value = static_cast<T>(seed + 2);
}

template <class T>
void set_sample(T& value, std::uint32_t seed, std::string_view name) {
  if constexpr (Scalar<T>) {
    set_scalar(value, seed);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = name;
  } else if constexpr (std::is_same_v<T, IndexSet>) {
    value = IndexSet::parse("1-3,7").value();
  } else if constexpr (std::is_same_v<T, Dependency>) {
    value = Dependency::parse("afterok:7").value();
  } else if constexpr (IsVector<T>::value) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      typename T::value_type element{};
      set_sample(element, seed + i, name);
      value.push_back(std::move(element));
    }
  } else if constexpr (IsOptional<T>::value) {
    set_sample(value.emplace(), seed, name);
  } else if constexpr (IsRef<T>::value) {
    std::remove_cvref_t<decltype(*value)> inner{};
    set_sample(inner, seed, name);
    value = T(std::move(inner));
  } else if constexpr (IsVariant<T>::value) {
    std::variant_alternative_t<std::variant_size_v<T> - 1, T> last{};
    set_sample(last, seed, name);
    value = std::move(last);
  } else {
    fill_fields(value);
  }
}

}  // namespace ym::wire
