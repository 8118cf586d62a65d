// SPDX-License-Identifier: Apache-2.0
#include "shepherd/nursery.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace ym {
namespace {

// A nursery whose shepherds live `life`, in a process of its own.
class Nursery {
 public:
  explicit Nursery(const std::function<int(Birth)>& life) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) ::abort();
    line = Fd(pair[0]);
    Fd theirs(pair[1]);
    pid_ = ::fork();
    if (pid_ != 0) return;
    line = Fd();
    ::_exit(run_nursery(std::move(theirs), {}, life));
  }
  ~Nursery() {
    line = Fd();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  Result<Born> bear(Fd stream = Fd()) {
    Birth birth{.stem = "/stem",
                .title = "shepherd",
                .record = null(),
                .control = null(),
                .errors = null(),
                .stream = std::move(stream),
                .residual = Fd()};
    if (auto sent = send_birth(line.get(), birth); !sent) return std::unexpected(sent.error());
    return receive_born(line.get());
  }
  static Fd null() { return Fd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

  Fd line;

 private:
  pid_t pid_ = 0;
};

bool has_ended(const Fd& handle) {
  pollfd ready{.fd = handle.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 10'000) == 1;
}

TEST(NurseryTest, TheHandleOfAShepherdThatEndsAtOnceIsGood) {
  Nursery nursery([](Birth) { return 0; });
  for (int n = 0; n < 200; ++n) {
    auto born = nursery.bear();
    ASSERT_TRUE(born) << born.error().text;
    EXPECT_TRUE(has_ended(born->handle));
  }
}

TEST(NurseryTest, AShepherdHasWhatItWasGivenAndNobodyElseKeepsIt) {
  Nursery nursery([](Birth birth) {
    bool whole = birth.stem == "/stem" && birth.record && birth.control && !birth.residual;
    return ::write(birth.stream.get(), whole ? "y" : "n", 1) == 1 ? 0 : 1;
  });
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  Fd read_end(pipe[0]);
  auto born = nursery.bear(Fd(pipe[1]));
  ASSERT_TRUE(born) << born.error().text;
  char word = 0;
  ASSERT_EQ(::read(read_end.get(), &word, 1), 1);
  EXPECT_EQ(word, 'y');
  EXPECT_EQ(::read(read_end.get(), &word, 1), 0);  // the nursery has kept nothing of it
  EXPECT_TRUE(has_ended(born->handle));
}

TEST(NurseryTest, AnOrderThatMakesNoSenseEndsIt) {
  Nursery nursery([](Birth) { return 0; });
  ASSERT_EQ(::send(nursery.line.get(), "nonsense", 8, 0), 8);
  EXPECT_FALSE(receive_born(nursery.line.get()));
}

}  // namespace
}  // namespace ym
