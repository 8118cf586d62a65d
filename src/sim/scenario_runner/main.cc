// SPDX-License-Identifier: Apache-2.0
// scenario_runner FILE… [--rewrite]: compares what the commands of each file say with what the file
// expects; with --rewrite the file is changed to it.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "sim/scenario.h"

namespace {

void show_difference(const std::string& path, const std::string& want, const std::string& got) {
  std::vector<std::string_view> a = ym::split(want, '\n'), b = ym::split(got, '\n');
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  std::printf("%s:%zu: differs\n", path.c_str(), at + 1);
  for (std::size_t i = at; i < a.size() && i < at + 8; ++i)
    std::printf("  - %.*s\n", static_cast<int>(a[i].size()), a[i].data());
  for (std::size_t i = at; i < b.size() && i < at + 8; ++i)
    std::printf("  + %.*s\n", static_cast<int>(b[i].size()), b[i].data());
}

}  // namespace

int main(int argc, char** argv) {
  bool rewrite = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite")
      rewrite = true;
    else
      paths.emplace_back(argv[i]);
  }
  if (paths.empty()) {
    std::fputs("usage: scenario_runner FILE... [--rewrite]\n", stderr);
    return 2;
  }
  int wrong = 0;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    std::string want = text.str();
    if (!file || want.find("\n----\n") == std::string::npos) {
      std::printf("%s: cannot be read, or expects nothing\n", path.c_str());
      ++wrong;
      continue;
    }
    std::string got = ym::sim::rewritten(want);
    if (got == want) continue;
    if (rewrite) {
      std::ofstream(path, std::ios::binary) << got;
    } else {
      show_difference(path, want, got);
      ++wrong;
    }
  }
  return wrong ? 1 : 0;
}
