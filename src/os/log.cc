// SPDX-License-Identifier: Apache-2.0
#include "os/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/text.h"
#include "os/clock.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::array<std::string_view, 10> kNames = {
    "quiet", "fatal", "error", "info", "verbose", "debug", "debug2", "debug3", "debug4", "debug5"};

std::string_view prefix_of(LogLevel level) {
  switch (level) {
    case LogLevel::Fatal: return "fatal: ";
    case LogLevel::Error: return "error: ";
    case LogLevel::Quiet:
    case LogLevel::Info:
    case LogLevel::Verbose: return "";
    default: return "debug: ";
  }
}

void write_fully(int fd, std::string_view bytes) {
  // A log that cannot be written must not stop the daemon.
  [[maybe_unused]] ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
  if (auto number = parse_unsigned<std::uint8_t>(text); number && *number < kNames.size()) {
    return static_cast<LogLevel>(*number);
  }
  for (std::size_t n = 0; n < kNames.size(); ++n) {
    if (same_ignoring_case(text, kNames[n])) return static_cast<LogLevel>(n);
  }
  return std::nullopt;
}

std::string log_line(std::int64_t unix_ms, int zone_offset_s, LogLevel level,
                     std::string_view text) {
  std::time_t local = static_cast<std::time_t>(unix_ms / 1000 + zone_offset_s);
  std::tm parts{};
  ::gmtime_r(&local, &parts);
  return fmt::format("[{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}] {}{}\n", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     unix_ms % 1000, prefix_of(level), printable(text, kLogLineMax));
}

Log::Log(Options options) : options_(std::move(options)), level_(options_.level) {}

Log::~Log() {
  if (fd_ >= 0) ::close(fd_);
}

Status Log::reopen() {
  if (options_.path.empty()) return {};
  int fd = ::open(options_.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return fail(errno_text(options_.path));
  std::lock_guard lock(mutex_);
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  return {};
}

int Log::errors_fd() {
  std::scoped_lock lock(mutex_);
  return fd_ >= 0 && !options_.to_stderr ? fd_ : STDERR_FILENO;
}

void Log::set_level(LogLevel level) { level_ = level; }
void Log::set_to_stderr(bool on) {
  std::lock_guard lock(mutex_);
  options_.to_stderr = on;
}

void Log::write(LogLevel level, std::string_view text) {
  if (shows(level)) write_line(level, text);
}

void Log::write_topic(std::string_view name, std::string_view text) {
  write_line(LogLevel::Info, fmt::format("{}: {}", name, text));
}

void Log::write_line(LogLevel level, std::string_view text) {
  Instant now = wall_clock();
  std::string line = log_line(now.unix_ms, zone_offset_seconds(now), level, text);
  std::lock_guard lock(mutex_);
  if (fd_ >= 0) write_fully(fd_, line);
  if (options_.to_stderr) {
    write_fully(STDERR_FILENO, fmt::format("{}: {}{}\n", options_.program, prefix_of(level),
                                           printable(text, kLogLineMax)));
  }
}

}  // namespace ym
