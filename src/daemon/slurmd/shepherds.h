// SPDX-License-Identifier: Apache-2.0
// Has shepherds started, talks to them, and notices their end, whether they are ours or our
// predecessor's. On the loop's thread.
#pragma once
#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "base/ref.h"
#include "base/result.h"
#include "daemon/slurmd/nursery_line.h"
#include "daemon/slurmd/remains.h"
#include "daemon/slurmd/spool.h"
#include "net/address.h"
#include "net/loop.h"
#include "os/log.h"

namespace ym {

class Shepherds {
 public:
  using OnEnd = std::function<void(Sluid, StepId, const agent::Ended&)>;
  Shepherds(Loop& loop, Spool& spool, Log& log, std::string program, std::string node);
  ~Shepherds();
  void set_on_end(OnEnd on_end) { on_end_ = std::move(on_end); }

  Status open_nursery() { return nursery_.open(); }

  struct Connection {
    Fd fd;
    std::string residual;
  };
  // REQUIRES: the order is in the spool.
  Status start(JobId job, Sluid sluid, StepId step, Connection srun);
  // A program that serves a connection (descriptor 3; what was read of it is file 4, `secret` file
  // 5, `listener` 6 if there is one). Its end matters to nobody, or to `on_end`.
  struct Aside {
    std::string program;
    std::vector<std::string> arguments;
    Connection connection;
    std::string secret;
    Fd listener{};
    std::function<void()> on_end{};
  };
  // A number for stop_aside; good until the program has ended.
  Result<int> run_aside(Aside wish);
  void stop_aside(int handle) const;
  // One that a former daemon started.
  void adopt(JobId job, Sluid sluid, StepId step);
  Status send(Sluid sluid, StepId step, const ControlPacket& packet, int passed_fd = -1) const;
  // The same for a question: the answer comes on the connection.
  Result<Fd> open(Sluid sluid, StepId step, const ControlPacket& packet, int passed_fd = -1) const;

 private:
  struct Watched {
    JobId job;
    Fd pidfd;
  };
  using Key = std::pair<Sluid, StepId>;

  Status watch(Key key, JobId job, Fd handle);
  void look_again(Key key, JobId job);
  void ended(Key key);
  void report_end(Key key, JobId job);
  // Without a shepherd: what it left is killed until nothing is there, then it has ended.
  void end_remains(Key key, JobId job, Ref<Remains> remains, Duration give_up_at);
  void log_unkillable(Key key, JobId job, std::string_view text) const;

  Loop& loop_;
  Spool& spool_;
  Log& log_;
  NurseryLine nursery_;
  const std::string node_;
  OnEnd on_end_;
  std::map<Key, Watched> watched_;
  struct RunningAside {
    Fd pidfd;
    std::function<void()> on_end;
  };
  std::map<int, RunningAside> aside_;  // by the numbers of the pidfds
};

}  // namespace ym
