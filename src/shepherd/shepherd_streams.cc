// SPDX-License-Identifier: Apache-2.0
// The shepherd's traffic: task pipes, the connection to srun, the control socket.
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/format.h"
#include "net/passing.h"
#include "net/silence.h"
#include "os/clock.h"
#include "shepherd/shepherd.h"
#include "wire/task_output.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 64 << 10;
constexpr std::size_t kWideAfter = 60 << 10;  // a pipe has 64 KiB at first

}  // namespace

void Shepherd::adopt_stream(Fd stream) {
  stream_ = std::move(stream);
  ::fcntl(stream_.get(), F_SETFL, ::fcntl(stream_.get(), F_GETFL) | O_NONBLOCK);
  // What is on its way is kept in memory as well: less of it there is more room for the tasks.
  int size = kSegmentSize;
  ::setsockopt(stream_.get(), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  watch_for_silence(stream_.get(), order_.resume_wait);
  frames_ = FrameReader();
  lost_at_ = Duration(0);
  hung_up_ = false;
}

std::size_t Shepherd::read_output(Task& task, StreamKind kind) {
  Fd& fd = kind == StreamKind::Stdout ? task.streams.out : task.streams.err;
  if (!fd) return 0;
  wire::OutputInPlace output(replay_.begin(), task.order->rank, kind);
  std::span<char> room = output.data();
  ssize_t got = ::read(fd.get(), room.data(), room.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (got > 0) {
    std::size_t size = static_cast<std::size_t>(got);
    listeners_.output(task.order->rank, kind, {room.data(), size}, false);
    if (order_.streams) replay_.end(wire::message_number<TaskOutput>, output.finish(size));
    bool& wide = kind == StreamKind::Stdout ? task.wide_out : task.wide_err;
    if (size >= kWideAfter && !std::exchange(wide, true))
      ::fcntl(fd.get(), F_SETPIPE_SZ, static_cast<int>(kPipeSize));
    return size;
  }
  fd = Fd();  // The end; a terminal says EIO.
  tell(TaskOutput{.task = task.order->rank, .stream = kind, .end = true});
  listeners_.output(task.order->rank, kind, {}, true);
  return 0;
}

void Shepherd::write_stream() {
  if (std::uint64_t lost = replay_.take_lost()) {
    tell(TaskOutput{
        .task = order_.tasks.front().rank,
        .stream = StreamKind::Stderr,
        .data = fmt::format("slurmstepd: error: the disk lost {} messages of output\n", lost)});
  }
  while (!replay_.all_sent()) {
    std::string_view bytes = replay_.pending();
    if (bytes.empty()) return;
    ssize_t wrote = ::send(stream_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) return lose_stream();
    replay_.sent(static_cast<std::size_t>(wrote));
  }
}

void Shepherd::read_stream() {
  char buffer[kReadSize];
  ssize_t got = ::recv(stream_.get(), buffer, sizeof buffer, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  hung_up_ = got == 0;
  if (got <= 0) return lose_stream();
  take_frames(std::string_view(buffer, static_cast<std::size_t>(got)));
}

void Shepherd::take_frames(std::string_view bytes) {
  std::vector<Frame> frames;
  bool sound = frames_.feed(bytes, frames).has_value();
  for (const Frame& frame : frames) handle(frame);
  if (!sound) lose_stream();
}

void Shepherd::lose_stream() {
  stream_ = Fd();
  frames_ = FrameReader();
  lost_at_ = monotonic_clock();
}

void Shepherd::handle(const Frame& frame) {
  std::uint64_t number = frame.header.correlation;
  if (number > 0 && frame.header.type >= kFirstMessageType) {
    if (number <= input_received_) return;  // It came before the connection was lost.
    input_received_ = number;
    unconfirmed_input_ += frame.payload.size();
  }
  if (frame.header.type == wire::message_number<TaskInput>) {
    take_input(frame);
  } else if (frame.header.type == wire::message_number<StepFence>) {
    auto fence = wire::decode<StepFence>(frame.payload);
    if (fence && mpi_) mpi_->take(*fence);
  } else if (frame.header.type == wire::message_number<SignalTasks>) {
    auto message = wire::decode<SignalTasks>(frame.payload);
    if (message && message->signal > 0 && message->signal < NSIG)
      signal_tasks(message->signal, false);
  } else if (frame.header.type == wire::message_number<WindowChanged>) {
    change_window(frame);
  } else if (frame.header.type == wire::message_number<ResumeStream>) {
    // On a stream that runs it says what has arrived.
    auto confirmed = wire::decode<ResumeStream>(frame.payload);
    if (confirmed) replay_.confirm(confirmed->received);
  } else if (frame.header.type == static_cast<std::uint16_t>(NetType::Ping) && stream_) {
    std::string pong;
    append_frame(pong,
                 {.type = static_cast<std::uint16_t>(NetType::Pong),
                  .correlation = frame.header.correlation},
                 {});
    // Between two messages only; srun asks again.
    if (replay_.all_sent()) [[maybe_unused]]
      ssize_t wrote = ::send(stream_.get(), pong.data(), pong.size(), MSG_NOSIGNAL);
  }
}

void Shepherd::change_window(const Frame& frame) {
  auto window = wire::decode<WindowChanged>(frame.payload);
  if (!window || tasks_.empty() || !tasks_.front().streams.out) return;
  winsize size{.ws_row = window->rows, .ws_col = window->columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(tasks_.front().streams.out.get(), TIOCSWINSZ, &size);
}

// Whoever joins in hears of the tasks that are there.
void Shepherd::attach(const ControlPacket& packet, Fd listener) {
  StepAttached greeting{.node = order_.node, .pty = order_.pty};
  for (const Task& task : tasks_)
    greeting.tasks.push_back(
        {.task = task.order->rank, .pid = static_cast<std::uint32_t>(task.pid)});
  listeners_.add(std::move(listener), {.task = packet.task, .input = packet.input}, greeting,
                 packet.residual);
  // It may have spoken already.
  if (listeners_.size() > 0) serve_listener(listeners_.size() - 1);
}

void Shepherd::serve_listener(std::size_t index) {
  for (const Frame& frame : listeners_.serve(index)) {
    if (frame.header.type == wire::message_number<TaskInput>)
      take_input(frame);
    else if (frame.header.type == wire::message_number<WindowChanged>)
      change_window(frame);
  }
}

void Shepherd::take_input(const Frame& frame) {
  auto input = wire::decode<TaskInput>(frame.payload);
  if (!input) return;
  std::uint32_t target = input->task == kEveryTask ? order_.stdin_task : input->task;
  for (Task& task : tasks_) {
    if (!task.streams.in || (target != kEveryTask && task.order->rank != target)) continue;
    task.input += input->data;
    task.input_ended |= input->end;
    write_input(task);
  }
  confirm_input();
}

// srun waits with more until it hears that there is room for it.
void Shepherd::confirm_input() {
  if (unconfirmed_input_ < kConfirmInput || input_received_ == input_confirmed_) return;
  for (const Task& task : tasks_)
    if (task.streams.in && task.input.size() >= kInputWindow) return;
  unconfirmed_input_ = 0;
  input_confirmed_ = input_received_;
  tell(ResumeStream{.job = order_.job, .step = order_.step, .received = input_received_});
}

void Shepherd::write_input(Task& task) {
  while (!task.input.empty() && task.streams.in) {
    ssize_t wrote = ::write(task.streams.in.get(), task.input.data(), task.input.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) {  // It does not read any more.
      task.input.clear();
      task.streams.in = Fd();
      return;
    }
    task.input.erase(0, static_cast<std::size_t>(wrote));
  }
  confirm_input();
  if (!task.input_ended || !task.streams.in) return;
  if (task.streams.pty) {
    // A terminal has no end of its own: the reader sees one when it gets the terminal's end-of-file
    // character.
    const char end = 4;
    [[maybe_unused]] ssize_t wrote = ::write(task.streams.in.get(), &end, 1);
    task.input_ended = false;
    return;
  }
  task.streams.in = Fd();
}

void Shepherd::on_control() {
  for (;;) {
    Fd caller(::accept4(control_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!caller) return;
    ucred who{};
    socklen_t size = sizeof who;
    bool known = ::getsockopt(caller.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    if (!known || (who.uid != 0 && who.uid != ::geteuid())) continue;
    timeval patience{.tv_sec = 1, .tv_usec = 0};  // slurmd sends at once
    ::setsockopt(caller.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string packet(kControlPacketMax, '\0');
    auto got = receive_packet(caller.get(), packet);
    if (!got || got->bytes.empty()) continue;
    Fd passed = got->files.empty() ? Fd() : std::move(got->files[0]);
    auto decoded = wire::decode<ControlPacket>(got->bytes);
    if (decoded && decoded->kind == ControlKind::Query)
      answer_query(caller);
    else if (decoded && decoded->kind == ControlKind::Memory)
      answer_memory(caller, decoded->memory_mb);
    else if (decoded)
      handle(std::move(*decoded), std::move(passed));
  }
}

void Shepherd::handle(ControlPacket packet, Fd passed) {
  bool kill = packet.kind == ControlKind::Signal && packet.signal == SIGKILL;
  killed_ |= kill;
  bool ends = kill || (packet.kind == ControlKind::Signal && packet.signal == SIGTERM);
  if (ends && !packet.leaders_only && ending_at_ == Duration(0)) ending_at_ = monotonic_clock();
  // A task that is not in the list yet would miss its signal. A kill finds it anyhow.
  if (starting_ && !kill) {
    deferred_.emplace_back(std::move(packet), std::move(passed));
    return;
  }
  if (packet.kind == ControlKind::Signal) {
    if (!over_sent_) say(packet.notice);  // after its end srun is gone
    if (packet.signal > 0 && packet.signal < NSIG) signal_tasks(packet.signal, packet.leaders_only);
    return;
  }
  if (packet.kind == ControlKind::Attach && passed) return attach(packet, std::move(passed));
  if (packet.kind == ControlKind::Freeze || packet.kind == ControlKind::Thaw)
    return freeze(packet.kind == ControlKind::Freeze);
  if (!order_.streams || !passed || packet.srun_id != order_.srun_id) return;
  // The old connection may look alive although its other end is gone.
  adopt_stream(std::move(passed));
  replay_.rewind(packet.received);
  // srun says again what this does not name. It also shows that the connection has arrived here.
  tell(ResumeStream{.job = order_.job, .step = order_.step, .received = input_received_});
  take_frames(packet.residual);
  if (mpi_) mpi_->repeat();
}

}  // namespace ym
