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

}  // namespace ym
