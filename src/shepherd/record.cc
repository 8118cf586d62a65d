// SPDX-License-Identifier: Apache-2.0
#include "shepherd/record.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "net/address.h"
#include "os/files.h"
#include "wire/codec.h"

namespace ym {
namespace {

enum class Part : char { Blank = '\0', Order = 'o', Started = 's', Result = 'r' };

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

// The next part, taken off the front; none if what is left is not whole.
struct Piece {
  Part part;
  std::string_view body;
};
std::optional<Piece> take_piece(std::string_view& bytes) {
  if (bytes.size() < kHeadSize) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 1, sizeof size);
  if (size > bytes.size() - kHeadSize) return std::nullopt;
  Piece piece{.part = static_cast<Part>(bytes[0]), .body = bytes.substr(kHeadSize, size)};
  bytes.remove_prefix(kHeadSize + size);
  return piece;
}

bool write_at(int fd, std::string_view bytes, off_t at) {
  while (!bytes.empty()) {
    ssize_t wrote = ::pwrite(fd, bytes.data(), bytes.size(), at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    at += wrote;
  }
  return true;
}

}  // namespace

std::string encode_part(const ShepherdOrder& order) { return encode(Part::Order, order); }
std::string encode_part(const StartedMark& mark) { return encode(Part::Started, mark); }
std::string encode_part(const ShepherdResult& result) { return encode(Part::Result, result); }

Result<StepRecord> decode_record(std::string_view bytes) {
  StepRecord record;
  bool any = false;
  while (auto piece = take_piece(bytes)) {
    auto [part, body] = *piece;
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
  if (write_at(fd, part, end)) return {};
  Status failed = fail(errno_text("the step's record"));
  // What comes next must not stand behind half a part.
  [[maybe_unused]] int cut = ::ftruncate(fd, end);
  return failed;
}

// Where a file system cannot, what comes later may find the disk full.
Status reserve_room(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return fail(errno_text(path));
  off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (::fallocate(fd.get(), FALLOC_FL_KEEP_SIZE, end, kResultRoom) == 0) return {};
  return errno == ENOSPC || errno == EDQUOT ? fail(errno_text(path)) : Status();
}

Status make_blank(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || !write_at(fd.get(), std::string_view("\0", 1), 0)) return fail(errno_text(path));
  return {};
}

Status write_over_blank(const std::string& path, std::string_view first_part) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || !write_at(fd.get(), first_part.substr(1), 1) ||
      ::ftruncate(fd.get(), static_cast<off_t>(first_part.size())) != 0 ||
      !write_at(fd.get(), first_part.substr(0, 1), 0))
    return fail(errno_text(path));
  return {};
}

bool is_blank(std::string_view bytes) {
  return bytes.empty() || bytes[0] == static_cast<char>(Part::Blank);
}

std::optional<ShepherdResult> find_result(std::string_view bytes) {
  std::optional<ShepherdResult> found;
  while (auto piece = take_piece(bytes)) {
    if (piece->part != Part::Result) continue;
    if (auto result = wire::decode<ShepherdResult>(piece->body)) found = std::move(*result);
  }
  return found;
}

}  // namespace ym
