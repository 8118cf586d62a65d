// SPDX-License-Identifier: Apache-2.0
// The shepherd of one step on one node: starts its tasks, carries their streams, reaps, cleans up,
// leaves a result.
//
// A single thread around poll(2). It lives through restarts of slurmd: what it needs is in its
// order, and what slurmd needs to know is in its record (record.h).
//
// Streams: each message to srun is numbered and kept until srun has written it out (replay.h);
// pace.h tells when a task waits for srun (as good as never). What srun says is numbered, too: what
// comes twice, because a connection was lost, counts once. srun has order.resume_wait to come back,
// then the step is ended.
#pragma once
#include <poll.h>
#include <sys/types.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/step_messages.h"
#include "net/address.h"
#include "net/frame.h"
#include "shepherd/containment.h"
#include "shepherd/cpu_freq.h"
#include "shepherd/gpu_freq.h"
#include "shepherd/listeners.h"
#include "shepherd/mpi.h"
#include "shepherd/order.h"
#include "shepherd/pace.h"
#include "shepherd/replay.h"
#include "shepherd/task.h"
#include "shepherd/usage.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

// Of input waiting for one task to read. srun keeps to less (it waits for what is confirmed), so
// the second bound is only for one that does not.
inline constexpr std::size_t kInputWindow = 128 << 10;
inline constexpr std::size_t kInputBufferMax = 1 << 20;
inline constexpr std::size_t kConfirmInput = 64 << 10;  // is told after so much
// What a killed step has said is still delivered within this time.
inline constexpr Duration kKilledWait = std::chrono::seconds(10);
// An srun that is gone while its job is being ended has mostly been ended with it. A living one
// tries every two seconds to come back.
inline constexpr Duration kEndingWait = std::chrono::seconds(3);

class Shepherd {
 public:
  struct Inherited {
    Fd record, control, stream;
    std::string residual;  // of the stream
  };
  Shepherd(ShepherdOrder order, std::string stem, Inherited inherited);

  // Until everything has ended and the result is written. The process's exit code.
  int run();

 private:
  struct Task {
    const TaskOrder* order = nullptr;
    pid_t pid = 0, first_pid = 0;  // now, and of the task itself
    bool ended = false;
    bool in_epilog = false;  // `pid` is that of its epilogs
    ExitStatus exit;
    TaskStreams streams;
    std::string input;  // not yet written
    bool input_ended = false;
    bool wide_out = false, wide_err = false;  // the pipe was made larger
  };

  Status prepare();
  Status write_script();
  TaskSetup setup_of(const TaskOrder& task);
  void send_everywhere(int signal);
  void kill_containers();
  void clean_containers();
  void start_tasks();
  Status start_mpi();
  void wait_for_children();
  // Where poll(2) goes: fills `fds` and, in the same order, what to do.
  enum class Source { Children, Control, Stream, Input, Output, Errors, Listener, Memory, Mpi };
  struct Watched {
    Source source;
    std::size_t task;
  };
  void gather();
  int poll_timeout() const;
  void turn();

  void reap();
  void task_ended(Task& task);
  void on_control();
  void handle(ControlPacket packet, Fd passed);
  void signal_tasks(int signal, bool leaders_only);
  // shepherd_usage.cc
  Duration until_sample() const;
  void sample_if_due();
  void answer_query(const Fd& caller);
  void answer_memory(const Fd& caller, std::uint64_t memory_mb);
  bool no_child_left();
  // The bytes that came; 0 if there is nothing more at present.
  std::size_t read_output(Task& task, StreamKind kind);
  void adopt_stream(Fd stream);
  void attach(const ControlPacket& packet, Fd listener);
  void serve_listener(std::size_t index);
  void change_window(const Frame& frame);
  void read_stream();
  void write_stream();
  void take_frames(std::string_view bytes);
  void handle(const Frame& frame);
  void take_input(const Frame& frame);
  void write_input(Task& task);
  void confirm_input();
  void lose_stream();
  void check_deadlines();
  void begin_kill();
  // --- shepherd_ending.cc ---
  void contain();
  // On the stderr of the step's first task.
  void say(const std::string& text);
  void kill_everything();
  void freeze(bool frozen);
  // When those that SIGKILL did not end are given up; none if nothing is being killed.
  std::optional<Duration> give_up_at() const;
  void give_up();
  void end_leftovers();
  void tell_unkillable();
  void on_out_of_memory();
  ExitStatus with_memory_in_mind(ExitStatus exit) const;
  void note_memory();
  void finish();
  void deliver();
  bool delivered(Duration since) const;
  bool drain_outputs();
  template <class T>
  void tell(const T& message) {
    if (order_.streams) replay_.push(wire::message_number<T>, wire::encode(message));
  }

  const ShepherdOrder order_;
  const std::string stem_;  // of its files, folder.h
  Fd record_, control_, stream_, children_;
  std::string residual_;  // of the stream, until tasks are there to take it
  std::string script_;
  std::string container_spool_;  // see TaskSetup
  Containment containment_{order_};
  CpuSpeeds speeds_;
  GpuSpeeds gpu_speeds_;
  Fd oom_events_;
  rlimit open_files_{};  // as it was when we started
  std::vector<Task> tasks_;
  std::unique_ptr<MpiSupport> mpi_;  // null: the tasks need none
  bool node_failed_ = false;         // the spool would not take what the step needs
  ShepherdResult result_;
  UsageMeter usage_;
  Instant started_;
  Duration sampled_at_{0};  // monotonic

  Replay replay_;
  Pace pace_;
  Listeners listeners_;
  FrameReader frames_;
  std::uint64_t input_received_ = 0, input_confirmed_ = 0;  // numbers of srun's messages
  std::size_t unconfirmed_input_ = 0;                       // bytes
  Duration lost_at_{0};        // monotonic; 0: connected, or nobody to connect to
  bool hung_up_ = false;       // and it was srun that ended the connection
  Duration kill_at_{0};        // SIGKILL then; 0: not being killed
  Duration killing_since_{0};  // SIGKILL was sent to everything then; 0: not yet
  bool frozen_ = false;
  bool starting_ = false;  // tasks are being started
  bool killed_ = false;    // by an order of slurmd
  Duration ending_at_{0};  // slurmd told us to end; 0: it did not
  std::vector<pollfd> fds_;
  std::vector<Watched> watched_;                        // what each of fds_ is
  std::vector<std::pair<ControlPacket, Fd>> deferred_;  // came meanwhile
  bool over_sent_ = false;
};

}  // namespace ym
