// SPDX-License-Identifier: Apache-2.0
// POST over HTTP/1.1, within TLS or not, to one of several servers that can all answer: etcd's
// members. Keeps its connection. Blocking, with a time limit; no redirects, no compression.
//
// Thread rule: one thread at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/channel.h"
#include "net/deadline.h"

namespace ym {

// The answer to one request, as it arrives. Bounded: a server that sends more is given up.
class HttpAnswer {
 public:
  static constexpr std::size_t kHeadMax = 64 * 1024;
  static constexpr std::size_t kBodyMax = 256 * 1024 * 1024;

  // Whether it is complete. An error: this is no HTTP that we know.
  Result<bool> feed(std::string_view bytes);
  int status() const { return status_; }
  bool closes() const { return closes_; }  // the server ends the connection after it
  std::string take_body() { return std::move(body_); }

 private:
  enum class Part : std::uint8_t { Head, Length, ChunkHead, Chunk, ChunkEnd, Trailer, Done };
  Result<bool> step();
  Status read_head(std::string_view head);

  Part part_ = Part::Head;
  std::string in_;
  std::string body_;
  std::size_t left_ = 0;  // of the body or the chunk
  int status_ = 0;
  bool closes_ = false;
};

class HttpClient {
 public:
  // "host:port" each. `tls`: null: plain; else it has to be the certificate of that host.
  static Result<HttpClient> create(const std::vector<std::string>& servers, Duration timeout,
                                   std::shared_ptr<const TlsContext> tls = nullptr);

  // The body of the answer, whatever its status. Tried once with each server, as long as time is
  // left: REQUIRES that it does no harm if it is done twice.
  Result<std::string> post(const std::string& path, const std::string& body);

 private:
  Result<std::string> post_once(const std::string& request, Deadline deadline);
  Status connect(Deadline deadline);
  Status secure(Deadline deadline);

  std::vector<Address> servers_;
  Duration timeout_{0};
  std::size_t server_ = 0;
  std::shared_ptr<const TlsContext> tls_;
  Channel channel_;
};

}  // namespace ym
