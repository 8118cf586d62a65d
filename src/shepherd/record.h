// SPDX-License-Identifier: Apache-2.0
// The one file of a step: what its shepherd was told, that it has begun, how it ended. Each part is
// appended when it is known; one that is cut off at the end was not written.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "shepherd/order.h"

namespace ym {

struct StepRecord {
  ShepherdOrder order;
  std::optional<StartedMark> started;
  std::optional<ShepherdResult> result;
};

std::string encode_part(const ShepherdOrder& order);
std::string encode_part(const StartedMark& mark);
std::string encode_part(const ShepherdResult& result);

// An error if no order is in it.
Result<StepRecord> decode_record(std::string_view bytes);

// At the file's end, whole or not at all.
Status append_part(int fd, std::string_view part);

// Room behind the file's end for what is still to be appended; an error if the disk is full.
inline constexpr off_t kResultRoom = 4096;
Status reserve_room(const std::string& path);

// A file that serves again. Cutting it off at 0 would be simpler, but ext4 takes what is then
// written for the new contents of a file that must not be lost, and writes it to the disk before
// close() returns. So its first byte says that it is blank, and is written last when it is not any
// more: whoever is killed in between leaves it blank.
Status make_blank(const std::string& path);
Status write_over_blank(const std::string& path, std::string_view first_part);
// Nothing was written into it, or it was made blank.
bool is_blank(std::string_view bytes);

// What the result says, without a look at the rest; none if there is none.
std::optional<ShepherdResult> find_result(std::string_view bytes);

}  // namespace ym
