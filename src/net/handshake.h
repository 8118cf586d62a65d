// SPDX-License-Identifier: Apache-2.0
// The first bytes each way; HANDSHAKE.md is the contract. Pure: bytes in, verdicts out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/frame.h"

namespace ym {

inline constexpr std::string_view kMagic = "YMR1";
inline constexpr std::size_t kPreambleSize = 8;
inline constexpr std::size_t kClusterNameMax = 255;
inline constexpr std::size_t kTokenMax = 4096;
inline constexpr std::size_t kProofMax = 256;

// The protocol versions this build speaks. Numbers only ever get added.
struct VersionRange {
  std::uint16_t min = 1;
  std::uint16_t max = 1;
  bool operator==(const VersionRange&) const = default;
};
inline constexpr VersionRange kVersions{.min = 1, .max = 1};

struct ClientHello {
  VersionRange versions = kVersions;
  std::string cluster;  // the cluster meant; empty means any
  std::string token;    // empty on a Unix socket
};
struct ServerHello {
  std::uint16_t version = 0;  // the one both will speak
  std::string cluster;
  std::string proof;  // that the server holds the cluster's key; empty on a Unix socket
};

// REQUIRES: cluster.size() <= kClusterNameMax, token.size() <= kTokenMax, proof.size() <=
// kProofMax.
std::string encode_client_hello(const ClientHello& hello);
std::string encode_welcome(const ServerHello& hello);
// What a server sends before it closes: its preamble and an Error frame.
std::string encode_refusal(VersionRange versions, const Error& error);

// The highest version both ranges have, or an error that names both ranges and says which side to
// upgrade.
Result<std::uint16_t> choose_version(VersionRange server, VersionRange client);

// Collects the other side's hello, whatever the pieces in which it comes.
class HelloReader {
 public:
  enum class Side { Client, Server };  // who is being listened to
  explicit HelloReader(Side from) : from_(from) {}

  // True once the hello is whole; the bytes after it are in rest(). An error is final. A server's
  // refusal is an error with the server's code and text.
  Result<bool> feed(std::string_view bytes);
  // REQUIRES: feed said true.
  const ClientHello& client() const { return client_; }
  const ServerHello& server() const { return server_; }
  std::string take_rest() { return std::move(buffer_); }
  bool started() const { return !buffer_.empty(); }

 private:
  Status read_preamble();
  Status read_frame(const Frame& frame);

  Side from_;
  std::string buffer_;
  VersionRange versions_;
  ClientHello client_;
  ServerHello server_;
};

}  // namespace ym
