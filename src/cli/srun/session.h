// SPDX-License-Identifier: Apache-2.0
// A step while it runs: one loop over the nodes' streams, our own input, signals and the job's end.
#pragma once
#include <poll.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "cli/common/tree_call.h"
#include "cli/common/watch.h"
#include "cli/options/job_options.h"
#include "cli/srun/exits.h"
#include "cli/srun/fences.h"
#include "cli/srun/node_stream.h"
#include "cli/srun/output.h"
#include "notation/pattern.h"
#include "wire/task_output.h"

namespace ym::cli {

// Where the step's streams go, decided from --input, --output and --error.
struct StreamPlan {
  std::string node_in, node_out,
      node_err;  // patterns that the nodes open themselves; empty: through srun
  std::string local_in, local_out, local_err;  // files that srun opens; empty: its own streams
  std::uint32_t stdin_task = 0xffffffff;
  bool read_input = true;
  std::optional<std::uint32_t> only_task;  // --output=3: what the others say is dropped
};
Result<StreamPlan> plan_streams(const JobOptions& options, const PatternValues& values);

// What is launched in one job. The first one's flags are those of all.
struct StepSlice {
  JobId job;
  StepId step;
  std::size_t nodes = 0;
  LaunchTasks launch;
};
struct StepRun {
  JobId job;                      // of the first slice
  StepCreated created;            // all nodes and tasks
  std::vector<StepSlice> slices;  // several of a heterogeneous job; their nodes in this order
  StreamPlan plan;
  const JobOptions* options = nullptr;
  bool own_allocation = false;          // which lives only as long as we are seen to
  std::optional<JobWatcher> watcher{};  // that waited for the allocation
};

class Session {
 public:
  Session(Controller& controller, StepRun run);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs the step to its end and tells srun's exit code.
  int run();

 private:
  // A slice that goes down a tree. Its answers are told apart by their nodes, of which another one
  // may have the same.
  struct SliceLaunch {
    std::size_t first = 0, nodes = 0;  // of the streams
    TreeCall call;
  };

  Status open_files();
  // session_launch.cc
  void launch();
  void launch_slice(const StepSlice& slice, std::size_t first);
  void launch_failed(NodeStream& stream, const std::string& why);
  // False while it is not open.
  bool join(NodeStream& stream);
  // Adds what the trees wait for, and says for how long, `most` at most.
  Duration add_tree_polls(std::vector<pollfd>& fds, Duration most) const;
  void advance_trees();
  void take_launch_row(const SliceLaunch& launch, const TreeAnswer& row);
  void signal_by_tree(const StepSlice& slice, std::uint16_t signal, std::vector<NodeAddress> nodes);
  const StepSlice& slice_of(std::size_t stream) const;
  void loop();
  void poll_once();
  void read(NodeStream& stream);
  void handle(NodeStream& stream, const FrameView& frame);
  void take_task_end(ExitStatus exit);
  void terminate();
  void take_output(const wire::OutputView& output);
  void take_end(NodeStream& stream, const StepOver& over);
  void take_fence(NodeStream& stream, StepFence part);
  void take_abort(const StepAbort& abort);
  void end_step(const std::string& why, int code);
  void read_input();
  void take_signals();
  void interrupt();
  void escalate();
  void look_after_lost();
  void send_signal(std::uint16_t signal);
  void say_status() const;
  bool all_over() const;
  std::string step_name() const;
  std::uint32_t number_of(const NodeStream& stream) const;
  void set_terminal(bool raw);

  Controller& controller_;
  StepRun run_;
  TaskExits exits_;
  OutputSplitter splitter_;
  std::string text_;  // on its way out
  FenceHub fences_;
  std::vector<std::unique_ptr<NodeStream>> streams_;
  std::vector<bool> step_failed_;
  std::list<SliceLaunch> launching_;
  std::list<TreeCall> signalling_;
  bool launch_broken_ = false;
  JobWatcher watcher_;
  bool job_over_ = false;
  Fd signals_;
  int in_ = -1, out_ = 1, err_ = 2;
  bool input_over_ = false;
  Duration interrupted_at_{-100000};
  Duration kill_at_{0};
  Duration first_end_{0};  // of a task
  bool aborting_ = false, terminating_ = false;
  int failure_code_ = 0;
  std::optional<int> abort_code_;  // of a task that called for the end of all
  bool raw_ = false;
};

}  // namespace ym::cli
