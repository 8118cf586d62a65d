// SPDX-License-Identifier: Apache-2.0
// Queues between threads. A full one says so at once: the sender tells its client to come back
// later.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ym {

// Waiting, waking and closing, around `Items`, which has size() and
// take(most, std::vector<value_type>&).
template <class Items>
class WaitingQueue {
 public:
  using Value = typename Items::value_type;

  // Waits until there is something, the time is over or the queue is closed; takes up to `most`.
  std::vector<Value> take(std::size_t most, Duration wait) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, wait, [&] { return items_.size() > 0 || closed_ || woken_; });
    woken_ = false;
    std::vector<Value> taken;
    items_.take(most, taken);
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
  // Whoever waits goes on, with nothing; if nobody does, the next one.
  void wake() {
    {
      std::lock_guard lock(mutex_);
      woken_ = true;
    }
    ready_.notify_all();
  }

 protected:
  explicit WaitingQueue(Items items) : items_(std::move(items)) {}

  // `add` puts something in, or returns false. Whoever waits is told unless that has time.
  template <class Add>
  bool put(Add&& add, bool tell = true) {
    {
      std::lock_guard lock(mutex_);
      if (!add(items_)) return false;
    }
    if (tell) ready_.notify_one();
    return true;
  }

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  // All guarded by mutex_.
  Items items_;
  bool closed_ = false;
  bool woken_ = false;
};

template <class T>
struct QueuedInOrder {
  using value_type = T;
  std::size_t size() const { return items.size(); }
  void take(std::size_t most, std::vector<T>& taken) {
    for (; !items.empty() && taken.size() < most; items.pop_front())
      taken.push_back(std::move(items.front()));
  }
  std::deque<T> items = {};
};

template <class T>
class BoundedQueue : public WaitingQueue<QueuedInOrder<T>> {
 public:
  explicit BoundedQueue(std::size_t max) : WaitingQueue<QueuedInOrder<T>>({}), max_(max) {}

  // False if the queue is full or closed; then `value` is untouched.
  bool try_push(T&& value) {
    return this->put([&](QueuedInOrder<T>& queued) {
      if (this->closed_ || queued.size() >= max_) return false;
      queued.items.push_back(std::move(value));
      return true;
    });
  }
  // The same for what has time: it is taken with what comes next, or when whoever waits has waited
  // long enough, or once so many such things wait.
  bool try_push_quietly(T&& value, std::size_t most) {
    bool many = false;
    auto add = [&](QueuedInOrder<T>& queued) {
      if (this->closed_ || queued.size() >= max_) return false;
      queued.items.push_back(std::move(value));
      many = queued.size() >= most;
      return true;
    };
    bool added = this->put(add, false);
    if (many) this->ready_.notify_one();
    return added;
  }
  // For what must not be dropped (an answer of our own threads): the bound does not hold it back.
  void push(T&& value) {
    this->put([&](QueuedInOrder<T>& queued) {
      queued.items.push_back(std::move(value));
      return true;
    });
  }

 private:
  const std::size_t max_;
};

}  // namespace ym
