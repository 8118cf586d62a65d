// SPDX-License-Identifier: Apache-2.0
// Bytes to values: the template behind decode().
#pragma once
#include "wire/traits.h"

namespace ym::wire {

// How much a message may swell: list elements are charged by their size in memory.
struct Budget {
  std::size_t left;
};

template <class T>
bool get_struct(std::string_view bytes, T& value, Budget& budget, std::string& error);

template <class T>
bool get_field(Reader& in, WireType type, T& value, Budget& budget, std::string& error) {
  if constexpr (Scalar<T>) {
    return type == WireType::Varint && scalar_from(in.varint(), value) && !in.failed();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (type != WireType::Bytes) return false;
    value = in.run();
    return !in.failed();
  } else if constexpr (Textual<T>) {
    if (type != WireType::Bytes) return false;
    return text_from(in.run(), value) && !in.failed();
  } else if constexpr (IsRef<T>::value) {
    using Inner = std::remove_cvref_t<decltype(*value)>;
    Inner inner{};
    if constexpr (IsRecordList<Inner>::value) {
      if (type != WireType::Bytes) return false;
      Reader list(in.run());
      while (!list.done()) {
        std::uint64_t key = list.varint();
        if (key != (1u << 3 | 2) || !get_field(list, WireType::Bytes, inner, budget, error))
          return false;
      }
      if (in.failed() || list.failed()) return false;
    } else if (!get_field(in, type, inner, budget, error)) {
      return false;
    }
    value = T(std::move(inner));
    return true;
  } else if constexpr (IsOptional<T>::value) {
    value.emplace();
    return get_field(in, type, *value, budget, error);
  } else if constexpr (IsVector<T>::value) {
    using Element = typename T::value_type;
    if (type != WireType::Bytes) return false;
    if constexpr (Scalar<Element>) {
      Reader list(in.run());
      while (!list.done()) {
        if (budget.left < sizeof(Element)) return false;
        budget.left -= sizeof(Element);
        if (!scalar_from(list.varint(), value.emplace_back())) return false;
      }
      return !in.failed() && !list.failed();
    } else {
      if (budget.left < sizeof(Element)) return false;
      budget.left -= sizeof(Element);
      return get_field(in, type, value.emplace_back(), budget, error);
    }
  } else {
    if (type != WireType::Bytes) return false;
    std::string_view run = in.run();
    return !in.failed() && get_struct(run, value, budget, error);
  }
}

template <class Variant, std::size_t I = 0>
bool get_alternative(std::uint32_t number, Reader& in, Variant& value, Budget& budget,
                     std::string& error, bool& known) {
  if constexpr (I < std::variant_size_v<Variant>) {
    using Alternative = std::variant_alternative_t<I, Variant>;
    if (variant_number<Alternative> != number)
      return get_alternative<Variant, I + 1>(number, in, value, budget, error, known);
    known = true;
    return get_field(in, WireType::Bytes, value.template emplace<I>(), budget, error);
  }
  return true;
}

template <class T>
bool get_struct(std::string_view bytes, T& value, Budget& budget, std::string& error) {
  Reader in(bytes);
  std::uint64_t key = 0;
  bool have_key = false;
  auto next_key = [&] {
    have_key = !in.done();
    if (have_key) key = in.varint();
  };
  next_key();
  // Encoders write fields in the description's order, so one pass over it reads a whole message.
  // What is out of order takes another pass; what no pass knows is skipped.
  while (have_key && !in.failed()) {
    bool progress = false, bad = false;
    fields(
        [&](std::uint32_t number, const char* name, auto member) {
          using Field = std::remove_cvref_t<decltype(value.*member)>;
          while (have_key && !bad && !in.failed()) {
            auto found = static_cast<std::uint32_t>(key >> 3);
            auto type = static_cast<WireType>(key & 7);
            if constexpr (IsVariant<Field>::value) {
              bool known = false;
              if (type != WireType::Bytes) return;
              bad = !get_alternative(found, in, value.*member, budget, error, known);
              if (!known) return;
            } else {
              if (found != number) return;
              bad = !get_field(in, type, value.*member, budget, error);
            }
            if (bad && error.empty())
              error = fmt::format("bad value of \"{}\" near byte {}", name, in.at());
            progress = true;
            next_key();
          }
        },
        static_cast<const T*>(nullptr));
    if (bad) return false;
    if (!progress && have_key && !in.failed()) {
      in.skip(static_cast<WireType>(key & 7));
      next_key();
    }
  }
  if (in.failed() && error.empty())
    error = fmt::format("cut short or broken near byte {}", in.at());
  return !in.failed();
}

template <class T>
Result<T> decode(std::string_view bytes) {
  constexpr std::size_t kBudgetFloor = 1 << 20, kBudgetPerByte = 64;
  Budget budget{kBudgetFloor + bytes.size() * kBudgetPerByte};
  T value{};
  std::string error;
  if (!get_struct(bytes, value, budget, error)) {
    if (error.empty()) error = "more list elements than its size allows";
    return fail("message cannot be read: " + error);
  }
  return value;
}

}  // namespace ym::wire
