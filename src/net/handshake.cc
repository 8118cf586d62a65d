// SPDX-License-Identifier: Apache-2.0
#include "net/handshake.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "net/bytes.h"

namespace ym {
namespace {

std::string preamble(VersionRange versions) {
  std::string bytes(kMagic);
  bytes.resize(kPreambleSize);
  store_u16(&bytes[4], versions.min);
  store_u16(&bytes[6], versions.max);
  return bytes;
}

void append_text(std::string& out, std::string_view text) {
  char length[2];
  store_u16(length, static_cast<std::uint16_t>(text.size()));
  out.append(length, 2);
  out.append(text);
}

// Takes a length and so many bytes from the front; false if there are fewer, or more than `max`.
bool take_text(std::string_view& from, std::size_t max, std::string& to) {
  if (from.size() < 2) return false;
  std::size_t length = load_u16(from.data());
  if (length > max || from.size() - 2 < length) return false;
  to = from.substr(2, length);
  from.remove_prefix(2 + length);
  return true;
}

std::string net_frame(NetType type, std::string_view payload) {
  std::string bytes;
  append_frame(bytes, {.type = static_cast<std::uint16_t>(type)}, payload);
  return bytes;
}

std::string range_text(VersionRange versions) {
  if (versions.min == versions.max) return fmt::format("{}", versions.min);
  return fmt::format("{} to {}", versions.min, versions.max);
}

}  // namespace

std::string encode_client_hello(const ClientHello& hello) {
  YM_CHECK(hello.cluster.size() <= kClusterNameMax);
  YM_CHECK(hello.token.size() <= kTokenMax);
  std::string payload;
  append_text(payload, hello.cluster);
  append_text(payload, hello.token);
  return preamble(hello.versions) + net_frame(NetType::Hello, payload);
}

std::string encode_welcome(const ServerHello& hello) {
  YM_CHECK(hello.cluster.size() <= kClusterNameMax);
  std::string payload;
  YM_CHECK(hello.proof.size() <= kProofMax);
  append_text(payload, hello.cluster);
  append_text(payload, hello.proof);
  return preamble({hello.version, hello.version}) + net_frame(NetType::Welcome, payload);
}

std::string encode_refusal(VersionRange versions, const Error& error) {
  return preamble(versions) + net_frame(NetType::Error, encode_error(error));
}

Result<std::uint16_t> choose_version(VersionRange server, VersionRange client) {
  std::uint16_t version = std::min(server.max, client.max);
  if (version >= std::max(server.min, client.min)) return version;
  bool client_is_older = client.max < server.min;
  return fail(fmt::format(
      "no protocol version in common: the server speaks {}, the client {}; upgrade the {}",
      range_text(server), range_text(client), client_is_older ? "client" : "server"));
}

Status HelloReader::read_preamble() {
  std::string_view start = std::string_view(buffer_).substr(0, kMagic.size());
  if (start != kMagic.substr(0, start.size())) {
    if (start[0] == '\x16')
      return fail("TLS is not spoken here (does its slurm.conf say another TLSType?)");
    return fail(fmt::format("this is not a Yardmaster connection: it begins with \"{}\"",
                            printable(start)));
  }
  if (buffer_.size() < kPreambleSize) return {};
  versions_ = {.min = load_u16(&buffer_[4]), .max = load_u16(&buffer_[6])};
  if (versions_.min > versions_.max) return fail("the range of protocol versions is empty");
  return {};
}

Status HelloReader::read_frame(const Frame& frame) {
  std::string_view payload = frame.payload;
  if (from_ == Side::Client) {
    if (frame.header.type != static_cast<std::uint16_t>(NetType::Hello))
      return fail(fmt::format("expected a hello, got message type {}", frame.header.type));
    client_.versions = versions_;
    if (!take_text(payload, kClusterNameMax, client_.cluster) ||
        !take_text(payload, kTokenMax, client_.token))
      return fail("the hello is damaged");
    return {};
  }
  if (frame.header.type == static_cast<std::uint16_t>(NetType::Error))
    return std::unexpected(decode_error(payload));
  if (frame.header.type != static_cast<std::uint16_t>(NetType::Welcome))
    return fail(fmt::format("expected a welcome, got message type {}", frame.header.type));
  server_.version = versions_.max;
  if (!take_text(payload, kClusterNameMax, server_.cluster)) return fail("the welcome is damaged");
  // Those who give no proof end here.
  if (!payload.empty() && !take_text(payload, kProofMax, server_.proof))
    return fail("the welcome is damaged");
  return {};
}

Result<bool> HelloReader::feed(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.empty()) return false;
  if (Status ok = read_preamble(); !ok) return std::unexpected(ok.error());
  if (buffer_.size() < kPreambleSize + kFrameHeaderSize) return false;
  std::size_t length = load_u32(&buffer_[kPreambleSize]);
  if (length > kFrameMaxUnknown)
    return fail(
        fmt::format("a hello of {} bytes is above the limit of {}", length, kFrameMaxUnknown));
  std::size_t whole = kPreambleSize + kFrameHeaderSize + length;
  if (buffer_.size() < whole) return false;

  std::vector<Frame> frames;
  FrameReader reader(kFrameMaxUnknown);
  std::string_view frame = std::string_view(buffer_).substr(kPreambleSize, whole - kPreambleSize);
  YM_CHECK(reader.feed(frame, frames).has_value() && frames.size() == 1);
  if (Status ok = read_frame(frames.front()); !ok) return std::unexpected(ok.error());
  buffer_.erase(0, whole);
  return true;
}

}  // namespace ym
