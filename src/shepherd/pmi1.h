// SPDX-License-Identifier: Apache-2.0
// The server side of PMI-1, with which MPICH's processes find each other: lines of key=value words,
// asked by a task, answered by us. Pure: bytes in, bytes out.
//
// Each node's server holds all keys that it has heard of. A put is seen by the node's own tasks at
// once and by the others' after the next barrier: a barrier carries the keys that are new since the
// last one. Whoever waits for a barrier is answered when finish_fence has brought everybody's.
//
// Invariants: (1) a task has at most one line unfinished, of at most kLineMax bytes; (2) all keys
// together take at most kKeysBytesMax; (3) at most one barrier is under way on a node.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/step_messages.h"

namespace ym {

// Which ranks are on which node, as MPICH's libraries read it: "(vector,(0,2,4))".
std::string process_mapping(const std::vector<StepShare>& shares);

class Pmi1Server {
 public:
  static constexpr std::size_t kKeyMax = 64, kValueMax = 1024, kNameMax = 256;
  static constexpr std::size_t kLineMax = 8 << 10;
  static constexpr std::size_t kKeysBytesMax = 32 << 20;

  // REQUIRES: node < shares.size().
  Pmi1Server(std::string name, const std::vector<StepShare>& shares, std::uint32_t node);

  // What a task says. REQUIRES: local < this node's tasks.
  void feed(std::size_t local, std::string_view bytes);
  // What it is to be told.
  std::string take_reply(std::size_t local);
  // It said what makes no sense: nothing more is heard of it, and the connection should end.
  bool broken(std::size_t local) const { return tasks_[local].broken; }

  // This node's part of a barrier, once for each: all its tasks are in.
  std::optional<StepFence> take_fence();
  // The barrier that everybody still waits for, to be said again after a lost connection.
  const std::optional<StepFence>& waiting_fence() const { return waiting_; }
  // Everybody's parts. Others than the one that is waited for are ignored.
  void finish_fence(const StepFence& all);

  std::optional<StepAbort> take_abort();

 private:
  struct Task {
    std::string line, reply;
    bool in_barrier = false, broken = false;
    bool in_spawn = false;  // between mcmd=spawn and endcmd
  };
  using Words = std::map<std::string_view, std::string_view>;
  void obey(std::size_t local, std::string_view line);
  void init(Task& task, const Words& words);
  void put(Task& task, const Words& words);
  void get(Task& task, const Words& words) const;
  void enter_barrier(Task& task);
  bool remember(std::string_view key, std::string_view value);

  const std::string name_;
  const std::uint32_t node_, nodes_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> ranks_;
  std::vector<Task> tasks_;
  std::map<std::string, std::string, std::less<>> keys_;
  std::size_t keys_bytes_ = 0;
  std::string news_;  // put since the last barrier: key NUL value NUL …
  std::uint32_t barriers_ = 0;
  std::size_t inside_ = 0;  // tasks in the barrier
  std::optional<StepFence> fence_, waiting_;
  std::optional<StepAbort> abort_;
};

}  // namespace ym
