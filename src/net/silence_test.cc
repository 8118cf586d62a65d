// SPDX-License-Identifier: Apache-2.0
#include "net/silence.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/address.h"

namespace ym {
namespace {

int option(const Fd& fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd.get(), IPPROTO_TCP, name, &value, &size), 0);
  return value;
}

TEST(Silence, IsNoticedWithinThePatienceWithAndWithoutDataOnItsWay) {
  Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  for (int seconds : {4, 60, 300}) {
    watch_for_silence(fd.get(), std::chrono::seconds(seconds));
    EXPECT_LE(option(fd, TCP_KEEPIDLE) + option(fd, TCP_KEEPINTVL) * option(fd, TCP_KEEPCNT),
              seconds + 1);
    EXPECT_LE(option(fd, TCP_USER_TIMEOUT), seconds * 1000);
  }
}

TEST(Silence, OfNoPatienceAndOfOtherSocketsDoesNoHarm) {
  Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  watch_for_silence(fd.get(), Duration(0));
  EXPECT_GE(option(fd, TCP_KEEPIDLE), 1);
  Fd local(::socket(AF_UNIX, SOCK_STREAM, 0));
  watch_for_silence(local.get(), std::chrono::seconds(5));
}

}  // namespace
}  // namespace ym
