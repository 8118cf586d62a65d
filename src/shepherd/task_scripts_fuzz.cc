// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "shepherd/task_scripts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::EnvironmentBlock environment;
  environment.set("A", "1");
  YM_CHECK(ym::obey_prolog(text, environment).size() <= size + 1);
  std::string bytes = environment.bytes();
  YM_CHECK(ym::EnvironmentBlock(bytes).bytes() == bytes);
  if (auto login = ym::parse_login_output(text)) ym::environment_pointers(bytes = login->bytes());
  return 0;
}
