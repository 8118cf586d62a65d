// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/format.h"
#include "cli/common/command.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr std::size_t kInputSize = 32 << 10;
constexpr Duration kLookInterval{500};

std::vector<std::string> nodes_by_task(const StepCreated& created) {
  std::vector<std::string> out(created.step.tasks);
  for (std::size_t i = 0; i < created.step.shares.size() && i < created.nodes.size(); ++i) {
    const StepShare& share = created.step.shares[i];
    for (std::uint32_t local = 0; local < share.tasks; ++local)
      if (share.rank(local) < out.size()) out[share.rank(local)] = created.nodes[i].name;
  }
  return out;
}

void write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, 1000);
      continue;
    }
    if (wrote <= 0) return;  // nobody listens; the tasks go on
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

// In Slurm's words.
std::unexpected<Error> cannot_open(std::string_view stream) {
  return fail(fmt::format("Could not open {} file: {}", stream, std::strerror(errno)));
}

Result<int> open_output(const std::string& path, std::string_view stream, bool append) {
  int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
  if (fd < 0) return cannot_open(stream);
  return fd;
}

}  // namespace

Session::Session(Controller& controller, StepRun run)
    : controller_(controller),
      run_(std::move(run)),
      exits_(nodes_by_task(run_.created),
             environment_variable("SLURM_SRUN_REDUCE_TASK_EXIT_MSG").value_or("0") != "0"),
      splitter_(run_.created.step.tasks, run_.options->label,
                !run_.options->unbuffered && !run_.options->pty && run_.created.step.tasks > 1),
      fences_(static_cast<std::uint32_t>(run_.created.nodes.size())),
      watcher_(run_.watcher ? std::move(*run_.watcher) : JobWatcher(controller)) {
  watcher_.watch_for({.job = run_.job, .until_end = true, .mine = run_.own_allocation});
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH, SIGTSTP})
    ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  ::signal(SIGPIPE, SIG_IGN);
}

Session::~Session() {
  if (raw_) set_terminal(false);
}

std::string Session::step_name() const {
  return fmt::format("StepId={}.{}", run_.job.value, run_.created.step.id.value);
}

Status Session::open_files() {
  const StreamPlan& plan = run_.plan;
  in_ = plan.read_input ? STDIN_FILENO : -1;
  if (!plan.local_in.empty()) {
    in_ = ::open(plan.local_in.c_str(), O_RDONLY | O_CLOEXEC);
    if (in_ < 0) return cannot_open("stdin");
  }
  if (!plan.local_out.empty()) {
    auto fd = open_output(plan.local_out, "stdout", run_.slices.front().launch.append_output);
    if (!fd) return std::unexpected(fd.error());
    out_ = *fd;
  }
  if (plan.local_err == plan.local_out && !plan.local_err.empty()) {
    err_ = out_;
  } else if (!plan.local_err.empty()) {
    auto fd = open_output(plan.local_err, "stderr", run_.slices.front().launch.append_output);
    if (!fd) return std::unexpected(fd.error());
    err_ = *fd;
  }
  return {};
}

int Session::run() {
  if (Status opened = open_files(); !opened) {
    complain("srun", opened.error().text);
    return 1;
  }
  launch();
  if (run_.options->pty && ::isatty(STDIN_FILENO)) set_terminal(true);
  loop();
  if (raw_) set_terminal(false);
  for (const std::string& line : exits_.news()) complain("srun", line);
  return abort_code_.value_or(std::max(failure_code_, exits_.exit_code()));
}

bool Session::all_over() const {
  return std::all_of(streams_.begin(), streams_.end(),
                     [](const auto& stream) { return stream->over(); });
}

// Also right after a handshake: with its answer more may have come, which poll(2) does not know
// of.
void Session::read(NodeStream& stream) {
  stream.read([&](const FrameView& frame) { handle(stream, frame); });
}

void Session::loop() {
  while (!all_over()) {
    poll_once();
    look_after_lost();
    escalate();
  }
}

void Session::poll_once() {
  std::vector<pollfd> fds;
  fds.push_back({.fd = signals_.get(), .events = POLLIN, .revents = 0});
  bool room = std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) {
    return stream->over() || stream->takes_input();
  });
  fds.push_back(
      {.fd = in_ >= 0 && !input_over_ && room ? in_ : -1, .events = POLLIN, .revents = 0});
  fds.push_back({.fd = job_over_ ? -1 : watcher_.fd(), .events = POLLIN, .revents = 0});
  for (const auto& stream : streams_)
    fds.push_back({.fd = stream->fd(), .events = stream->wanted(), .revents = 0});
  Duration wait = add_tree_polls(fds, kLookInterval);
  Duration before = monotonic_clock();
  if (std::ranges::any_of(streams_, [&](const auto& one) { return one->due(before); }))
    wait = Duration(0);
  ::poll(fds.data(), fds.size(), static_cast<int>(wait.count()));
  if (fds[0].revents) take_signals();
  if (fds[1].revents) read_input();
  if (!job_over_ && (fds[2].revents || watcher_.fd() < 0)) {
    auto row = watcher_.wait(Duration(0));
    job_over_ = !row || *row;
  }
  Duration now = monotonic_clock();
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    NodeStream& stream = *streams_[i];
    bool due = fds[i + 3].revents || stream.due(now);
    if (stream.joining() && (!due || !join(stream))) continue;
    if (fds[i + 3].revents & POLLOUT) stream.write();
    if (!fds[i + 3].revents) continue;
    read(stream);
  }
  advance_trees();
}

void Session::handle(NodeStream& stream, const FrameView& frame) {
  std::uint16_t type = frame.header.type;
  if (type == wire::message_number<TaskOutput>) {
    if (auto output = wire::view_output(frame.payload)) take_output(*output);
  } else if (type == wire::message_number<TaskEnded>) {
    auto ended = wire::decode<TaskEnded>(frame.payload);
    if (ended && exits_.record(ended->task, ended->exit)) take_task_end(ended->exit);
  } else if (type == wire::message_number<StepFence>) {
    if (auto part = wire::decode<StepFence>(frame.payload)) take_fence(stream, std::move(*part));
  } else if (type == wire::message_number<StepAbort>) {
    if (auto abort = wire::decode<StepAbort>(frame.payload)) take_abort(*abort);
  } else if (type == wire::message_number<StepOver>) {
    auto over = wire::decode<StepOver>(frame.payload);
    take_end(stream, over ? *over : StepOver{.error = over.error().text});
  } else if (type == wire::message_number<Failure>) {
    auto failure = wire::decode<Failure>(frame.payload);
    take_end(stream, {.error = failure ? failure->text : failure.error().text});
  } else if (type == static_cast<std::uint16_t>(NetType::Error)) {
    take_end(stream, {.error = decode_error(frame.payload).text});
  }
}

void Session::take_task_end(ExitStatus exit) {
  if (first_end_ == Duration(0)) first_end_ = monotonic_clock();
  if (exit.ok()) return;
  if (!raw_)
    for (const std::string& line : exits_.news()) complain("srun", line);
  if (run_.options->kill_on_bad_exit.value_or(controller_.config().kill_on_bad_exit)) terminate();
}

// Once: what is left of the step is asked to end, and made to after KillWait.
void Session::terminate() {
  if (std::exchange(terminating_, true) || exits_.all_ended()) return;
  remark("srun", fmt::format("Terminating {}", step_name()));
  send_signal(SIGTERM);
  kill_at_ = monotonic_clock() + controller_.config().kill_wait;
}

void Session::take_output(const wire::OutputView& output) {
  if (run_.plan.only_task && *run_.plan.only_task != output.task) return;
  int fd = output.stream == StreamKind::Stderr ? err_ : out_;
  if (splitter_.transparent()) return write_fully(fd, output.data);
  text_.clear();
  if (!output.data.empty()) splitter_.take(output.task, output.stream, output.data, text_);
  if (output.end) splitter_.finish(output.task, output.stream, text_);
  write_fully(fd, text_);
}

void Session::take_end(NodeStream& stream, const StepOver& over) {
  stream.set_over();
  if (Status left = fences_.leave(number_of(stream)); !left && !aborting_)
    end_step(fmt::format("{}: {}", stream.node(), left.error().text), 1);
  if (over.error.empty()) return;
  complain("srun", fmt::format("{}: {}", stream.node(), over.error));
  failure_code_ = std::max(failure_code_, 1);
}

void Session::read_input() {
  TaskInput input{.task = run_.plan.stdin_task};
  input.data.resize(kInputSize);
  ssize_t got = ::read(in_, input.data.data(), input.data.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  input.data.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  input.end = got <= 0;
  input_over_ = input.end;
  for (auto& stream : streams_)
    if (!stream->over()) stream->send(input);
}

void Session::look_after_lost() {
  Duration now = monotonic_clock();
  for (auto& stream : streams_) {
    if (stream->open() || stream->over() || !stream->launched()) continue;
    if (stream->joining() && !stream->joined()) continue;
    stream->try_resume(controller_, now);
    bool hopeless = now - stream->lost_at() > controller_.config().slurmd_timeout;
    if (!hopeless && !(job_over_ && now - stream->lost_at() > controller_.config().message_timeout))
      continue;
    take_end(*stream, {.error = job_over_ ? "the job has ended and the node does not answer"
                                          : "Node failure"});
  }
}

}  // namespace ym::cli
