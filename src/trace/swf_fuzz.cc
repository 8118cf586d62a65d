// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "trace/swf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ym::trace::looks_like_swf(text));
  auto read = ym::trace::read_swf(text, "fuzz");
  if (!read) {
    YM_CHECK(read.error().text.starts_with("fuzz:"));
    return 0;
  }
  for (const auto& job : read->jobs) {
    YM_CHECK(job.run_s > 0 && job.procs > 0 && job.submit_s >= 0);
    YM_CHECK(job.user < read->users.size() && job.partition < read->partitions.size());
  }
  auto again = ym::trace::read_swf(ym::trace::print_swf(*read), "again");
  YM_CHECK(again.has_value() && again->jobs.size() == read->jobs.size());
  return 0;
}
