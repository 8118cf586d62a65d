// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: every file of the corpus folder, then seeded mutations of
// them, the same ones each time, so that the ordinary test run exercises every parser. ./dev fuzz
// searches for real.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/prng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerSeed = 2000;
constexpr std::size_t kInputMax = 4096;

void run(const std::string& input) {
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
  std::vector<std::string> corpus{""};
  if (argc > 1 && std::filesystem::is_directory(argv[1]))
    for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
      std::ifstream in(file.path(), std::ios::binary);
      corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
  for (const std::string& seed : corpus) run(seed);
  ym::Prng prng(1);
  std::size_t rounds = kMutationsPerSeed * std::min<std::size_t>(corpus.size(), 20);
  for (std::size_t i = 0; i < rounds; ++i)
    run(mutated(corpus[prng.below(corpus.size())], corpus, prng));
  std::printf("%zu inputs of the corpus, %zu mutations\n", corpus.size(), rounds);
  return 0;
}
