// SPDX-License-Identifier: Apache-2.0
#include "shepherd/replay.h"

#include "base/check.h"
#include "net/frame.h"

namespace ym {

void Replay::push(std::uint16_t type, std::string_view payload) {
  std::string bytes;
  append_frame(bytes, {.type = type, .correlation = last() + 1}, payload);
  unsent_ += bytes.size();
  messages_.push_back(std::move(bytes));
}

std::string_view Replay::pending() const {
  if (all_sent()) return {};
  return std::string_view(messages_[at_]).substr(offset_);
}

void Replay::sent(std::size_t bytes) {
  YM_CHECK(bytes <= pending().size());
  offset_ += bytes;
  unsent_ -= bytes;
  if (all_sent() || offset_ < messages_[at_].size()) return;
  retained_ += messages_[at_].size();
  ++at_;
  offset_ = 0;
  trim();
}

void Replay::confirm(std::uint64_t number) {
  while (at_ > 0 && first_ <= number) drop_front();
}

std::uint64_t Replay::rewind(std::uint64_t number) {
  unsent_ += retained_ + offset_;
  retained_ = 0;
  at_ = 0;
  offset_ = 0;
  while (!messages_.empty() && first_ <= number) {
    unsent_ -= messages_.front().size();
    messages_.pop_front();
    ++first_;
  }
  return first_ > number + 1 ? first_ - number - 1 : 0;
}

void Replay::drop_front() {
  retained_ -= messages_.front().size();
  messages_.pop_front();
  ++first_;
  --at_;
}

void Replay::trim() {
  while (at_ > 0 && retained_ > kRetainedMax) drop_front();
}

}  // namespace ym
