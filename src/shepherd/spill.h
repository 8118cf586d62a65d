// SPDX-License-Identifier: Apache-2.0
// A nameless file for what does not fit into memory: gone with its process, however that ends.
//
// What is written at a place stays until that place is released; released places are given back to
// the file system (where it can punch holes), and the places of the file are never used twice.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "net/address.h"

namespace ym {

inline constexpr std::uint64_t kSpillMax = std::uint64_t{8} << 30;
// The file takes nothing more when its file system has less than this left.
inline constexpr std::uint64_t kFreePercentMin = 5;

class SpillFile {
 public:
  SpillFile() = default;
  SpillFile(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {}

  // Whether it would take that much now.
  bool takes(std::uint64_t bytes);
  // False if nothing was stored; then it takes nothing until something is released.
  bool write(std::uint64_t position, std::string_view bytes);
  bool read(std::uint64_t position, char* to, std::size_t size) const;
  void release(std::uint64_t position, std::size_t size);
  std::uint64_t used() const { return used_; }

 private:
  bool open();

  std::string folder_;  // empty: there is no file
  std::uint64_t most_ = 0;
  Fd fd_;
  std::uint64_t used_ = 0;
  bool refused_ = false;  // the last attempt failed
};

}  // namespace ym
