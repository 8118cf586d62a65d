// SPDX-License-Identifier: Apache-2.0
// Attempts that are over, on disk: credentials that were signed for them must not come to life
// again when slurmd is restarted. Lines of an attempt's number and a time; blocking calls, one
// thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "net/address.h"

namespace ym {

// The lines of such a file that are to be remembered still. What makes no sense is passed over.
std::vector<std::pair<Sluid, Instant>> revoked_rows(std::string_view text, Instant now);

class RevokedList {
 public:
  // Longer than any credential lives, and clocks may differ.
  static constexpr Duration kRemember = std::chrono::minutes(30);

  explicit RevokedList(std::string path) : path_(std::move(path)) {}

  // Those that are to be remembered still, oldest first; the file holds no others afterwards. What
  // makes no sense in it is passed over.
  std::vector<Sluid> load(Instant now);
  // Lost with a power cut, and so is everything of the job here.
  void note(Sluid sluid, Instant now);

 private:
  void write(const std::vector<std::pair<Sluid, Instant>>& rows);

  const std::string path_;
  Fd file_;
  std::size_t rows_ = 0;  // in the file
};

}  // namespace ym
