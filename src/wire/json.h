// SPDX-License-Identifier: Apache-2.0
// Values to JSON: the template behind to_json().
#pragma once
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "wire/encoder.h"

namespace ym::wire {

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
