// SPDX-License-Identifier: Apache-2.0
// For tests: a real slurmd with its spool in a temporary folder, and a controller of straw that
// speaks the real protocol.
#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmd/fake_controller.h"
#include "net/client.h"
#include "net/key.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/users.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

// Waits for the truth of something that another process brings about.
inline bool eventually(const std::function<bool()>& holds) {
  for (Duration until = monotonic_clock() + kTestPatience; monotonic_clock() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

inline std::uint16_t free_port() {
  for (int n = 0; n < 2000; ++n) {
    auto port = static_cast<std::uint16_t>(20000 + (::getpid() * 7 + n) % 10000);
    int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    bool free = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (free) return port;
  }
  return 0;
}

class NodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/ymnode.XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    dir_ = folder;
    ::chmod(folder, 0755);
    // Jobs run as somebody else where we may, as ourselves otherwise.
    user_ = *user_by_uid(::geteuid());
    if (::geteuid() == 0) {
      if (auto nobody = user_by_name("nobody")) user_ = *nobody;
    }
    if (as_user()) ASSERT_EQ(::chown(folder, user_.uid, user_.gid), 0);
    std::filesystem::create_directory(dir_ + "/home");
    ASSERT_EQ(::chown((dir_ + "/home").c_str(), user_.uid, user_.gid), 0);
    std::ofstream(dir_ + "/slurm.conf")
        << "ClusterName=straw\nSlurmctldHost=localhost\nKillWait=1\n"
        << "SlurmctldPidFile=" << dir_ << "/slurmctld.pid\nSlurmdPidFile=" << dir_
        << "/slurmd-%n.pid\n"
        << "SlurmdSpoolDir=" << dir_ << "/spool-%n\nSlurmdLogFile=" << dir_
        << "/slurmd-%n.log\nSlurmdDebug=debug\n"
        << "SlurmdParameters=config_overrides\n"
        << "NodeName=n1 NodeHostname=localhost CPUs=7 RealMemory=100 Port=" << free_port() << "\n"
        << "NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=1\n"  // nobody is there
        << "PartitionName=main Nodes=ALL Default=YES\n";
    controller_ = std::make_unique<FakeController>(dir_ + "/slurmctld.sock");
    start_slurmd();
    controller_->wait_registered(1);
  }
  void TearDown() override {
    if (slurmd_ > 0) stop_slurmd(SIGTERM);
    if (HasFailure()) {
      if (auto log = read_file(dir_ + "/slurmd-n1.log")) std::fputs(log->c_str(), stderr);
    }
    std::error_code error;
    std::filesystem::remove_all(dir_, error);
  }

  // Whether slurmd itself runs as the user, as in a personal cluster.
  virtual bool as_user() const { return false; }

  void start_slurmd() {
    slurmd_ = ::fork();
    if (slurmd_ == 0) {
      if (as_user() && ::geteuid() == 0) {
        if (::setgroups(0, nullptr) != 0 || ::setgid(user_.gid) != 0 || ::setuid(user_.uid) != 0)
          ::_exit(126);
      }
      int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, 2);
      std::string program = program_folder() + "/slurmd", conf = dir_ + "/slurm.conf";
      ::execl(program.c_str(), "slurmd", "-D", "-N", "n1", "-f", conf.c_str(), nullptr);
      ::_exit(127);
    }
  }
  int stop_slurmd(int signal) {
    int status = 0;
    ::kill(slurmd_, signal);
    ::waitpid(slurmd_, &status, 0);
    slurmd_ = 0;
    return status;
  }

  LaunchJob job(std::uint32_t id, const std::string& script,
                const std::function<void(JobSpec&)>& change = {}) {
    JobSpec spec{.name = "test",
                 .user_name = user_.name,
                 .work_dir = dir_ + "/home",
                 .uid = Uid{user_.uid},
                 .gid = Gid{user_.gid},
                 .batch = true};
    if (change) change(spec);
    LaunchJob order{.job = JobId{id},
                    .sluid = Sluid{id * 1000ull},
                    .spec = Ref<JobSpec>(spec),
                    .script = script};
    order.environment = std::string("PATH=/usr/bin:/bin\0", 19);
    order.cluster = "straw";
    order.partition = "main";
    order.nodes = "n1";
    order.cpus = {2};
    order.tasks = {1};
    order.start = wall_clock();
    return order;
  }
  std::string output(const std::string& name) {
    auto text = read_file(dir_ + "/home/" + name);
    return text ? *text : "(" + text.error().text + ")";
  }
  // A number that a job has written into a file.
  pid_t pid_in(const std::string& name) {
    pid_t pid = 0;
    EXPECT_TRUE(eventually([&] {
      auto text = read_file(dir_ + "/home/" + name);
      auto number = text ? parse_u64(trim(*text)) : std::nullopt;
      if (number) pid = static_cast<pid_t>(*number);
      return number.has_value();
    }));
    return pid;
  }
  static bool is_alive(pid_t pid) {
    auto stat = read_file(fmt::format("/proc/{}/stat", pid));
    return stat && stat->find(") Z ") == std::string::npos;
  }

  StepCredential credential(std::uint32_t id, std::uint32_t step, std::uint32_t tasks) {
    StepCredential one{.job = JobId{id},
                       .sluid = Sluid{id * 1000ull},
                       .uid = Uid{user_.uid},
                       .gid = Gid{user_.gid},
                       .user_name = user_.name,
                       .partition = "main",
                       .cluster = "straw",
                       .job_name = "test",
                       .job_nodes = "n1",
                       .step_nodes = "n1",
                       .job_cpus = {2},
                       .node_names = {"n1"}};
    one.step.id = StepId{step};
    one.step.tasks = tasks;
    one.step.shares = {{.node = NodeId{1}, .first_task = 0, .tasks = tasks, .cpus = 1}};
    one.expires = wall_clock() + std::chrono::minutes(2);
    return one;
  }
  LaunchTasks launch(const StepCredential& credential, std::vector<std::string> arguments) {
    LaunchTasks request{.credential = wire::encode(credential),
                        .arguments = std::move(arguments),
                        .environment = std::string("PATH=/usr/bin:/bin\0", 19),
                        .work_dir = dir_ + "/home",
                        .srun_id = "the srun"};
    auto key = ClusterKey::from_bytes(*read_file(dir_ + "/slurm.key"));
    request.signature = sign_blob(*key, "step-credential", request.credential);
    return request;
  }
  Client srun() {
    auto client = Client::connect({.path = dir_ + "/slurmd-n1.sock"}, {.cluster = "straw"});
    EXPECT_TRUE(client) << client.error().text;
    return std::move(*client);
  }
  template <class T>
  static void send(Client& client, const T& message) {
    auto sent =
        client.send({.type = wire::message_number<T>}, wire::encode(message), kTestPatience);
    EXPECT_TRUE(sent) << sent.error().text;
  }

  // What an srun has seen of its step.
  struct Seen {
    std::map<std::uint32_t, std::string> out, err;
    std::map<std::uint32_t, ExitStatus> exits;
    std::uint64_t received = 0;
    bool over = false;
    std::string error;
    bool lost = false;
  };
  static void read_until(Client& client, Seen& seen,
                         const std::function<bool(const Seen&)>& enough) {
    while (!seen.over && !enough(seen)) {
      auto frame = client.receive(kTestPatience);
      if (!frame) {
        seen.lost = true;
        return;
      }
      EXPECT_EQ(frame->header.correlation, seen.received + 1);
      seen.received = frame->header.correlation;
      if (frame->header.type == wire::message_number<TaskOutput>) {
        auto output = wire::decode<TaskOutput>(frame->payload);
        (output->stream == StreamKind::Stdout ? seen.out : seen.err)[output->task] += output->data;
      } else if (frame->header.type == wire::message_number<TaskEnded>) {
        auto ended = wire::decode<TaskEnded>(frame->payload);
        seen.exits[ended->task] = ended->exit;
      } else if (frame->header.type == wire::message_number<StepOver>) {
        seen.over = true;
        seen.error = wire::decode<StepOver>(frame->payload)->error;
      }
    }
  }
  static bool never(const Seen&) { return false; }

  std::string dir_;
  UserEntry user_;
  pid_t slurmd_ = 0;
  std::unique_ptr<FakeController> controller_;
};

}  // namespace ym
