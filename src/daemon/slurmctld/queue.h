// SPDX-License-Identifier: Apache-2.0
// A bounded queue between threads. A full one says so at once: the sender tells its client to come
// back later.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ym {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t max) : max_(max) {}

  // False if the queue is full or closed; then `value` is untouched.
  bool try_push(T&& value) {
    {
      std::lock_guard lock(mutex_);
      if (closed_ || items_.size() >= max_) return false;
      items_.push_back(std::move(value));
    }
    ready_.notify_one();
    return true;
  }
  // For what must not be dropped (an answer of our own threads): the bound does not hold it back.
  void push(T&& value) {
    {
      std::lock_guard lock(mutex_);
      items_.push_back(std::move(value));
    }
    ready_.notify_one();
  }

  // Waits until there is something, the time is over or the queue is closed; takes up to `most`.
  std::vector<T> take(std::size_t most, Duration wait) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, wait, [&] { return !items_.empty() || closed_; });
    std::vector<T> taken;
    while (!items_.empty() && taken.size() < most) {
      taken.push_back(std::move(items_.front()));
      items_.pop_front();
    }
    return taken;
  }

  std::size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }
  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }
  void wake() { ready_.notify_all(); }

 private:
  const std::size_t max_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<T> items_;  // guarded by mutex_
  bool closed_ = false;  // guarded by mutex_
};

}  // namespace ym
