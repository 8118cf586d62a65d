// SPDX-License-Identifier: Apache-2.0
// The templates behind codec.h. Included only by the .cc files of this room that instantiate them.
//
// A description is a function `fields(f, const T*)` that calls f(number, "name", &T::member) for
// each field, found by argument-dependent lookup or declared in ym::wire before this header is
// used.
#pragma once
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

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

inline std::string text_form(const IndexSet& set) { return set.str(); }
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

// ----------------------------------------------------------------------------------------------------
// encode

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

// ----------------------------------------------------------------------------------------------------
// decode

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

// ----------------------------------------------------------------------------------------------------
// JSON

using Json = rapidjson::Writer<rapidjson::StringBuffer>;

template <class T>
void json_value(Json& out, const T& value);

template <class T>
bool is_default(const T& value, const T& standard) {
  if constexpr (Scalar<T> || Textual<T> || std::is_same_v<T, std::string>)
    return value == standard;
  else if constexpr (IsRef<T>::value || IsOptional<T>::value)
    return !value;
  else if constexpr (IsVector<T>::value)
    return value.empty();
  else
    return encode(value).empty();
}

template <class T>
void json_struct(Json& out, const T& value) {
  static const T defaults{};
  out.StartObject();
  fields(
      [&](std::uint32_t, const char* name, auto member) {
        using Field = std::remove_cvref_t<decltype(value.*member)>;
        if constexpr (!IsVariant<Field>::value)
          if (is_default(value.*member, defaults.*member)) return;
        out.Key(name);
        json_value(out, value.*member);
      },
      static_cast<const T*>(nullptr));
  out.EndObject();
}

template <class T>
void json_value(Json& out, const T& value) {
  if constexpr (Wrapped<T>) {
    out.Uint64(value.value);
  } else if constexpr (std::is_same_v<T, Instant>) {
    out.Int64(value.unix_ms);
  } else if constexpr (std::is_same_v<T, Duration>) {
    out.Int64(value.count());
  } else if constexpr (std::is_same_v<T, bool>) {
    out.Bool(value);
  } else if constexpr (std::is_enum_v<T>) {
    if constexpr (requires { name_of(value); }) {
      std::string_view name = name_of(value);
      out.String(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    } else {
      out.Uint(static_cast<unsigned>(value));
    }
  } else if constexpr (std::is_signed_v<T>) {
    out.Int64(value);
  } else if constexpr (std::is_integral_v<T>) {
    out.Uint64(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    // Names and paths are bytes; JSON is UTF-8. What is not plain text is shown escaped.
    bool plain = true;
    for (char c : value) plain = plain && (static_cast<unsigned char>(c) < 0x80);
    std::string shown = plain ? value : printable(value, value.size());
    out.String(shown.data(), static_cast<rapidjson::SizeType>(shown.size()));
  } else if constexpr (Textual<T>) {
    json_value(out, text_form(value));
  } else if constexpr (IsRef<T>::value || IsOptional<T>::value) {
    if (value)
      json_value(out, *value);
    else
      out.Null();
  } else if constexpr (IsVector<T>::value) {
    out.StartArray();
    for (const auto& element : value) json_value(out, element);
    out.EndArray();
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&](const auto& alternative) { json_value(out, alternative); }, value);
  } else {
    json_struct(out, value);
  }
}

template <class T>
std::string to_json(const T& value) {
  rapidjson::StringBuffer buffer;
  Json out(buffer);
  json_struct(out, value);
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace ym::wire
