// SPDX-License-Identifier: Apache-2.0
#include "x11/xauthority.h"

#include "base/format.h"

namespace ym {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  bool failed() const { return failed_; }
  std::uint16_t number() {
    if (bytes_.size() < 2) return stop();
    auto high = static_cast<std::uint8_t>(bytes_[0]), low = static_cast<std::uint8_t>(bytes_[1]);
    bytes_.remove_prefix(2);
    return static_cast<std::uint16_t>(high << 8 | low);
  }
  std::string text() {
    std::size_t size = number();
    if (size > bytes_.size()) size = stop();
    std::string out(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return out;
  }

 private:
  std::uint16_t stop() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }
  std::string_view bytes_;
  bool failed_ = false;
};

void append_number(std::string& out, std::size_t number) {
  out += static_cast<char>(number >> 8 & 0xff);
  out += static_cast<char>(number & 0xff);
}

bool meant(const XauthEntry& entry, const DisplayName& display, const XauthPlace& place) {
  if (entry.name != kCookieName || entry.data.empty()) return false;
  if (!entry.number.empty() && entry.number != fmt::format("{}", display.number)) return false;
  switch (static_cast<XauthFamily>(entry.family)) {
    case XauthFamily::Wild: return true;
    case XauthFamily::Local: return place.address.empty() && entry.address == place.host;
    case XauthFamily::Internet:
    case XauthFamily::Internet6: return !place.address.empty() && entry.address == place.address;
  }
  return false;
}

}  // namespace

Result<std::vector<XauthEntry>> parse_xauthority(std::string_view bytes) {
  std::vector<XauthEntry> out;
  Reader reader(bytes);
  while (!reader.done()) {
    XauthEntry entry{.family = reader.number()};
    for (std::string* text : {&entry.address, &entry.number, &entry.name, &entry.data})
      *text = reader.text();
    if (reader.failed()) return fail("the Xauthority file ends within an entry");
    out.push_back(std::move(entry));
  }
  return out;
}

std::string print_xauthority(const std::vector<XauthEntry>& entries) {
  std::string out;
  for (const XauthEntry& entry : entries) {
    append_number(out, entry.family);
    for (const std::string* text : {&entry.address, &entry.number, &entry.name, &entry.data}) {
      append_number(out, text->size());
      out += *text;
    }
  }
  return out;
}

std::optional<std::string> find_cookie(const std::vector<XauthEntry>& entries,
                                       const DisplayName& display, const XauthPlace& place) {
  for (const XauthEntry& entry : entries)
    if (meant(entry, display, place)) return entry.data;
  return std::nullopt;
}

}  // namespace ym
