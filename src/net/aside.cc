// SPDX-License-Identifier: Apache-2.0
#include "net/aside.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace ym {

Status Aside::run(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (stopped_ || waiting_.size() >= limits_.room)
    return fail("too many connections are being authenticated, come back later");
  waiting_.push_back(std::move(work));
  if (threads_.empty()) {
    sigset_t all, before;  // signals are for the daemon's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (std::size_t i = 0; i < limits_.threads; ++i) threads_.emplace_back([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  changed_.notify_one();
  return {};
}

void Aside::serve() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (stopped_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

void Aside::stop() {
  std::deque<std::function<void()>> forgotten;  // destroyed after the lock
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    forgotten.swap(waiting_);
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ym
