// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every file of the corpus folder, then seeded mutations of
// them, in the same order each time: a fixed number, and then more for $YM_FUZZ_SECONDS of CPU time
// (2 if not said). So the ordinary test run gives every parser some seconds, and all together some
// minutes, without building everything once more with libFuzzer. ./dev fuzz searches for real,
// guided by coverage and under sanitizers.
//
// An input that breaks the target is left in found-TARGET. Given a file instead of a folder, only
// that is run.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerSeed = 2000;
constexpr std::size_t kInputMax = 4096;

// What the handler of a crash needs.
const std::string* g_input = nullptr;
std::string g_found;

// System calls only.
void keep_input(int signal) {
  int fd = ::open(g_found.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0 && g_input && ::write(fd, g_input->data(), g_input->size()) >= 0) {
    std::string_view found = g_found;
    for (std::string_view words :
         {std::string_view("the input is in "), found, std::string_view("\n")}) [[maybe_unused]]
      ssize_t said = ::write(2, words.data(), words.size());
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void keep_what_breaks() {
  g_found = std::string("found-") + program_invocation_short_name;
  for (int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) ::signal(signal, keep_input);
}

double cpu_seconds() { return static_cast<double>(::clock()) / CLOCKS_PER_SEC; }

double seconds_wanted() {
  const char* said = std::getenv("YM_FUZZ_SECONDS");
  return said ? std::atof(said) : 2;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run(const std::string& input) {
  g_input = &input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutated(std::string text, const std::vector<std::string>& corpus, ym::Prng& prng) {
  for (std::uint64_t i = 1 + prng.below(4); i > 0; --i) {
    std::size_t at = text.empty() ? 0 : prng.below(text.size());
    switch (prng.below(6)) {
      case 0: text.insert(at, 1, static_cast<char>(prng.below(256))); break;
      case 1:
        if (!text.empty()) text.erase(at, 1 + prng.below(4));
        break;
      case 2:
        if (!text.empty()) text[at] = static_cast<char>(prng.below(256));
        break;
      case 3: text.insert(at, text.substr(at, prng.below(16))); break;
      case 4: text += corpus[prng.below(corpus.size())]; break;
      case 5:
        if (!text.empty()) text[at] = "0123456789,-:[]%+?*\n= #\\"[prng.below(24)];
        break;
    }
  }
  return text.substr(0, kInputMax);
}

}  // namespace

int main(int argc, char** argv) {
  keep_what_breaks();
  std::vector<std::string> corpus{""};
  if (argc > 1 && std::filesystem::is_regular_file(argv[1])) {
    run(contents_of(argv[1]));
    return 0;
  }
  if (argc > 1 && std::filesystem::is_directory(argv[1])) {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(argv[1]))
      files.push_back(file.path());
    std::sort(files.begin(), files.end());  // a folder's own order is anything
    for (const auto& file : files) corpus.push_back(contents_of(file));
  }
  for (const std::string& seed : corpus) run(seed);
  ym::Prng prng(1);
  const std::size_t least = kMutationsPerSeed * std::min<std::size_t>(corpus.size(), 20);
  const double end = cpu_seconds() + seconds_wanted();
  std::size_t rounds = 0;
  for (; rounds < least || (rounds % 64 != 0 || cpu_seconds() < end); ++rounds)
    run(mutated(corpus[prng.below(corpus.size())], corpus, prng));
  std::printf("%zu inputs of the corpus, %zu mutations\n", corpus.size(), rounds);
  return 0;
}
