// SPDX-License-Identifier: Apache-2.0
// Ref<T>: a counted handle to an immutable value, so that records share what does not change (a
// job's request among the elements of an array, an allocation among the snapshots that readers
// hold).
//
// Thread rule: the value is const from birth; handles may be copied and dropped on any thread.
// A record that holds Refs is cheap to copy, which is what makes copy-on-write pages cheap to clone
// (cow_table.h).
#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace ym {

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T value) : box_(new Box{.value = std::move(value)}) {}
  Ref(const Ref& other) : box_(other.box_) { retain(); }
  Ref(Ref&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(box_, other.box_);
    return *this;
  }
  ~Ref() { release(); }

  explicit operator bool() const { return box_ != nullptr; }
  // An empty Ref reads as a default value, so that "no allocation" needs no branch at the reader.
  const T& operator*() const { return box_ ? box_->value : none(); }
  const T* operator->() const { return &**this; }
  // The same box, not merely an equal value.
  bool same_as(const Ref& other) const { return box_ == other.box_; }
  bool operator==(const Ref& other) const { return box_ == other.box_ || **this == *other; }

 private:
  struct Box {
    std::atomic<std::uint32_t> count = 1;
    T value;
  };

  static const T& none() {
    static const T empty{};
    return empty;
  }
  void retain() {
    if (box_) box_->count.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (box_ && box_->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete box_;
  }

  Box* box_ = nullptr;
};

}  // namespace ym
