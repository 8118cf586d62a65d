// SPDX-License-Identifier: Apache-2.0
// The shepherd of one step on one node: starts its tasks, carries their streams, reaps, cleans up,
// leaves a result.
//
// A single thread around poll(2). It lives through restarts of slurmd: what it needs is in its
// order, and what slurmd needs to know is in its folder (folder.h).
//
// Streams: each message to srun is numbered (replay.h). While srun reads slowly, tasks are not read
// from beyond kStreamBufferMax, so that they block on their full pipes as they would on a slow
// terminal. While srun is away they do not block: what exceeds kStreamBufferMax is dropped, and
// srun is told how much. srun has kResumeWait to come back, then the step is ended.
#pragma once
#include <sys/types.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/step_messages.h"
#include "net/address.h"
#include "net/frame.h"
#include "shepherd/mpi.h"
#include "shepherd/order.h"
#include "shepherd/replay.h"
#include "shepherd/task.h"
#include "wire/codec.h"
#include "wire/messages.h"

struct pollfd;

namespace ym {

inline constexpr std::size_t kStreamBufferMax = 1 << 20;
inline constexpr std::size_t kInputBufferMax = 1 << 20;  // waiting for one task to read
inline constexpr Duration kResumeWait = std::chrono::seconds(60);

class Shepherd {
 public:
  struct Inherited {
    Fd lock, control, stream;
    std::string residual;  // of the stream
  };
  Shepherd(ShepherdOrder order, std::string folder, Inherited inherited);

  // Until everything has ended and the result is written. The process's exit code.
  int run();

 private:
  struct Task {
    const TaskOrder* order = nullptr;
    pid_t pid = 0;
    bool ended = false;
    ExitStatus exit;
    TaskStreams streams;
    std::string input;  // not yet written
    bool input_ended = false;
  };

  Status prepare();
  Status write_script();
  void start_tasks();
  Status start_mpi();
  // Where poll(2) goes: fills `fds` and, in the same order, what to do.
  enum class Source { Children, Control, Stream, Input, Output, Errors, Mpi };
  struct Watched {
    Source source;
    std::size_t task;
  };
  void gather(std::vector<pollfd>& fds, std::vector<Watched>& watched) const;
  int poll_timeout() const;
  void turn();

  void reap();
  void on_control();
  void handle(ControlPacket packet, Fd passed);
  void signal_tasks(int signal, bool leaders_only);
  // True if there may be more.
  bool read_output(Task& task, StreamKind kind);
  void read_stream();
  void write_stream();
  void take_frames(std::string_view bytes);
  void handle(const Frame& frame);
  void write_input(Task& task);
  void lose_stream();
  void check_deadlines();
  void begin_kill();
  void finish();
  bool drain_outputs();
  template <class T>
  void tell(const T& message) {
    if (order_.streams) replay_.push(wire::message_number<T>, wire::encode(message));
  }

  const ShepherdOrder order_;
  const std::string folder_;
  Fd lock_, control_, stream_, children_;
  std::string residual_;  // of the stream, until tasks are there to take it
  std::string script_, cgroup_;
  rlimit open_files_{};  // as it was when we started
  std::vector<Task> tasks_;
  std::unique_ptr<MpiSupport> mpi_;  // null: the tasks need none
  ShepherdResult result_;

  Replay replay_;
  FrameReader frames_;
  std::uint64_t dropped_ = 0;  // bytes of output while srun was away
  Duration lost_at_{0};        // monotonic; 0: connected, or nobody to connect to
  Duration kill_at_{0};        // SIGKILL then; 0: not being killed
  bool starting_ = false;      // tasks are being started
  bool killed_ = false;        // by an order of slurmd
  std::vector<std::pair<ControlPacket, Fd>> deferred_;  // came meanwhile
  bool over_sent_ = false;
};

}  // namespace ym
