// SPDX-License-Identifier: Apache-2.0
// yardmaster-sim: runs seeds and says which ones fail.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"
#include "sim/run.h"

namespace {

constexpr const char* kUsage =
    "usage: yardmaster-sim [--seed N] [--seeds COUNT] [--for SECONDS] [--steps N] [--bug NAME] "
    "[--trace]\n"
    "Runs a whole cluster under virtual time with faults drawn from each seed, and checks it.\n"
    "  --seed N       the first seed (default 1); alone it means just this one\n"
    "  --seeds COUNT  so many seeds\n"
    "  --for SECONDS  seeds until the time is over; without both: until interrupted\n"
    "  --steps N      stop the faults after so many steps\n"
    "  --bug NAME     make a mistake on purpose: ack-before-sync, forget-release, launch-twice,\n"
    "                 lose-tail, skip-dependency, clean-too-early\n"
    "  --trace        print everything that happens\n";

struct Arguments {
  ym::sim::RunOptions options;
  std::uint64_t seeds = 0, seconds = 0;
  bool seed_given = false;
};

// For the handler of a failed check: which seed it was.
char replay_line[256];

void say_seed(int) {
  static_cast<void>(!write(STDERR_FILENO, replay_line, std::strlen(replay_line)));
  _exit(1);
}

std::string replay_text(const ym::sim::RunOptions& options) {
  std::string text = fmt::format("yardmaster-sim --seed {}", options.seed);
  if (options.steps_max) text += fmt::format(" --steps {}", options.steps_max);
  if (options.bug != ym::sim::Bug::None)
    text += fmt::format(" --bug {}", ym::sim::name_of(options.bug));
  return text;
}

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--trace") {
      out.options.trace = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    std::string_view value = argv[++i];
    if (name == "--bug") {
      auto bug = ym::sim::bug_named(value);
      if (!bug) return false;
      out.options.bug = *bug;
      continue;
    }
    auto number = ym::parse_u64(value);
    if (!number) return false;
    if (name == "--seed") {
      out.options.seed = *number;
      out.seed_given = true;
    } else if (name == "--seeds") {
      out.seeds = *number;
    } else if (name == "--for") {
      out.seconds = *number;
    } else if (name == "--steps") {
      out.options.steps_max = *number;
    } else {
      return false;
    }
  }
  if (out.seed_given && !out.seeds && !out.seconds) out.seeds = 1;
  return true;
}

void tell_failure(const ym::sim::RunOptions& options, const ym::sim::RunResult& result) {
  std::printf("%s\n  %s\n", replay_text(options).c_str(), result.failure.c_str());
  if (options.trace) return;
  for (const std::string& line : result.trail) std::printf("    %s\n", line.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::signal(SIGABRT, say_seed);
  ym::sim::RunOptions options = arguments.options;
  ym::Duration begun = ym::monotonic_clock();
  std::uint64_t count = 0, events = 0, failures = 0, crashes = 0, jobs = 0;
  bool terminal = isatty(STDERR_FILENO) && !options.trace;
  for (;; ++options.seed) {
    if (arguments.seeds && count >= arguments.seeds) break;
    if (arguments.seconds &&
        ym::monotonic_clock() - begun >= std::chrono::seconds(arguments.seconds))
      break;
    std::snprintf(replay_line, sizeof replay_line, "%s\n", replay_text(options).c_str());
    ym::sim::RunResult result = ym::sim::run(options);
    ++count;
    events += result.events;
    crashes += result.controller_crashes + result.node_crashes;
    jobs += result.jobs;
    if (!result.failure.empty()) {
      ++failures;
      tell_failure(options, result);
    }
    if (terminal && count % 10 == 0)
      std::fprintf(stderr, "\r%llu seeds, %llu failures ", static_cast<unsigned long long>(count),
                   static_cast<unsigned long long>(failures));
  }
  if (terminal) std::fputs("\r\033[K", stderr);
  std::printf("%llu seeds, %llu events, %llu failures\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(events), static_cast<unsigned long long>(failures));
  std::printf("(%llu jobs, %llu crashes)\n", static_cast<unsigned long long>(jobs),
              static_cast<unsigned long long>(crashes));
  return failures ? 1 : 0;
}
