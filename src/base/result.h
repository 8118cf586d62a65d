// SPDX-License-Identifier: Apache-2.0
// How a function says no. `Result<T>` is a value or an Error; the caller must look.
//
//   Result<int> r = parse(text);
//   if (!r) return std::unexpected(r.error());
//
// An Error's code is what programs react to (model/errc.h names them; 0 means "only the text
// matters"), its text is for people and never ends in a full stop.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace ym {

struct Error {
  std::uint32_t code = 0;
  std::string text;
  bool operator==(const Error&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

// An error that carries nothing but its text.
inline std::unexpected<Error> fail(std::string text) {
  return std::unexpected(Error{.code = 0, .text = std::move(text)});
}
inline std::unexpected<Error> fail(std::uint32_t code, std::string text) {
  return std::unexpected(Error{.code = code, .text = std::move(text)});
}

}  // namespace ym
