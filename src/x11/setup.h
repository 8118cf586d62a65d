// SPDX-License-Identifier: Apache-2.0
// The first words of an X client, in which it shows its cookie. A client on a node knows only a
// cookie made for the job: here it is checked, and the display's own takes its place, which so
// never leaves the user's machine (docs/decisions/0021). Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

// Of a connection's first message, which is longer only if somebody plays with us.
inline constexpr std::size_t kSetupMax = 4096;

class SetupFilter {
 public:
  // What clients show, and what the server is to see.
  SetupFilter(std::string shown, std::string real)
      : shown_(std::move(shown)), real_(std::move(real)) {}
  // Takes what the client said and appends what the server may hear. An error is final: the client
  // is no friend.
  Status feed(std::string_view bytes, std::string& out);
  // The client's byte order, after an error.
  bool big_endian() const { return kept_.starts_with('B'); }

 private:
  const std::string shown_, real_;
  std::string kept_;  // as long as the first message is not whole
  bool through_ = false;
};

// What an X server says to a client that it does not want: for a first message in either byte
// order.
std::string setup_refusal(bool big_endian, std::string_view reason);

}  // namespace ym
