// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "trace/sacct.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ym::trace::looks_like_sacct(text));
  auto read = ym::trace::read_sacct(text, "fuzz", ym::FixedOffset(3600));
  if (!read) {
    YM_CHECK(read.error().text.starts_with("fuzz:"));
    return 0;
  }
  std::int64_t before = 0;
  for (const auto& job : read->jobs) {
    YM_CHECK(job.run_s > 0 && job.procs > 0 && job.submit_s >= before);
    YM_CHECK(job.user < read->users.size() && job.partition < read->partitions.size());
    before = job.submit_s;
  }
  return 0;
}
