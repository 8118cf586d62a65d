// SPDX-License-Identifier: Apache-2.0
// CowTable<V>: a table of records by number, whose copy costs one pointer.
//
// A radix tree of fan-out 64 with pages of 16 records. Copying the table shares the whole tree; the
// first write to a page after that clones the path to it (at most a few 64-pointer nodes) and the
// page, and nothing else. So a snapshot of a million jobs is taken in nanoseconds and costs memory
// only where the live table moves on.
//
// Thread rule: one owner writes one table object; copies may be read and dropped on any other
// thread.
//
// Invariants:
//  (1) A node or page with a count of one is reachable from one table only: it is written in place.
//  (2) size() is the number of records present; an absent key has no bit in its page's mask.
//  (3) Iteration is in ascending key order.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace ym {

template <class V>
class CowTable {
 public:
  using Key = std::uint64_t;

  CowTable() = default;
  CowTable(const CowTable& other) : root_(other.root_), height_(other.height_), size_(other.size_) {
    if (root_) root_->count.fetch_add(1, std::memory_order_relaxed);
  }
  CowTable(CowTable&& other) noexcept
      : root_(std::exchange(other.root_, nullptr)),
        height_(std::exchange(other.height_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  CowTable& operator=(CowTable other) noexcept {
    std::swap(root_, other.root_);
    std::swap(height_, other.height_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CowTable() { drop(root_, height_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Null if absent. The pointer lives until the next write to this table object.
  const V* find(Key key) const {
    if (!root_ || !reaches(key)) return nullptr;
    const Block* block = root_;
    for (int level = height_; level > 0; --level) {
      block = static_cast<const Node*>(block)->children[slot(key, level)];
      if (!block) return nullptr;
    }
    const Page* page = static_cast<const Page*>(block);
    std::size_t at = key % kPageSize;
    return page->present >> at & 1 ? &page->records[at] : nullptr;
  }
  const V& at(Key key) const {
    const V* found = find(key);
    YM_CHECK(found != nullptr);
    return *found;
  }

  // The record for writing, made with its default value if absent. Lives until the next write.
  V& edit(Key key) {
    grow_to(key);
    Block** link = &root_;
    for (int level = height_; level > 0; --level) {
      if (!*link) *link = new Node;
      Node* node = own_node(*link);
      link = &node->children[slot(key, level)];
    }
    if (!*link) *link = new Page;
    Page* page = own_page(*link);
    std::size_t at = key % kPageSize;
    if (!(page->present >> at & 1)) {
      page->present = static_cast<Mask>(page->present | 1u << at);
      ++size_;
    }
    return page->records[at];
  }
  void put(Key key, V value) { edit(key) = std::move(value); }

  // Removes the record; says whether it was there. Empty pages and nodes are freed on the way up.
  bool erase(Key key) {
    if (!find(key)) return false;
    if (erase_below(root_, height_, key)) {
      drop(root_, height_);
      root_ = nullptr;
      height_ = 0;
    }
    --size_;
    return true;
  }

  // Calls visit(key, record) in ascending key order from `from` on; stops when it returns false.
  template <class Visit>
  bool visit_from(Key from, Visit&& visit) const {
    return !root_ || !reaches(from) || walk(root_, height_, 0, from, visit);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    visit_from(0, [&](Key key, const V& value) {
      visit(key, value);
      return true;
    });
  }

 private:
  static constexpr std::size_t kFanBits = 6, kFan = 1 << kFanBits, kPageBits = 4,
                               kPageSize = 1 << kPageBits;
  using Mask = std::uint16_t;

  struct Block {
    std::atomic<std::uint32_t> count = 1;
  };
  struct Node : Block {
    std::array<Block*, kFan> children{};
  };
  struct Page : Block {
    Mask present = 0;
    std::array<V, kPageSize> records{};
  };

  static std::size_t shift(int level) {
    return kPageBits + kFanBits * (static_cast<std::size_t>(level) - 1);
  }
  static std::size_t slot(Key key, int level) { return key >> shift(level) & (kFan - 1); }
  // Whether a tree of the present height has a place for the key.
  bool reaches(Key key) const {
    std::size_t bits = shift(height_ + 1);
    return bits >= 64 || key >> bits == 0;
  }

  void grow_to(Key key) {
    if (!root_) {
      height_ = 0;
      while (!reaches(key)) ++height_;
      return;
    }
    while (!reaches(key)) {
      Node* top = new Node;
      top->children[0] = root_;
      root_ = top;
      ++height_;
    }
  }

  static Node* own_node(Block*& link) {
    Node* node = static_cast<Node*>(link);
    if (node->count.load(std::memory_order_acquire) == 1) return node;
    Node* copy = new Node;
    copy->children = node->children;
    for (Block* child : copy->children)
      if (child) child->count.fetch_add(1, std::memory_order_relaxed);
    // The count can only have fallen since: if we held the last handle, this frees the original.
    if (node->count.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      for (Block* child : copy->children)
        if (child) child->count.fetch_sub(1, std::memory_order_relaxed);
      delete node;
    }
    link = copy;
    return copy;
  }
  static Page* own_page(Block*& link) {
    Page* page = static_cast<Page*>(link);
    if (page->count.load(std::memory_order_acquire) == 1) return page;
    Page* copy = new Page;
    copy->present = page->present;
    copy->records = page->records;
    if (page->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete page;
    link = copy;
    return copy;
  }

  // Returns true if the block is empty afterwards; then the caller drops it.
  static bool erase_below(Block*& link, int level, Key key) {
    if (level == 0) {
      Page* page = own_page(link);
      std::size_t at = key % kPageSize;
      page->present = static_cast<Mask>(page->present & ~(1u << at));
      page->records[at] = V{};
      return page->present == 0;
    }
    Node* node = own_node(link);
    Block*& child = node->children[slot(key, level)];
    if (!erase_below(child, level - 1, key)) return false;
    drop(child, level - 1);
    child = nullptr;
    for (Block* other : node->children)
      if (other) return false;
    return true;
  }

  static void drop(Block* block, int level) {
    if (!block || block->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (level == 0) {
      delete static_cast<Page*>(block);
      return;
    }
    for (Block* child : static_cast<Node*>(block)->children) drop(child, level - 1);
    delete static_cast<Node*>(block);
  }

  template <class Visit>
  static bool walk(const Block* block, int level, Key base, Key from, Visit& visit) {
    if (level == 0) {
      const Page* page = static_cast<const Page*>(block);
      for (Mask left = page->present; left; left = static_cast<Mask>(left & (left - 1))) {
        auto at = static_cast<std::size_t>(std::countr_zero(left));
        if (base + at >= from && !visit(base + at, page->records[at])) return false;
      }
      return true;
    }
    const Node* node = static_cast<const Node*>(block);
    Key span = Key{1} << shift(level);
    for (std::size_t i = 0; i < kFan; ++i) {
      Key child_base = base + span * i;
      if (!node->children[i] || child_base + (span - 1) < from) continue;
      if (!walk(node->children[i], level - 1, child_base, from, visit)) return false;
    }
    return true;
  }

  Block* root_ = nullptr;
  int height_ = 0;
  std::size_t size_ = 0;
};

}  // namespace ym
