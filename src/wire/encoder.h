// SPDX-License-Identifier: Apache-2.0
// Values to bytes: the template behind encode_to().
#pragma once
#include "wire/traits.h"

namespace ym::wire {

template <class T>
void put_field(std::string& out, std::uint32_t number, const T& value, bool keep_zero);

// A nested message: its length is not known before it is written, so it is written behind a
// one-byte length that is widened in the rare case that it does not suffice.
template <class Body>
void put_nested(std::string& out, std::uint32_t number, Body body) {
  put_key(out, number, WireType::Bytes);
  std::size_t mark = out.size();
  out.push_back(0);
  body();
  std::size_t length = out.size() - mark - 1;
  if (length < 0x80) {
    out[mark] = static_cast<char>(length);
    return;
  }
  std::string prefix;
  put_varint(prefix, length);
  out.replace(mark, 1, prefix);
}

template <class T>
void put_struct(std::string& out, const T& value) {
  static const T defaults{};
  fields(
      [&](std::uint32_t number, const char*, auto member) {
        using Field = std::remove_cvref_t<decltype(value.*member)>;
        bool keep_zero = false;
        // A zero must be written where the reader would otherwise take a default that is not zero.
        if constexpr (Scalar<Field>) keep_zero = scalar_bits(defaults.*member) != 0;
        if constexpr (std::is_same_v<Field, std::string>) keep_zero = !(defaults.*member).empty();
        put_field(out, number, value.*member, keep_zero);
      },
      static_cast<const T*>(nullptr));
}

template <class T>
void put_field(std::string& out, std::uint32_t number, const T& value, bool keep_zero) {
  if constexpr (Scalar<T>) {
    std::uint64_t bits = scalar_bits(value);
    if (bits == 0 && !keep_zero) return;
    put_key(out, number, WireType::Varint);
    put_varint(out, bits);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (value.empty() && !keep_zero) return;
    put_key(out, number, WireType::Bytes);
    put_varint(out, value.size());
    out += value;
  } else if constexpr (Textual<T>) {
    put_field(out, number, text_form(value), keep_zero);
  } else if constexpr (IsRef<T>::value) {
    if (value) put_field(out, number, *value, true);
  } else if constexpr (IsOptional<T>::value) {
    if (value) put_field(out, number, *value, true);
  } else if constexpr (IsVariant<T>::value) {
    std::visit(
        [&]<class A>(const A& alternative) {
          static_assert(variant_number<A> != 0, "give the alternative a number in schema/");
          put_nested(out, variant_number<A>, [&] { put_struct(out, alternative); });
        },
        value);
  } else if constexpr (IsVector<T>::value) {
    if (value.empty() && !keep_zero) return;
    using Element = typename T::value_type;
    if constexpr (Scalar<Element>) {
      put_nested(out, number, [&] {
        for (const Element& element : value) put_varint(out, scalar_bits(element));
      });
    } else {
      if (keep_zero) {  // inside a Ref: wrapped, so that an empty list differs from none
        put_nested(out, number, [&] {
          for (const Element& element : value) put_field(out, 1, element, true);
        });
      } else {
        for (const Element& element : value) put_field(out, number, element, true);
      }
    }
  } else {
    std::size_t before = out.size();
    put_nested(out, number, [&] { put_struct(out, value); });
    // An empty message (a key and a length of zero) says nothing that its absence would not.
    constexpr std::size_t kEmptyMax = 3, kFieldMin = 2;
    static_assert(kEmptyMax < 2 + kFieldMin);
    if (!keep_zero && out.size() - before <= kEmptyMax) out.resize(before);
  }
}

template <class T>
void encode_to(std::string& out, const T& value) {
  put_struct(out, value);
}

}  // namespace ym::wire
