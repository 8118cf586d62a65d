// SPDX-License-Identifier: Apache-2.0
#include "cli/sattach/listening.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/format.h"
#include "wire/task_output.h"

namespace ym::cli {
namespace {

constexpr std::size_t kInputSize = 16 << 10;
constexpr std::size_t kInputAhead = 256 << 10;  // may wait for a node before more is read

std::vector<std::string> nodes_by_task(const StepRow& row) {
  std::vector<std::string> out(row.step.tasks);
  for (std::size_t n = 0; n < row.step.shares.size() && n < row.addresses.size(); ++n) {
    const StepShare& share = row.step.shares[n];
    for (std::uint32_t local = 0; local < share.tasks; ++local)
      if (share.rank(local) < out.size()) out[share.rank(local)] = row.addresses[n].name;
  }
  return out;
}

void write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

Listening::Listening(Controller& controller, const SattachSettings& settings, const StepRow& row)
    : controller_(controller),
      settings_(settings),
      row_(row),
      exits_(nodes_by_task(row)),
      splitter_(row.step.tasks, settings.label, row.step.tasks > 1 && !settings.pty) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGWINCH);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = Fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

Listening::~Listening() {
  if (raw_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

Status Listening::attach(const NodeAddress& address) {
  auto client = controller_.connect_node(address);
  if (!client) return std::unexpected(client.error());
  Client::Released released = client->release();
  Node& node = nodes_.emplace_back();
  node.name = address.name;
  node.channel = std::move(released.channel);
  node.frames.feed(released.residual);
  send(node, AttachStep{.job = row_.job, .step = row_.step.id, .input = true});
  return {};
}

int Listening::run() {
  for (const NodeAddress& address : row_.addresses) {
    if (Status attached = attach(address); !attached) {
      complain("sattach", fmt::format("{}: {}", address.name, attached.error().text));
      failure_code_ = 1;
    }
  }
  if (settings_.pty && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios changed = before_;
    ::cfmakeraw(&changed);
    raw_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &changed) == 0;
    tell_window();
  }
  while (any_open()) poll_once();
  if (!settings_.quiet)
    for (const std::string& line : exits_.news()) complain("sattach", line);
  return std::max(failure_code_, exits_.exit_code());
}

bool Listening::any_open() const {
  return std::ranges::any_of(nodes_,
                             [](const Node& node) { return static_cast<bool>(node.channel); });
}

void Listening::poll_once() {
  std::vector<pollfd> fds;
  bool room = std::ranges::all_of(
      nodes_, [](const Node& node) { return !node.channel || node.out.size() < kInputAhead; });
  fds.push_back({.fd = input_over_ || !room ? -1 : STDIN_FILENO, .events = POLLIN, .revents = 0});
  fds.push_back({.fd = signals_.get(), .events = POLLIN, .revents = 0});
  for (const Node& node : nodes_)
    fds.push_back({.fd = node.channel.fd(),
                   .events = static_cast<short>(POLLIN | (node.out.empty() ? 0 : POLLOUT)),
                   .revents = 0});
  ::poll(fds.data(), fds.size(), -1);
  if (fds[0].revents) read_input();
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) > 0) tell_window();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (fds[n + 2].revents & POLLOUT) write(nodes_[n]);
    if (fds[n + 2].revents) read(nodes_[n]);
  }
}

void Listening::read(Node& node) {
  // poll(2) does not see what TLS has received already: none of it may stay.
  do {
    std::span<char> room = node.frames.room();
    std::size_t got = 0;
    auto moved =
        node.channel ? node.channel.read(room.data(), room.size(), got) : Channel::Moved::End;
    if (moved == Channel::Moved::End)
      return lose(node, "the connection was lost, or we were too slow");
    if (moved != Channel::Moved::Some) return;
    node.frames.filled(got);
    while (node.channel) {
      auto frame = node.frames.next();
      if (!frame) return lose(node, frame.error().text);
      if (!*frame) break;
      handle(node, **frame);
    }
  } while (node.channel.has_pending());
}

void Listening::lose(Node& node, const std::string& why) {
  if (!node.channel) return;
  node.channel.close();
  complain("sattach", fmt::format("{}: {}", node.name, why));
  failure_code_ = 1;
}

void Listening::handle(Node& node, const FrameView& frame) {
  std::uint16_t type = frame.header.type;
  if (type == wire::message_number<TaskOutput>) {
    auto output = wire::view_output(frame.payload);
    if (!output) return;
    bool error = output->stream == StreamKind::Stderr;
    const auto& only = error ? settings_.error_task : settings_.output_task;
    if (only && *only != output->task) return;
    std::string text;
    if (!output->data.empty()) splitter_.take(output->task, output->stream, output->data, text);
    if (output->end) splitter_.finish(output->task, output->stream, text);
    write_fully(error ? STDERR_FILENO : STDOUT_FILENO, text);
  } else if (type == wire::message_number<TaskEnded>) {
    if (auto ended = wire::decode<TaskEnded>(frame.payload))
      exits_.record(ended->task, ended->exit);
  } else if (type == wire::message_number<StepAttached>) {
    auto attached = wire::decode<StepAttached>(frame.payload);
    if (attached && settings_.verbose)
      remark("sattach",
             fmt::format("attached to {} task(s) on {}", attached->tasks.size(), attached->node));
  } else if (type == wire::message_number<StepOver>) {
    auto over = wire::decode<StepOver>(frame.payload);
    if (over && !over->error.empty()) return lose(node, over->error);
    node.channel.close();
  } else if (type == static_cast<std::uint16_t>(NetType::Error)) {
    lose(node, decode_error(frame.payload).text);
  }
}

// The end of our own input is not the end of theirs: that belongs to srun.
void Listening::read_input() {
  TaskInput input{.task = settings_.pty ? 0 : settings_.input_task.value_or(0xffffffff)};
  input.data.resize(kInputSize);
  ssize_t got = ::read(STDIN_FILENO, input.data.data(), input.data.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    input_over_ = true;
    return;
  }
  input.data.resize(static_cast<std::size_t>(got));
  for (Node& node : nodes_)
    if (node.channel) send(node, input);
}

void Listening::tell_window() {
  winsize size{};
  if (!raw_ || nodes_.empty() || ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) return;
  send(nodes_[0], WindowChanged{.rows = size.ws_row, .columns = size.ws_col});
}

template <class Message>
void Listening::send(Node& node, const Message& message) {
  append_frame(node.out, {.type = wire::message_number<Message>}, wire::encode(message));
  write(node);
}

void Listening::write(Node& node) {
  while (node.channel && !node.out.empty()) {
    std::size_t wrote = 0;
    auto moved = node.channel.write(node.out.data(), node.out.size(), wrote);
    if (moved != Channel::Moved::Some) return;  // Whether it is full or gone, poll tells.
    node.out.erase(0, wrote);
  }
}

}  // namespace ym::cli
