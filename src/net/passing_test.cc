// SPDX-License-Identifier: Apache-2.0
#include "net/passing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace ym {
namespace {

struct Pair {
  Fd a, b;
  Pair() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) ::abort();
    a = Fd(fds[0]);
    b = Fd(fds[1]);
  }
};

TEST(Passing, AFileArrivesOpenAndIsNotInheritedByPrograms) {
  Pair pair;
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  Fd read_end(pipe[0]), write_end(pipe[1]);
  std::array files{read_end.get(), write_end.get()};
  ASSERT_TRUE(send_packet(pair.a.get(), "two", files));
  read_end = Fd();
  std::array<char, 16> space;
  auto packet = receive_packet(pair.b.get(), space);
  ASSERT_TRUE(packet) << packet.error().text;
  EXPECT_EQ(packet->bytes, "two");
  ASSERT_EQ(packet->files.size(), 2u);
  ASSERT_EQ(::write(packet->files[1].get(), "x", 1), 1);
  char got = 0;
  EXPECT_EQ(::read(packet->files[0].get(), &got, 1), 1);
  EXPECT_EQ(got, 'x');
  EXPECT_NE(::fcntl(packet->files[0].get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Passing, BytesAloneArriveAlone) {
  Pair pair;
  ASSERT_TRUE(send_packet(pair.a.get(), "word"));
  std::array<char, 16> space;
  auto packet = receive_packet(pair.b.get(), space);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->bytes, "word");
  EXPECT_TRUE(packet->files.empty());
}

TEST(Passing, APacketThatDoesNotFitIsAnErrorAndLeavesNoFileOpen) {
  Pair pair;
  Pair other;
  std::array files{other.b.get()};
  ASSERT_TRUE(send_packet(pair.a.get(), std::string(32, 'x'), files));
  std::array<char, 16> space;
  EXPECT_FALSE(receive_packet(pair.b.get(), space));
  other.b = Fd();
  // Nobody holds its other end any more.
  EXPECT_FALSE(send_packet(other.a.get(), "anybody?"));
}

TEST(Passing, TheEndOfTheOtherSideIsAnEmptyPacket) {
  Pair pair;
  pair.a = Fd();
  std::array<char, 16> space;
  auto packet = receive_packet(pair.b.get(), space);
  ASSERT_TRUE(packet);
  EXPECT_TRUE(packet->bytes.empty());
  EXPECT_FALSE(send_packet(pair.b.get(), "gone"));
}

}  // namespace
}  // namespace ym
