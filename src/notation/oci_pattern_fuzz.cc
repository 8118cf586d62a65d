// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/oci_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  // Values without a percent sign: one in the answer comes from the pattern.
  ym::OciPatternValues values{.command = {"x"}, .bundle = "b", .node = "n", .user = "u"};
  std::string out = ym::expand_oci_pattern(text, values);
  YM_CHECK(out.size() <= 10 * size);
  bool good = ym::check_oci_pattern(text, true).has_value();
  if (ym::check_oci_pattern(text, false)) YM_CHECK(good);
  if (good && text.find("%%") == text.npos) YM_CHECK(out.find('%') == out.npos);
  std::string quoted = ym::quoted_for_shell(text);
  YM_CHECK(quoted.front() == '\'' && quoted.back() == '\'');
  return 0;
}
