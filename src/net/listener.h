// SPDX-License-Identifier: Apache-2.0
// A listening socket of a Server. Lives on its loop's thread once started.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/server_core.h"

namespace ym {

class Listener {
 public:
  // Contracts: Server::listen_unix and listen_tcp.
  static Result<std::unique_ptr<Listener>> on_unix(const std::string& path, unsigned mode);
  static Result<std::unique_ptr<Listener>> on_tcp(const std::string& host, std::uint16_t port);
  ~Listener();  // removes the socket's file, if it is still ours

  std::uint16_t port() const { return port_; }
  Status start(Loop& loop, std::function<void(Accepted)> accept);

 private:
  Listener() = default;
  static Result<std::unique_ptr<Listener>> try_unix(const std::string& path, unsigned mode);
  Status bind_unix(unsigned mode);
  void on_readable();

  Fd fd_;
  Fd lock_;
  std::string path_;  // empty for TCP
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint16_t port_ = 0;
  Loop* loop_ = nullptr;
  TimerId retry_;
  std::function<void(Accepted)> accept_;
};

// Writes what fits and ends the connection.
void refuse_at_once(int fd, std::string_view bytes);

}  // namespace ym
