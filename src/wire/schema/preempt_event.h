// SPDX-License-Identifier: Apache-2.0
// The event of preemption. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/event.h"
#include "wire/codec_impl.h"

namespace ym::wire {

template <>
inline constexpr std::uint32_t variant_number<JobPreempted> = 89;

template <class F>
void fields(F&& f, const JobPreempted*) {
  f(1, "job", &JobPreempted::job);
  f(2, "by", &JobPreempted::by);
  f(3, "mode", &JobPreempted::mode);
  f(4, "limit_end", &JobPreempted::limit_end);
}

}  // namespace ym::wire
