// SPDX-License-Identifier: Apache-2.0
#include "shepherd/record.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/files.h"
#include "wire/codec.h"

namespace ym {
namespace {

enum class Part : char { Order = 'o', Started = 's', Result = 'r' };

// A letter, the length of what follows in four bytes of this machine's order (the file never leaves
// it), the bytes.
constexpr std::size_t kHeadSize = 1 + sizeof(std::uint32_t);

template <class T>
std::string encode(Part part, const T& value) {
  std::string body = wire::encode(value);
  auto size = static_cast<std::uint32_t>(body.size());
  std::string out(kHeadSize, static_cast<char>(part));
  std::memcpy(out.data() + 1, &size, sizeof size);
  return out + body;
}

}  // namespace

std::string encode_part(const ShepherdOrder& order) { return encode(Part::Order, order); }
std::string encode_part(const StartedMark& mark) { return encode(Part::Started, mark); }
std::string encode_part(const ShepherdResult& result) { return encode(Part::Result, result); }

Result<StepRecord> decode_record(std::string_view bytes) {
  StepRecord record;
  bool any = false;
  while (bytes.size() >= kHeadSize) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data() + 1, sizeof size);
    if (size > bytes.size() - kHeadSize) break;
    std::string_view body = bytes.substr(kHeadSize, size);
    Part part = static_cast<Part>(bytes[0]);
    bytes.remove_prefix(kHeadSize + size);
    if (part == Part::Order) {
      auto order = wire::decode<ShepherdOrder>(body);
      if (!order) return std::unexpected(order.error());
      record.order = std::move(*order);
      any = true;
    } else if (part == Part::Started) {
      if (auto mark = wire::decode<StartedMark>(body)) record.started = *mark;
    } else if (part == Part::Result) {
      if (auto result = wire::decode<ShepherdResult>(body)) record.result = std::move(*result);
    }
  }
  if (!any) return fail("no order in it");
  return record;
}

Status append_part(int fd, std::string_view part) {
  off_t end = ::lseek(fd, 0, SEEK_END);
  off_t at = end;
  while (!part.empty()) {
    ssize_t wrote = ::pwrite(fd, part.data(), part.size(), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      Status failed = fail(errno_text("the step's record"));
      // What comes next must not stand behind half a part.
      [[maybe_unused]] int cut = ::ftruncate(fd, end);
      return failed;
    }
    part.remove_prefix(static_cast<std::size_t>(wrote));
    at += wrote;
  }
  return {};
}

}  // namespace ym
