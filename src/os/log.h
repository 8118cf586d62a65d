// SPDX-License-Identifier: Apache-2.0
// A daemon's log: lines with a time, in a file or on stderr. Pure rooms never log.
//
// Thread rule: any thread; a line is one write(2). Lines are cut at kLogLineMax bytes, control
// characters are escaped.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"

namespace ym {

inline constexpr std::size_t kLogLineMax = 4096;

// Slurm's levels: quiet fatal error info verbose debug debug2 debug3 debug4 debug5.
enum class LogLevel : std::uint8_t {
  Quiet,
  Fatal,
  Error,
  Info,
  Verbose,
  Debug,
  Debug2,
  Debug3,
  Debug4,
  Debug5
};
// By name or number; nothing if it is neither.
std::optional<LogLevel> parse_log_level(std::string_view text);

class Log {
 public:
  struct Options {
    std::string path;  // empty: none
    LogLevel level = LogLevel::Info;
    bool to_stderr = false;  // beside the file
    std::string program;     // "slurmd", in lines to stderr
  };
  explicit Log(Options options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Opens the file, or opens it again after it was rotated away.
  Status reopen();
  void set_level(LogLevel level);
  void set_to_stderr(bool on);
  // Subjects, one bit each, whose lines are shown whatever the level.
  void set_topics(std::uint64_t topics) { topics_ = topics; }
  bool shows_topic(std::uint64_t topic) const {
    return (topics_.load(std::memory_order_relaxed) & topic) != 0;
  }
  bool shows(LogLevel level) const { return level <= level_.load(std::memory_order_relaxed); }

  // Where a program that we start may say what goes wrong: the file, or stderr without one. Open at
  // least until the next reopen().
  int errors_fd();

  void write(LogLevel level, std::string_view text);
  // REQUIRES: its topic is shown, or the reader wants it otherwise.
  void write_topic(std::string_view name, std::string_view text);
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::Error, format, args...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::Info, format, args...);
  }
  template <class... Args>
  void verbose(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::Verbose, format, args...);
  }
  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) {
    line(LogLevel::Debug, format, args...);
  }

 private:
  void write_line(LogLevel level, std::string_view text);
  template <class Format, class... Args>
  void line(LogLevel level, const Format& format, Args&... args) {
    if (shows(level))
      write(level, fmt::vformat(fmt::string_view(format), fmt::make_format_args(args...)));
  }

  Options options_;  // constant after construction but for to_stderr, which mutex_ protects
  std::atomic<LogLevel> level_;
  std::atomic<std::uint64_t> topics_ = 0;
  std::mutex mutex_;
  int fd_ = -1;  // protected by mutex_
};

// "[2026-11-15T21:24:15.123] error: text\n"
std::string log_line(std::int64_t unix_ms, int zone_offset_s, LogLevel level,
                     std::string_view text);

}  // namespace ym
