// SPDX-License-Identifier: Apache-2.0
#include "os/munge.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

extern char** environ;

namespace ym {
namespace {

constexpr std::size_t kCredentialMax = 4096;

}  // namespace

Result<std::string> munge_credential(const std::string& socket, const std::string& payload) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::vector<std::string> words = {"munge", "--string=" + payload};
  if (!socket.empty()) words.push_back("--socket=" + socket);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  int error = ::posix_spawnp(&pid, "munge", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return fail(
        fmt::format("AuthType=auth/munge needs the program munge: {}", std::strerror(error)));
  }
  auto text = read_descriptor(ends[0], "munge", kCredentialMax);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!text) return text;
  std::string_view credential = trim(*text);
  if (status != 0 || !credential.starts_with(kMungePrefix))
    return fail("munge made no credential; does munged run?");
  return std::string(credential);
}

}  // namespace ym
