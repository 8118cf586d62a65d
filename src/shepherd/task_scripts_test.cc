// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task_scripts.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/files.h"

namespace ym {
namespace {

EnvironmentBlock some() { return EnvironmentBlock(std::string_view("A=1\0B=2\0PATH=/bin\0", 18)); }

// A program for the test, gone with it.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& text) {
    char name[] = "/tmp/ymscript.XXXXXX";
    int fd = ::mkstemp(name);
    path_ = name;
    EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(fd);
    ::chmod(name, 0755);
  }
  ~ScriptFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(TaskScripts, APrologsLinesChangeTheEnvironmentAndPrint) {
  EnvironmentBlock environment = some();
  EXPECT_EQ(
      obey_prolog("export A=x=y z\nunset B\nprint  two blanks \nnonsense\nprint last", environment),
      " two blanks \nlast\n");
  EXPECT_EQ(environment.get("A"), "x=y z");
  EXPECT_FALSE(environment.has("B"));
}

TEST(TaskScripts, BrokenLinesOfAPrologMeanNothing) {
  EnvironmentBlock environment = some();
  std::string_view output("export =1\nexport A\nunset\nunset \nprinting\nexport C\0=1\n", 51);
  EXPECT_EQ(obey_prolog(output, environment), "");
  EXPECT_EQ(environment.bytes(), some().bytes());
}

TEST(TaskScripts, APrologRunsWithTheTasksEnvironmentAndItsOutputIsRead) {
  ScriptFile script("#!/bin/sh\necho export SEEN=$A-$SLURM_SCRIPT_CONTEXT\n");
  EnvironmentBlock environment = some();
  EXPECT_EQ(run_task_prolog(script.path(), environment), 0);
  EXPECT_EQ(environment.get("SEEN"), "1-prolog_task");
  EXPECT_FALSE(environment.has("SLURM_SCRIPT_CONTEXT"));
}

TEST(TaskScripts, AFailingPrologGivesTheTaskItsCode) {
  ScriptFile script("#!/bin/sh\nexit 7\n");
  EnvironmentBlock environment = some();
  EXPECT_EQ(run_task_prolog(script.path(), environment), 7);
  EXPECT_EQ(run_task_prolog("/nonexistent/prolog", environment), 1);
}

TEST(TaskScripts, APrologsEndlessOutputIsBounded) {
  ScriptFile script("#!/bin/sh\necho export A=2\nhead -c 20000000 /dev/zero\necho export A=3\n");
  EnvironmentBlock environment = some();
  EXPECT_EQ(run_task_prolog(script.path(), environment), 0);
  EXPECT_EQ(environment.get("A"), "2");
}

TEST(TaskScripts, SomebodyInTheBackgroundDoesNotHoldTheTaskUp) {
  ScriptFile script("#!/bin/sh\nsleep 1000 &\necho export PID=$!\n");
  EnvironmentBlock environment = some();
  EXPECT_EQ(run_task_prolog(script.path(), environment), 0);
  std::string pid = environment.get("PID");
  ASSERT_FALSE(pid.empty());
  ::kill(std::stoi(pid), SIGKILL);
}

TEST(TaskScripts, ALoginAddsWhatIsMissing) {
  ScriptFile shell(
      "#!/bin/sh\necho noise of a login file\nexport A=login FRESH=$USER\nshift\neval \"$1\"\n");
  EnvironmentBlock environment = some();
  LoginWish login{.name = "ada", .home = "/", .shell = shell.path()};
  login.time_limit = std::chrono::seconds(60);
  auto added = add_login_environment(login, environment);
  ASSERT_TRUE(added) << added.error().text;
  EXPECT_EQ(environment.get("A"), "1");
  EXPECT_EQ(environment.get("FRESH"), "ada");
  EXPECT_EQ(environment.get("HOME"), "/");
  EXPECT_FALSE(environment.has("SHLVL"));
}

TEST(TaskScripts, ALoginThatHangsIsEndedAndOneThatIsRefusedIsSaidSo) {
  ScriptFile hanging("#!/bin/sh\nsleep 1000\n");
  EnvironmentBlock environment = some();
  LoginWish login{.name = "ada", .home = "/", .shell = hanging.path()};
  login.time_limit = Duration(50);
  auto added = add_login_environment(login, environment);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("took longer than"), std::string::npos);
  ScriptFile refusing("#!/bin/sh\necho This account is not available.\nexit 1\n");
  login.shell = refusing.path();
  login.time_limit = std::chrono::seconds(60);
  EXPECT_FALSE(add_login_environment(login, environment));
  login.shell = "/nonexistent";
  EXPECT_FALSE(add_login_environment(login, environment));
  EXPECT_EQ(environment.bytes(), some().bytes());
}

}  // namespace
}  // namespace ym
