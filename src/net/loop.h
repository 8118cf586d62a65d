// SPDX-License-Identifier: Apache-2.0
// An event loop: timers, readable and writable file descriptors, work from other threads. The
// facade of Asio: only loop.cc includes it, because it costs seconds to compile.
//
// Thread rule: run() is called by one thread, "the loop's thread". post() and stop() may be called
// from any thread; everything else from the loop's thread, or before run(). Callbacks run on the
// loop's thread, one at a time, and must not throw or block.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "base/time.h"

namespace ym {

using Callback = std::move_only_function<void()>;

// 0 is no timer; numbers are never reused.
struct TimerId {
  std::uint64_t value = 0;
  explicit operator bool() const { return value != 0; }
};

class Loop {
 public:
  Loop();
  // Callbacks that did not run are destroyed unrun. Watches must be gone before their loop.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop(), even while there is nothing to do. May be called again after it returned.
  void run();
  void stop();
  // In the order of calling; never from within post itself.
  void post(Callback work);
  bool in_loop_thread() const;

  TimerId after(Duration delay, Callback work);
  // First after one period. A late tick is not repeated to catch up. REQUIRES: period > 0.
  TimerId every(Duration period, Callback work);
  // No effect on a timer that is done. A cancelled timer's callback is never called afterwards.
  void cancel(TimerId timer);

  // Calls `ready` whenever fd is readable (a child's pidfd, a signalfd, an eventfd, a listening
  // socket). Level- triggered: it is called again as long as there is something to read. Fails on
  // what cannot be waited for, such as ordinary files. fd stays the caller's and must be unwatched
  // before it is closed. Sets O_NONBLOCK on it.
  Status watch_readable(int fd, Callback ready);
  void unwatch(int fd);

 private:
  friend class FdWatch;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One fd with one-shot interest in reading and writing: what connections are made of. Does not own
// the fd. Lives on the loop's thread. Destroying it, even within its own callbacks, is the end of
// its callbacks.
class FdWatch {
 public:
  FdWatch() = default;
  static Result<FdWatch> create(Loop& loop, int fd, Callback on_readable, Callback on_writable);
  FdWatch(FdWatch&&) = default;
  FdWatch& operator=(FdWatch&& other) noexcept;
  ~FdWatch();
  // Call back once when readable or writable; nothing happens if that is already asked for.
  void arm_read();
  void arm_write();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ym
