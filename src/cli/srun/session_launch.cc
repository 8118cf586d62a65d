// SPDX-License-Identifier: Apache-2.0
// How a step gets to its nodes: to a few directly, to many down a tree of slurmd
// (docs/decisions/0009). The streams are direct either way, and all at once.
#include <signal.h>

#include <algorithm>

#include "base/format.h"
#include "cli/common/command.h"
#include "cli/srun/session.h"
#include "os/clock.h"

namespace ym::cli {

const StepSlice& Session::slice_of(std::size_t stream) const {
  for (const StepSlice& slice : run_.slices) {
    if (stream < slice.nodes) return slice;
    stream -= slice.nodes;
  }
  return run_.slices.back();
}

void Session::launch() {
  for (std::size_t i = 0; i < run_.created.nodes.size(); ++i) {
    const StepSlice& slice = slice_of(i);
    ResumeStream resume{.job = slice.job, .step = slice.step, .srun_id = slice.launch.srun_id};
    streams_.push_back(std::make_unique<NodeStream>(run_.created.nodes[i], resume,
                                                    controller_.config().stream_timeout));
  }
  std::size_t first = 0;
  for (const StepSlice& slice : run_.slices) {
    launch_slice(slice, first);
    first += slice.nodes;
  }
  advance_trees();
}

void Session::launch_slice(const StepSlice& slice, std::size_t first) {
  bool by_tree = slice.nodes > controller_.config().tree_width;
  for (std::size_t i = first; i < first + slice.nodes; ++i) {
    auto& stream = streams_[i];
    if (launch_broken_ && !run_.options->spec.no_kill) {
      stream->set_over();
      continue;
    }
    Status begun = by_tree ? stream->attach(controller_) : stream->start(controller_, slice.launch);
    if (begun) continue;
    // Whether a node can be reached at all the tree will say.
    if (by_tree)
      stream->stop_joining();
    else
      launch_failed(*stream, begun.error().text);
  }
  if (!by_tree || (launch_broken_ && !run_.options->spec.no_kill)) return;
  auto nodes = run_.created.nodes.begin() + static_cast<std::ptrdiff_t>(first);
  launching_.push_back(
      {.first = first,
       .nodes = slice.nodes,
       .call = TreeCall(controller_, wire::message_number<LaunchTasks>, wire::encode(slice.launch),
                        {nodes, nodes + static_cast<std::ptrdiff_t>(slice.nodes)},
                        controller_.config().message_timeout)});
}

// Without --no-kill a step that lacks a node is no step.
void Session::launch_failed(NodeStream& stream, const std::string& why) {
  complain("srun", fmt::format("Task launch for {} failed on node {}: {}", step_name(),
                               stream.node(), why));
  stream.set_over();
  failure_code_ = std::max(failure_code_, 1);
  bool first = !std::exchange(launch_broken_, true);
  if (Status left = fences_.leave(number_of(stream)); !left && !aborting_)
    end_step(fmt::format("{}: {}", stream.node(), left.error().text), 1);
  if (run_.options->spec.no_kill || !first) return;
  complain("srun", "Application launch failed");
  aborting_ = true;
  send_signal(SIGKILL);
}

bool Session::join(NodeStream& stream) {
  auto joined = stream.join(monotonic_clock());
  if (joined && !*joined) return false;
  if (!joined && (!stream.direct() || stream.joined())) {
    stream.stop_joining();
    return false;
  }
  if (!joined) {
    launch_failed(stream, joined.error().text);
    return false;
  }
  read(stream);
  return true;
}

Duration Session::add_tree_polls(std::vector<pollfd>& fds, Duration most) const {
  Duration now = monotonic_clock();
  auto add = [&](const TreeCall& call) {
    if (call.finished()) return;
    call.add_polls(fds);
    most = std::clamp(call.next_deadline() - now + Duration(1), Duration(0), most);
  };
  for (const SliceLaunch& launch : launching_) add(launch.call);
  for (const TreeCall& call : signalling_) add(call);
  return most;
}

void Session::advance_trees() {
  for (SliceLaunch& launch : launching_) {
    if (launch.call.finished()) continue;
    for (const TreeAnswer& row : launch.call.advance()) take_launch_row(launch, row);
  }
  for (TreeCall& call : signalling_) static_cast<void>(call.advance());
  std::erase_if(signalling_, [](const TreeCall& call) { return call.finished(); });
}

void Session::take_launch_row(const SliceLaunch& launch, const TreeAnswer& row) {
  auto begin = streams_.begin() + static_cast<std::ptrdiff_t>(launch.first);
  auto end = begin + static_cast<std::ptrdiff_t>(launch.nodes);
  auto at = std::ranges::find_if(begin, end,
                                 [&](const auto& stream) { return stream->node() == row.node; });
  if (at == end || (*at)->over()) return;
  // What it has said counts for more than what others say of it.
  if (row.error.empty() || (*at)->launched())
    (*at)->set_launched();
  else
    launch_failed(**at, row.error);
}

void Session::signal_by_tree(const StepSlice& slice, std::uint16_t signal,
                             std::vector<NodeAddress> nodes) {
  SignalStep order{.job = slice.job, .step = slice.step, .signal = signal};
  signalling_.emplace_back(controller_, wire::message_number<SignalStep>, wire::encode(order),
                           std::move(nodes), controller_.config().message_timeout);
  static_cast<void>(signalling_.back().advance());
}

}  // namespace ym::cli
