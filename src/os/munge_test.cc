// SPDX-License-Identifier: Apache-2.0
// With a munged of its own, where there is one installed.
#include "os/munge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "os/files.h"

extern char** environ;

namespace ym {
namespace {

using testing::HasSubstr;

class MungeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/sbin/munged", X_OK) != 0) GTEST_SKIP() << "munged is not installed";
    std::filesystem::create_directories(dir_);
    ::chmod(dir_.c_str(), 0755);
    ASSERT_TRUE(write_file(dir_ + "/key", std::string(128, 'k'), 0600));
    std::vector<std::string> words = {"/usr/sbin/munged", "--foreground", "--force"};
    for (const char* name : {"key", "log", "pid", "seed"})
      words.push_back(std::string("--") + name + "-file=" + dir_ + "/" + name);
    words.push_back("--socket=" + socket_);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ASSERT_EQ(::posix_spawn(&pid_, words[0].c_str(), nullptr, nullptr, arguments.data(), environ),
              0);
    for (int i = 0; i < 6000 && ::access(socket_.c_str(), F_OK) != 0; ++i) ::poll(nullptr, 0, 10);
  }
  void TearDown() override {
    if (pid_ > 0) {
      ::kill(pid_, SIGTERM);
      ::waitpid(pid_, nullptr, 0);
    }
    std::filesystem::remove_all(dir_);
  }

  std::string dir_ = "/tmp/ym-munge-" + std::to_string(::getpid());
  std::string socket_ = dir_ + "/munge.socket";
  pid_t pid_ = 0;
};

TEST_F(MungeTest, TellsWhoMadeACredentialOnce) {
  auto credential = munge_credential(socket_, "for emil");
  ASSERT_TRUE(credential) << credential.error().text;
  EXPECT_TRUE(credential->starts_with(kMungePrefix));
  auto reader = MungeReader::open(socket_);
  ASSERT_TRUE(reader) << reader.error().text;
  auto claims = reader->read(*credential);
  ASSERT_TRUE(claims) << claims.error().text;
  EXPECT_EQ(claims->uid, ::getuid());
  EXPECT_EQ(claims->gid, ::getgid());
  EXPECT_EQ(claims->payload, "for emil");
  auto again = reader->read(*credential);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("Replayed"));
}

TEST_F(MungeTest, RefusesWhatIsForged) {
  auto credential = munge_credential(socket_, "for emil");
  ASSERT_TRUE(credential);
  auto reader = MungeReader::open(socket_);
  ASSERT_TRUE(reader);
  char& middle = (*credential)[credential->size() / 2];
  middle = middle == 'A' ? 'B' : 'A';
  EXPECT_FALSE(reader->read(*credential));
  EXPECT_FALSE(reader->read("MUNGE:"));
  EXPECT_FALSE(reader->read(""));
}

TEST_F(MungeTest, SaysThatNobodyAnswers) {
  EXPECT_FALSE(munge_credential(dir_ + "/nobody", "x"));
  auto reader = MungeReader::open(dir_ + "/nobody");
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->read("MUNGE:x:"));
}

}  // namespace
}  // namespace ym
