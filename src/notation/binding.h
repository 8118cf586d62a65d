// SPDX-License-Identifier: Apache-2.0
// --cpu-bind, --mem-bind and --hint: which CPUs and which memory tasks are bound to.
// `verbose,map_cpu:0,2*4`, `mask_cpu:0x3,0xc`, `cores`; `local`, `prefer,map_mem:0,1`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "notation/cpu_list.h"

namespace ym {

// The elements of map_…: and mask_…: lists, with their repetitions (0*4).
class BindList {
 public:
  static constexpr std::size_t kEntriesMax = 4096;
  static constexpr std::uint32_t kRepeatMax = 65536;

  struct Entry {
    CpuNumbers numbers;
    std::uint32_t repeat = 1;
    bool operator==(const Entry&) const = default;
  };
  static Result<BindList> parse(const std::vector<std::string_view>& words, bool masks);
  std::string str(bool masks) const;
  bool empty() const { return entries_.empty(); }
  // For the task with this number on its node; the list starts again where it is too short.
  // REQUIRES: !empty().
  const CpuNumbers& of(std::uint32_t task) const;
  bool operator==(const BindList&) const = default;

 private:
  std::vector<Entry> entries_;
};

enum class CpuBindKind : std::uint8_t {
  Auto,
  None,
  Rank,
  Map,
  Mask,
  RankLdom,
  MapLdom,
  MaskLdom,
  Sockets,
  Cores,
  Threads,
  Ldoms,
};
struct CpuBind {
  CpuBindKind kind = CpuBindKind::Auto;
  bool verbose = false;
  bool help = false;  // the user wants to know what there is
  BindList list;

  static Result<CpuBind> parse(std::string_view text);
  std::string str() const;
  bool operator==(const CpuBind&) const = default;
};

enum class MemBindKind : std::uint8_t { Default, None, Local, Rank, Map, Mask };
struct MemBind {
  MemBindKind kind = MemBindKind::Default;
  bool verbose = false, help = false;
  bool prefer = false;  // other memory is taken when this is full
  bool sort = false;    // taken; the kernel sees to its free pages itself
  BindList list;

  static Result<MemBind> parse(std::string_view text);
  std::string str() const;
  bool operator==(const MemBind&) const = default;
};

enum class Hint : std::uint8_t { None, ComputeBound, MemoryBound, Multithread, NoMultithread };
Result<Hint> parse_hint(std::string_view text);

// What --cpu-bind=help, --mem-bind=help and --hint=help print.
std::string_view cpu_bind_help();
std::string_view mem_bind_help();
std::string_view hint_help();

}  // namespace ym
