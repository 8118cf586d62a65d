// SPDX-License-Identifier: Apache-2.0
// The only file that includes Asio. One io_context per loop, run by one thread.
#include "net/loop.h"

#include <poll.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <map>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "os/short_turns.h"

namespace ym {
namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

struct Loop::Impl {
  struct Timer {
    explicit Timer(asio::io_context& context) : timer(context) {}
    asio::steady_timer timer;
    Duration period{0};
    Callback work;
  };

  asio::io_context context{1};  // one thread runs it
  asio::executor_work_guard<asio::io_context::executor_type> stay{context.get_executor()};
  std::atomic<std::thread::id> runner{};

  // Below: the loop's thread only.
  std::uint64_t last_timer = 0;
  std::map<std::uint64_t, std::shared_ptr<Timer>> timers;
  std::map<int, FdWatch> watches;

  TimerId add_timer(Duration delay, Duration period, Callback work) {
    auto timer = std::make_shared<Timer>(context);
    timer->period = period;
    timer->work = std::move(work);
    std::uint64_t id = ++last_timer;
    timers.emplace(id, timer);
    timer->timer.expires_after(delay);
    wait(id, std::move(timer));
    return {id};
  }

  void wait(std::uint64_t id, std::shared_ptr<Timer> timer) {
    asio::steady_timer& waiter = timer->timer;
    waiter.async_wait([this, id, timer = std::move(timer)](ErrorCode) mutable {
      if (!timers.contains(id)) return;  // cancelled, perhaps after it had expired
      if (timer->period == Duration{0}) {
        timers.erase(id);
        timer->work();
        return;
      }
      timer->work();
      if (!timers.contains(id)) return;
      timer->timer.expires_after(timer->period);
      wait(id, std::move(timer));
    });
  }
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
  YM_CHECK(impl_->runner.load() == std::thread::id());
  impl_->watches.clear();
  impl_->timers.clear();
}

void Loop::run() {
  take_short_turns();
  impl_->runner = std::this_thread::get_id();
  impl_->context.run();
  impl_->runner = std::thread::id();
  impl_->context.restart();
}

void Loop::stop() { impl_->context.stop(); }

void Loop::post(Callback work) { asio::post(impl_->context, std::move(work)); }

bool Loop::in_loop_thread() const { return impl_->runner.load() == std::this_thread::get_id(); }

TimerId Loop::after(Duration delay, Callback work) {
  return impl_->add_timer(delay, Duration{0}, std::move(work));
}

TimerId Loop::every(Duration period, Callback work) {
  YM_CHECK(period > Duration{0});
  return impl_->add_timer(period, period, std::move(work));
}

void Loop::cancel(TimerId timer) {
  auto found = impl_->timers.find(timer.value);
  if (found == impl_->timers.end()) return;
  found->second->timer.cancel();
  impl_->timers.erase(found);
}

Status Loop::watch_readable(int fd, Callback ready) {
  YM_CHECK(!impl_->watches.contains(fd));
  // The reactor may wake us for what happened to a descriptor whose number this one has taken over
  // within the same round. So ask the kernel, before anybody takes a living process for a dead one.
  auto again = [this, fd, ready = std::move(ready)]() mutable {
    pollfd question{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&question, 1, 0) == 1) ready();
    auto found = impl_->watches.find(fd);
    if (found != impl_->watches.end()) found->second.arm_read();
  };
  auto watch = FdWatch::create(*this, fd, std::move(again), {});
  if (!watch) return std::unexpected(watch.error());
  impl_->watches.emplace(fd, std::move(*watch)).first->second.arm_read();
  return {};
}

void Loop::unwatch(int fd) { impl_->watches.erase(fd); }

struct FdWatch::State {
  explicit State(asio::io_context& context) : descriptor(context) {}
  asio::posix::stream_descriptor descriptor;
  Callback on_readable;
  Callback on_writable;
  bool read_armed = false;
  bool write_armed = false;
  bool dead = false;
};

Result<FdWatch> FdWatch::create(Loop& loop, int fd, Callback on_readable, Callback on_writable) {
  FdWatch watch;
  watch.state_ = std::make_shared<State>(loop.impl_->context);
  ErrorCode error;
  // Asio takes what epoll refuses, ordinary files and folders, and then calls them ready all the
  // time.
  struct stat file;
  if (::fstat(fd, &file) != 0)
    error.assign(errno, boost::system::system_category());
  else if (S_ISREG(file.st_mode) || S_ISDIR(file.st_mode))
    error.assign(EPERM, boost::system::system_category());
  else
    watch.state_->descriptor.assign(fd, error);
  if (error) {
    watch.state_.reset();
    return fail(fmt::format("cannot wait for file descriptor {}: {}", fd, error.message()));
  }
  watch.state_->on_readable = std::move(on_readable);
  watch.state_->on_writable = std::move(on_writable);
  return watch;
}

FdWatch& FdWatch::operator=(FdWatch&& other) noexcept {
  FdWatch gone(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

FdWatch::~FdWatch() {
  if (!state_) return;
  state_->dead = true;
  state_->descriptor.release();  // the fd is not ours to close
}

void FdWatch::arm_read() {
  if (std::exchange(state_->read_armed, true)) return;
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                [state = state_](ErrorCode) {
                                  state->read_armed = false;
                                  if (!state->dead) state->on_readable();
                                });
}

void FdWatch::arm_write() {
  if (std::exchange(state_->write_armed, true)) return;
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_write,
                                [state = state_](ErrorCode) {
                                  state->write_armed = false;
                                  if (!state->dead) state->on_writable();
                                });
}

}  // namespace ym
