// SPDX-License-Identifier: Apache-2.0
// Values to JSON: the template behind to_json().
#pragma once
#include <concepts>

#include "wire/encoder.h"

namespace ym::wire {

// The text as it grows. Debian's RapidJSON does arithmetic on null pointers, which our sanitizers
// refuse; what is needed of a writer is this much.
class Json {
 public:
  void start_object() { open('{'); }
  void end_object() { close('}'); }
  void start_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name) {
    text(name);
    text_ += ':';
    first_ = true;  // no comma before the value
  }
  void null() { word("null"); }
  void boolean(bool value) { word(value ? "true" : "false"); }
  template <std::integral T>
  void number(T value) {
    word(std::to_string(value));
  }
  void text(std::string_view value) {
    comma();
    text_ += '"';
    for (char c : value) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (static_cast<unsigned char>(c) < 0x20)
        text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      else
        text_ += c;
    }
    text_ += '"';
  }
  std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (!std::exchange(first_, false)) text_ += ',';
  }
  void word(std::string_view value) {
    comma();
    text_ += value;
  }
  void open(char c) {
    comma();
    text_ += c;
    first_ = true;
  }
  void close(char c) {
    text_ += c;
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

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
  out.start_object();
  fields(
      [&](std::uint32_t, const char* name, auto member) {
        using Field = std::remove_cvref_t<decltype(value.*member)>;
        if constexpr (!IsVariant<Field>::value)
          if (is_default(value.*member, defaults.*member)) return;
        out.key(name);
        json_value(out, value.*member);
      },
      static_cast<const T*>(nullptr));
  out.end_object();
}

template <class T>
void json_value(Json& out, const T& value) {
  if constexpr (Wrapped<T>) {
    out.number(value.value);
  } else if constexpr (std::is_same_v<T, Instant>) {
    out.number(value.unix_ms);
  } else if constexpr (std::is_same_v<T, Duration>) {
    out.number(value.count());
  } else if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_enum_v<T>) {
    if constexpr (requires { name_of(value); }) {
      std::string_view name = name_of(value);
      out.text(name);
    } else {
      out.number(static_cast<std::uint64_t>(value));
    }
  } else if constexpr (std::is_signed_v<T>) {
    out.number(value);
  } else if constexpr (std::is_integral_v<T>) {
    out.number(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    // Names and paths are bytes; JSON is UTF-8. What is not plain text is shown escaped.
    bool plain = true;
    for (char c : value) plain = plain && (static_cast<unsigned char>(c) < 0x80);
    std::string shown = plain ? value : printable(value, value.size());
    out.text(shown);
  } else if constexpr (Textual<T>) {
    json_value(out, text_form(value));
  } else if constexpr (IsRef<T>::value || IsOptional<T>::value) {
    if (value)
      json_value(out, *value);
    else
      out.null();
  } else if constexpr (IsVector<T>::value) {
    out.start_array();
    for (const auto& element : value) json_value(out, element);
    out.end_array();
  } else if constexpr (IsVariant<T>::value) {
    std::visit([&](const auto& alternative) { json_value(out, alternative); }, value);
  } else {
    json_struct(out, value);
  }
}

template <class T>
std::string to_json(const T& value) {
  Json out;
  json_struct(out, value);
  return out.take();
}

}  // namespace ym::wire
