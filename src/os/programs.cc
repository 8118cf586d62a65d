// SPDX-License-Identifier: Apache-2.0
#include "os/programs.h"

#include <glob.h>

#include "base/format.h"

namespace ym {

Result<std::vector<std::string>> programs_for(const std::string& pattern,
                                              const std::string& configuration) {
  std::string path = pattern;
  if (!path.starts_with('/'))
    path = configuration.substr(0, configuration.rfind('/') + 1) + pattern;
  if (path.find_first_of("*?[") == std::string::npos) return std::vector<std::string>{path};
  glob_t found{};
  int error = ::glob(path.c_str(), 0, nullptr, &found);
  std::vector<std::string> programs;
  for (std::size_t n = 0; error == 0 && n < found.gl_pathc; ++n)
    programs.emplace_back(found.gl_pathv[n]);
  ::globfree(&found);
  if (programs.empty()) return fail(fmt::format("no program matches {}", path));
  if (programs.size() > kProgramsMax)
    return fail(fmt::format("more than {} programs match {}", kProgramsMax, path));
  return programs;
}

}  // namespace ym
