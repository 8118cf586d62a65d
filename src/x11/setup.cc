// SPDX-License-Identifier: Apache-2.0
// X Window System Protocol, chapter 8 (Connection Setup).
#include "x11/setup.h"

#include <cstdint>

#include "x11/xauthority.h"

namespace ym {
namespace {

constexpr std::size_t kHeadSize = 12;

std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

// 16 bits at an even place, in the client's byte order.
struct Order {
  bool big_endian;
  std::size_t get(std::string_view bytes, std::size_t at) const {
    auto first = static_cast<std::uint8_t>(bytes[at]),
         second = static_cast<std::uint8_t>(bytes[at + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  }
  void put(std::string& bytes, std::size_t number) const {
    char high = static_cast<char>(number >> 8 & 0xff), low = static_cast<char>(number & 0xff);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
};

// Takes as long for a wrong cookie as for the right one.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

}  // namespace

Status SetupFilter::feed(std::string_view bytes, std::string& out) {
  if (through_) {
    out += bytes;
    return {};
  }
  kept_ += bytes;
  if (kept_.size() < kHeadSize) return {};
  if (kept_[0] != 'B' && kept_[0] != 'l') return fail("not an X client");
  Order order{.big_endian = kept_[0] == 'B'};
  std::size_t name = order.get(kept_, 6), data = order.get(kept_, 8);
  std::size_t whole = kHeadSize + padded(name) + padded(data);
  if (whole > kSetupMax) return fail("an X client whose first words have no end");
  if (kept_.size() < whole) return {};
  std::string_view all = kept_;
  bool known = all.substr(kHeadSize, name) == kCookieName &&
               same_secret(all.substr(kHeadSize + padded(name), data), shown_);
  if (!known) return fail("an X client without the job's cookie");
  out += all.substr(0, 8);
  order.put(out, real_.size());
  out += all.substr(10, 2 + padded(name));
  out += real_;
  out.append(padded(real_.size()) - real_.size(), '\0');
  out += all.substr(whole);
  through_ = true;
  kept_.clear();
  return {};
}

std::string setup_refusal(bool big_endian, std::string_view reason) {
  Order order{.big_endian = big_endian};
  std::string out(1, '\0');  // failed
  out += static_cast<char>(reason.size() & 0xff);
  order.put(out, 11);
  order.put(out, 0);
  order.put(out, padded(reason.size()) / 4);
  out += reason;
  out.append(padded(reason.size()) - reason.size(), '\0');
  return out;
}

}  // namespace ym
